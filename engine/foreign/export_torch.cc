// PyTorch: one function a mode, or one a segment; copies, then commits, then the outputs.
#include "engine/foreign/export_torch.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/foreign/program.h"
#include "engine/foreign/python_files.h"

namespace seamfuzz {
namespace {

constexpr TorchOption kOptions[] = {
    // Off is Inductor's default: it then keeps f16 and bf16 values in f32 across casts, on purpose.
    {"precision_casts", "emulate_precision_casts", "on"},
    {"inplace_buffers", "inplace_buffers"},
    {"buffer_reuse", "allow_buffer_reuse"},
    {"max_fusion_size", "max_fusion_size"},
    {"loop_ordering", "loop_ordering_after_fusion"},
    {"reorder_for_locality", "reorder_for_locality"},
    {"pattern_matcher", "pattern_matcher"},
    {"simdlen", "cpp.simdlen"},
};

class Writer {
 public:
  explicit Writer(const Case& c)
      : c_(c), graph_(c.graph), names_(NamesBehindCuts(c.graph)), inputs_(InputsOf(c.graph)) {}

  std::string Program() {
    out_ += "import torch\nimport torch._dynamo\nimport torch._inductor.metrics\n\n";
    out_ += fmt::format("torch.set_num_threads({})\n", LaneOf(c_, "threads", "1"));
    const std::string device = LaneOf(c_, "device", "");
    out_ += device.empty() ? "device = \"cuda\" if torch.cuda.is_available() else \"cpu\"\n"
                           : fmt::format("device = \"{}\"\n", device);
    out_ += "UNCOMPILED = True\nSCALARS_ARE_NUMBERS = False\nSHARES_MEMORY = False\n\n\n";
    Whole(Mode::kMonolithic);
    const bool separate = LaneOf(c_, "boundary", "break") == "compile";
    separate ? Separate() : Whole(Mode::kSegmented);
    Build(separate);
    return out_;
  }

 private:
  void Line(std::string_view text) { out_ += fmt::format("    {}\n", text); }

  void Nodes(const Piece& piece) {
    for (const ValueId v : piece.nodes) {
      Line(fmt::format("{} = {}", names_[v], OpExpression(graph_, v, names_, kTorchDialect)));
    }
  }

  // Copies, commits, and the list of outputs as an expression.
  std::string Commits() {
    const bool all = LaneOf(c_, "clone", "needed") == "all";
    const std::vector<bool> needed = CopiesBeforeCommits(graph_);
    std::vector<std::string> values;
    std::vector<bool> copied(static_cast<size_t>(graph_.size()), false);
    for (size_t i = 0; i < needed.size(); ++i) {
      const ValueId v = BehindCuts(graph_, graph_.effects()[i].value);
      if (!needed[i] && !all) {
        values.push_back(names_[v]);
        continue;
      }
      values.push_back("_" + names_[v]);
      if (!copied[v]) Line(fmt::format("{} = {}.clone()", values.back(), names_[v]));
      copied[v] = true;
    }
    std::string outputs;
    for (size_t i = 0; i < needed.size(); ++i) {
      const Effect& effect = graph_.effects()[i];
      if (effect.is_update()) {
        Line(fmt::format("{}.copy_({})", names_[effect.target], values[i]));
      } else {
        outputs += (outputs.empty() ? "" : ", ") + values[i];
      }
    }
    return fmt::format("[{}]", outputs);
  }

  // One function; segments are parted by graph breaks.
  void Whole(Mode mode) {
    out_ += fmt::format("def {}({}):\n", ModeName(mode), JoinNames(inputs_, names_));
    const std::vector<Piece> pieces = PiecesOf(graph_, mode);
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0) Line("torch._dynamo.graph_break()");
      Nodes(pieces[i]);
    }
    const std::string outputs = Commits();
    Line("return " + outputs);
    out_ += "\n\n";
  }

