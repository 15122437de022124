// JAX: values only. A cut is an optimization_barrier, or the seam between two jits.
#include "engine/foreign/export_jax.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/foreign/program.h"
#include "engine/foreign/python_files.h"

namespace seamfuzz {
namespace {

class Writer {
 public:
  explicit Writer(const Case& c)
      : c_(c), graph_(c.graph), names_(PythonNames(c.graph)), inputs_(InputsOf(c.graph)) {
    // The order of results decides which donated input each may take (jax#39625).
    for (const Effect& effect : graph_.effects()) results_.push_back(effect.value);
    reversed_ = LaneOf(c_, "results", "ordered") == "reversed";
    donate_ = LaneOf(c_, "donate", "on") == "on";
  }

  std::string Program() {
    out_ +=
        "import jax\nimport jax.numpy as jnp\n\njax.config.update(\"jax_enable_x64\", True)\n"
        "UNCOMPILED = True\nJAX_DTYPES = {";
    for (const DTypeRow& row : DTypeRows())
      out_ += fmt::format("\"{}\": \"{}\", ", row.name, row.jax);
    out_ += "}\n\n\n";
    Whole(Mode::kMonolithic);
    const bool separate = LaneOf(c_, "boundary", "barrier") == "jit";
    separate ? Separate() : Whole(Mode::kSegmented);
    Build(separate);
    return out_;
  }

 private:
  void Line(std::string_view text) { out_ += fmt::format("    {}\n", text); }

  std::string Results(const std::vector<std::string>& names) const {
    std::vector<std::string> values;
    for (const ValueId v : results_) values.push_back(names[v]);
    if (reversed_) std::ranges::reverse(values);
    return fmt::format("[{}]", fmt::join(values, ", "));
  }

  // Positions of the updated inputs among `takes`, as a Python tuple.
  std::string Donated(const std::vector<ValueId>& takes, const std::vector<bool>& free) const {
    std::string out;
    for (size_t i = 0; i < takes.size(); ++i) {
      if (donate_ && free[takes[i]]) out += fmt::format("{}, ", i);
    }
    return fmt::format("({})", out);
  }

  std::vector<bool> Updated() const {
    std::vector<bool> updated(static_cast<size_t>(graph_.size()), false);
    for (const Effect& effect : graph_.effects()) {
      if (effect.is_update()) updated[effect.target] = true;
    }
    return updated;
  }

  void Whole(Mode mode) {
    out_ += fmt::format("def {}({}):\n", ModeName(mode), JoinNames(inputs_, names_));
    for (ValueId v = 0; v < graph_.size(); ++v) {
      const Node& node = graph_.node(v);
      if (graph_.is_input(v)) continue;
      const bool barrier = node.op == SegmentSetOp() && mode == Mode::kSegmented;
      const std::string value = OpExpression(graph_, v, names_, kJaxDialect);
      Line(barrier ? fmt::format("{} = jax.lax.optimization_barrier({})", names_[v], value)
                   : fmt::format("{} = {}", names_[v], value));
    }
    Line("return " + Results(names_));
    out_ += "\n\n";
  }

  // One jit a segment. An updated input is donated to the last one that reads it, unless its entry
  // value is a result itself.
  void Separate() {
    const std::vector<std::string> names = NamesBehindCuts(graph_);
    const std::vector<Piece> pieces = PiecesOf(graph_, Mode::kSegmented);
    std::vector<bool> free = Updated();
    for (const ValueId v : results_) free[BehindCuts(graph_, v)] = false;
    std::vector<std::string> donated(pieces.size());
    for (size_t i = pieces.size(); i-- > 0;) {
      donated[i] = Donated(pieces[i].takes, free);
      for (const ValueId v : pieces[i].takes) free[v] = false;
    }
    std::string calls, functions;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const std::string takes = JoinNames(pieces[i].takes, names);
      const std::string gives = JoinNames(pieces[i].gives, names);
      out_ += fmt::format("def segment_{}({}):\n", i, takes);
      for (const ValueId v : pieces[i].nodes) {
        Line(fmt::format("{} = {}", names[v], OpExpression(graph_, v, names, kJaxDialect)));
      }
      Line(fmt::format("return [{}]", gives));
      out_ += "\n\n";
      calls += fmt::format("    [{}] = segments[{}]({})\n", gives, i, takes);
      functions += fmt::format("(segment_{}, {}), ", i, donated[i]);
    }
    out_ += fmt::format("SEGMENTS = [{}]  # with what each is given for good\n\n\n", functions);
    out_ += fmt::format("def segmented(segments, {}):\n{}", JoinNames(inputs_, names), calls);
    Line("return " + Results(names));
    out_ += "\n\n";
  }

  void Build(bool separate) {
    out_ += fmt::format("DONATED = {}\n\n\n", Donated(inputs_, Updated()));
    out_ += "def build(mode, compiled):\n";
    if (separate) {
      Line("if mode == \"segmented\":");
      Line("    jits = [jax.jit(f, donate_argnums=d) if compiled else f for f, d in SEGMENTS]");
      Line("    program = lambda *inputs: segmented(jits, *inputs)");
      Line("else:");
      Line("    program = jax.jit(monolithic, donate_argnums=DONATED) if compiled else monolithic");
    } else {
      Line("program = {\"monolithic\": monolithic, \"segmented\": segmented}[mode]");
      Line("if compiled:");
      Line("    program = jax.jit(program, donate_argnums=DONATED)");
    }
    const std::string_view order = reversed_ ? "[::-1]" : "";
    out_ += fmt::format(
        "\n    def call(inputs):\n        with jax.disable_jit(not compiled):\n"
        "            return list(program(*inputs)){}\n\n    return call\n\n\n",
        order);
    const size_t pieces = PiecesOf(graph_, Mode::kSegmented).size();
    out_ += fmt::format("def kernels(mode):\n    return {} if mode == \"segmented\" else 1\n\n\n",
                        separate ? std::max<size_t>(pieces, 1) : 1);
  }

  const Case& c_;
  const Graph& graph_;
  std::vector<std::string> names_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> results_;
  bool reversed_ = false;
  bool donate_ = true;
  std::string out_;
};

}  // namespace

std::string ExportJax(const Case& c, const ScriptExpectation* expectation) {
  Case spelled = c;
  spelled.graph = ScriptGraph(c.graph, kJaxDialect);
  std::string out = ScriptHeader(c, "A seamfuzz case for jax.jit.");
  out += Writer(spelled).Program();
  out += PythonFile("script_core.py");
  out += ScriptTables(spelled);
  out += PythonFile("script_jax.py");
  if (expectation != nullptr) out += ScriptMain(spelled, *expectation);
  return out;
}

}  // namespace seamfuzz
