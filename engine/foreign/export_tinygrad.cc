// tinygrad: a cut is .contiguous() or .realize(); uncompiled, every op is realized by itself.
#include "engine/foreign/export_tinygrad.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/foreign/program.h"
#include "engine/foreign/python_files.h"

namespace seamfuzz {
namespace {

class Writer {
 public:
  explicit Writer(const Case& c)
      : c_(c), graph_(c.graph), names_(PythonNames(c.graph)), inputs_(InputsOf(c.graph)) {}

  std::string Program() {
    out_ +=
        "import os\n\nos.environ.setdefault(\"DEV\", \"CPU\")\nfrom tinygrad import Tensor, "
        "dtypes\n"
        "from tinygrad.helpers import GlobalCounters\n\nUNCOMPILED = True\nTINYGRAD_DTYPES = {";
    for (const DTypeRow& row : DTypeRows())
      out_ += fmt::format("\"{}\": \"{}\", ", row.name, row.tinygrad);
    out_ += "}\n\n\n";
    const std::string boundary = LaneOf(c_, "boundary", "contiguous");
    Function("monolithic", "", "");
    Function("segmented", fmt::format(".{}()", boundary), "");
    Function("stepwise", "", ".realize()");
    Build();
    return out_;
  }

 private:
  void Line(std::string_view text) { out_ += fmt::format("    {}\n", text); }

  // `cut` and `step` stand behind each cut's and each other op's value.
  void Function(std::string_view name, std::string_view cut, std::string_view step) {
    out_ += fmt::format("def {}({}):\n", name, JoinNames(inputs_, names_));
    for (ValueId v = 0; v < graph_.size(); ++v) {
      if (graph_.is_input(v)) continue;
      const bool is_cut = graph_.node(v).op == SegmentSetOp();
      const std::string value = OpExpression(graph_, v, names_, kTinygradDialect);
      const std::string_view suffix = is_cut ? cut : step;
      Line(suffix.empty() ? fmt::format("{} = {}", names_[v], value)
                          : fmt::format("{} = ({}){}", names_[v], value, suffix));
    }
    std::vector<std::string> outputs, updated, values;
    const std::vector<bool> needed = CopiesBeforeCommits(graph_);
    const bool all = LaneOf(c_, "clone", "needed") == "all";
    std::vector<bool> copied(static_cast<size_t>(graph_.size()), false);
    for (size_t i = 0; i < needed.size(); ++i) {
      const ValueId v = graph_.effects()[i].value;
      values.push_back(needed[i] || all ? "_" + names_[v] : names_[v]);
      if ((needed[i] || all) && !copied[v]) {
        Line(fmt::format("{} = {}.clone(){}", values.back(), names_[v], step));
        copied[v] = true;
      }
    }
    for (size_t i = 0; i < needed.size(); ++i) {
      const Effect& effect = graph_.effects()[i];
      if (effect.is_update()) {
        Line(fmt::format("{}.assign({}){}", names_[effect.target], values[i], step));
        updated.push_back(names_[effect.target]);
      } else {
        outputs.push_back(values[i]);
      }
    }
    std::vector<std::string> realized = outputs;
    realized.insert(realized.end(), updated.begin(), updated.end());
    if (LaneOf(c_, "realize", "outputs_first") == "updates_first") std::ranges::reverse(realized);
    if (!realized.empty()) Line(fmt::format("Tensor.realize({})", fmt::join(realized, ", ")));
    Line(fmt::format("return [{}]", fmt::join(outputs, ", ")));
    out_ += "\n\n";
  }

  void Build() {
    out_ +=
        "def build(mode, compiled):\n"
        "    program = {\"monolithic\": monolithic, \"segmented\": segmented}[mode] if compiled "
        "else stepwise\n"
        "    return lambda inputs: program(*inputs)\n\n\n";
  }

  const Case& c_;
  const Graph& graph_;
  std::vector<std::string> names_;
  std::vector<ValueId> inputs_;
  std::string out_;
};

}  // namespace

std::string ExportTinygrad(const Case& c, const ScriptExpectation* expectation) {
  Case spelled = c;
  spelled.graph = ScriptGraph(c.graph, kTinygradDialect);
  std::string out = ScriptHeader(c, "A seamfuzz case for tinygrad.");
  out += Writer(spelled).Program();
  out += PythonFile("script_core.py");
  out += ScriptTables(spelled);
  out += PythonFile("script_tinygrad.py");
  if (expectation != nullptr) out += ScriptMain(spelled, *expectation);
  return out;
}

}  // namespace seamfuzz