  // One function a segment; the last one commits.
  void Separate() {
    std::vector<Piece> pieces = PiecesOf(graph_, Mode::kSegmented);
    if (pieces.empty()) pieces.emplace_back();
    // The last piece takes what the effects name, too.
    Piece& last = pieces.back();
    for (const ValueId v : EffectValues()) {
      const bool known = std::ranges::count(last.takes, v) + std::ranges::count(last.nodes, v) > 0;
      if (!known) last.takes.push_back(v);
    }
    std::string calls, functions;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const std::string takes = JoinNames(pieces[i].takes, names_);
      const std::string gives = JoinNames(pieces[i].gives, names_);
      const bool commits = i + 1 == pieces.size();
      out_ += fmt::format("def segment_{}({}):\n", i, takes);
      Nodes(pieces[i]);
      const std::string results = commits ? Commits() : fmt::format("[{}]", gives);
      Line("return " + results);
      out_ += "\n\n";
      calls += commits ? fmt::format("    return segments[{}]({})\n", i, takes)
                       : fmt::format("    [{}] = segments[{}]({})\n", gives, i, takes);
      functions += fmt::format("{}segment_{}", i == 0 ? "" : ", ", i);
    }
    out_ += fmt::format("SEGMENTS = [{}]\n\n\ndef segmented(segments, {}):\n{}\n\n", functions,
                        JoinNames(inputs_, names_), calls);
  }

  std::vector<ValueId> EffectValues() const {
    std::vector<bool> used(static_cast<size_t>(graph_.size()), false);
    for (const Effect& effect : graph_.effects()) {
      used[BehindCuts(graph_, effect.value)] = true;
      if (effect.is_update()) used[effect.target] = true;
    }
    std::vector<ValueId> values;
    for (ValueId v = 0; v < graph_.size(); ++v) {
      if (used[v]) values.push_back(v);
    }
    return values;
  }

  void Build(bool separate) {
    const std::string backend = LaneOf(c_, "backend", "inductor");
    std::string options;
    for (const TorchOption& option : kOptions) {
      const std::string value = LaneOf(c_, option.lane, option.value);
      if (value.empty() || backend != "inductor") continue;
      options += fmt::format("\"{}\": {}, ", option.option,
                             value == "on"    ? "True"
                             : value == "off" ? "False"
                                              : value);
    }
    out_ +=
        "def build(mode, compiled):\n    torch._dynamo.reset()\n    "
        "torch._inductor.metrics.reset()\n\n";
    out_ += "    def compile(function):\n        if not compiled:\n            return function\n";
    out_ += fmt::format("        return torch.compile(function, backend=\"{}\", dynamic={}{})\n\n",
                        backend, LaneOf(c_, "dynamic", "off") == "on" ? "True" : "False",
                        options.empty() ? "" : fmt::format(", options={{{}}}", options));
    if (separate) {
      out_ +=
          "    if mode == \"segmented\":\n        segments = [compile(function) for function in "
          "SEGMENTS]\n"
          "        return lambda inputs: segmented(segments, *inputs)\n"
          "    program = compile(monolithic)\n";
    } else {
      out_ +=
          "    program = compile({\"monolithic\": monolithic, \"segmented\": segmented}[mode])\n";
    }
    out_ += "    return lambda inputs: program(*inputs)\n\n\n";
    out_ += "def kernels():\n    return torch._inductor.metrics.generated_kernel_count\n\n\n";
  }

  const Case& c_;
  const Graph& graph_;
  std::vector<std::string> names_;
  std::vector<ValueId> inputs_;
  std::string out_;
};

}  // namespace

std::span<const TorchOption> TorchOptions() { return kOptions; }

std::string ExportTorch(const Case& c, const ScriptExpectation* expectation) {
  Case spelled = c;
  spelled.graph = ScriptGraph(c.graph, kTorchDialect);
  std::string out = ScriptHeader(c, "A seamfuzz case for torch.compile.");
  out += Writer(spelled).Program();
  out += PythonFile("script_core.py");
  out += ScriptTables(spelled);
  out += PythonFile("script_torch.py");
  if (expectation != nullptr) out += ScriptMain(spelled, *expectation);
  return out;
}

}  // namespace seamfuzz
