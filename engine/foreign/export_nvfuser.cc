// nvFuser: define_tensor from each input's layout, a line for each node, add_output for each
// effect; its switches and a first call with other sizes by lane. Source of the call forms: nvFuser
// at 81c4b22fd, python/python_direct (ir.cpp, runtime.cpp).
#include "engine/foreign/export_nvfuser.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "engine/foreign/enlarge.h"
#include "engine/foreign/program.h"
#include "engine/foreign/python_files.h"
#include "engine/foreign/widen.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// What define_tensor wants to know of a layout. `contiguity` stands in allocation order, outermost
// stride first: None for a dim that does not advance, True where it steps over exactly the dims
// inside it. `stride_order` holds for each dim the rank of its stride, 0 the fastest.
struct Allocation {
  std::string contiguity;
  IntList stride_order;
  bool row_major = true;
};

Allocation AllocationOf(const Shape& shape, const Strides& strides) {
  const int rank = shape.size();
  std::vector<int> outermost_first(static_cast<size_t>(rank));
  std::iota(outermost_first.begin(), outermost_first.end(), 0);
  // A dim of extent 1 has no stride to speak of and stays where it is, in front of the next one.
  std::vector<int64_t> key(static_cast<size_t>(rank));
  for (int d = rank - 1; d >= 0; --d) {
    const bool moves = shape[d] != 1 || d + 1 == rank;
    key[d] = moves ? strides[d] : key[d + 1];
  }
  std::ranges::stable_sort(outermost_first, [&](int a, int b) { return key[a] > key[b]; });
  Allocation allocation;
  allocation.stride_order = IntList::Filled(rank, 0);
  std::vector<std::string> flags(static_cast<size_t>(rank));
  int64_t inner = 1;  // elements that the dims inside span
  for (int k = rank - 1; k >= 0; --k) {
    const int d = outermost_first[k];
    allocation.stride_order[d] = rank - 1 - k;
    allocation.row_major = allocation.row_major && d == k;
    const bool advances = shape[d] != 1 && strides[d] != 0;
    flags[k] = !advances ? "None" : strides[d] == inner ? "True" : "False";
    if (advances) inner = strides[d] * shape[d];
  }
  allocation.contiguity = fmt::format("[{}]", fmt::join(flags, ", "));
  return allocation;
}

std::optional<Graph> OtherSizes(const Case& spelled);

class Writer {
 public:
  explicit Writer(const Case& c) : c_(c), graph_(c.graph) {}

  // Both modes' functions: all that nvFuser knows of the case before it sees inputs.
  std::string Definitions() {
    out_.clear();
    Definition(Mode::kMonolithic, NamesBehindCuts(graph_));
    Definition(Mode::kSegmented, PythonNames(graph_));
    return std::move(out_);
  }

  std::string Program() {
    std::string text =
        "import torch\n"
        "from nvfuser_direct import DataType, FusionDefinition, PythonProfiler, reset_profiler\n\n"
        "device = \"cuda\"\n"
        "UNCOMPILED = False  # a definition runs only through the compiler\n"
        "SCALARS_ARE_NUMBERS = True\n"
        // Its alias analysis makes outputs views of inputs on purpose: NVIDIA/Fuser#2566.
        "SHARES_MEMORY = True  # outputs may lie in memory of inputs and of each other\n";
    text += fmt::format("REVERSED = {}  # outputs are defined, and come back, last first\n",
                        Reversed() ? "True" : "False");
    for (const std::string_view lane : {"enable", "disable"}) {
      const std::string option = LaneOf(c_, lane, "none");
      text += fmt::format("{} = [{}]\n", lane == "enable" ? "ENABLE" : "DISABLE",
                          option == "none" ? "" : fmt::format("\"{}\"", option));
    }
    text += FirstCall();
    return text + "\n\n" + Definitions() + std::string(PythonFile("script_nvfuser.py"));
  }

 private:
  void Line(std::string_view text) { out_ += fmt::format("    {}\n", text); }
  bool Reversed() const { return LaneOf(c_, "outputs", "given") == "reversed"; }

  // Layouts of the inputs of a call before those that are judged.
  std::string FirstCall() {
    std::string text = "FIRST_CALL = [";
    if (LaneOf(c_, "first_call", "same") == "other_sizes") {
      const std::optional<Graph> other = OtherSizes(c_);
      CHECK(other.has_value());  // NvfuserLacks says no
      text += "  # sizes and strides of the inputs of a call that comes before\n";
      for (const ValueId v : InputsOf(*other)) {
        const Node& node = other->node(v);
        text += fmt::format("    ({}, {}),\n", PythonList(node.type.shape),
                            PythonList(node.layout.strides));
      }
    }
    return text + "]\n";
  }

  void Input(const Node& node, const std::string& name) {
    const std::string dtype = DTypeExpression(node.type.dtype, kNvfuserDialect);
    if (node.layout.scalar) {
      Line(fmt::format("{} = fd.define_scalar(dtype={})", name, dtype));
      return;
    }
    const Allocation allocation = AllocationOf(node.type.shape, node.layout.strides);
    const bool symbolic = LaneOf(c_, "shapes", "symbolic") == "symbolic";
    Shape shape = node.type.shape;
    for (int64_t& extent : shape) extent = symbolic && extent > 1 ? -1 : extent;
    const bool declared = LaneOf(c_, "contiguity", "declared") == "declared";
    std::string contiguity = allocation.contiguity;
    for (size_t at = 0; !declared && (at = contiguity.find("True", at)) != std::string::npos;) {
      contiguity.replace(at, 4, "False");
    }
    Line(fmt::format("{} = fd.define_tensor(shape={}, contiguity={}, dtype={}, is_cpu=False{})",
                     name, PythonList(shape), contiguity, dtype,
                     allocation.row_major
                         ? ""
                         : fmt::format(", stride_order={}", PythonList(allocation.stride_order))));
  }

  // An update's value must be a computed one of its own, nvFuser keeps one alias for each output.
  void Effects(Mode mode, const std::vector<std::string>& names) {
    std::vector<Effect> effects = graph_.effects();
    if (Reversed()) std::ranges::reverse(effects);
    std::set<ValueId> aliased;
    for (const Effect& effect : effects) {
      const ValueId v = mode == Mode::kMonolithic ? BehindCuts(graph_, effect.value) : effect.value;
      if (!effect.is_update()) {
        Line(fmt::format("fd.add_output({})", names[v]));
        continue;
      }
      // An input's dims cannot become gathered ones; a copy's are plain.
      const bool gathered = graph_.node(v).row().form == Form::kIndex;
      const bool own = !graph_.is_input(v) && !gathered && aliased.insert(v).second;
      Line(fmt::format("fd.add_output({}, {})",
                       own ? names[v] : fmt::format("fd.ops.set({})", names[v]),
                       names[effect.target]));
    }
  }

  void Definition(Mode mode, const std::vector<std::string>& names) {
    out_ += fmt::format("def {}(fd):\n", ModeName(mode));
    for (ValueId v = 0; v < graph_.size(); ++v) {
      const Node& node = graph_.node(v);
      if (graph_.is_input(v)) {
        Input(node, names[v]);
      } else if (mode == Mode::kSegmented || node.op != SegmentSetOp()) {
        Line(fmt::format("{} = {}", names[v], OpExpression(graph_, v, names, kNvfuserDialect)));
      }
    }
    Effects(mode, names);
    out_ += "\n\n";
  }

  const Case& c_;
  const Graph& graph_;
  std::string out_;
};

// Inputs of other sizes for the very same definitions, or nullopt where their text holds the sizes.
std::optional<Graph> OtherSizes(const Case& spelled) {
  const std::string definitions = Writer(spelled).Definitions();
  for (Graph& larger : Enlargements(spelled.graph)) {
    Case other = spelled;
    other.graph = std::move(larger);
    if (Writer(other).Definitions() == definitions) return std::move(other.graph);
  }
  return std::nullopt;
}

// The case as it is spelled.
Case Spelled(Case c) {
  c.graph = Widen(ScriptGraph(c.graph, kNvfuserDialect));
  return c;
}

}  // namespace

std::string NvfuserLacks(const Case& c) {
  const Graph& graph = c.graph;
  for (const Node& node : graph.nodes()) {
    const Attr* stride = FindAttr(node.attrs, AttrKey::kStride);
    if (stride == nullptr) continue;
    if (std::ranges::any_of(stride->list, [](int64_t s) { return s != 1; })) {
      return fmt::format("nvfuser has no {} with a stride: {}", node.row().name, node.name);
    }
  }
  if (LaneOf(c, "first_call", "same") == "other_sizes" && !OtherSizes(Spelled(c))) {
    return "nvfuser takes no other sizes where the definition names them: lane first_call";
  }
  return "";
}

std::string ExportNvfuser(const Case& c, const ScriptExpectation* expectation) {
  const Case spelled = Spelled(c);
  std::string out = ScriptHeader(c, "A seamfuzz case for nvFuser (nvfuser_direct).");
  out += Writer(spelled).Program();
  out += PythonFile("script_core.py");
  out += ScriptTables(spelled);
  out += PythonFile("script_torch.py");
  if (expectation != nullptr) out += ScriptMain(spelled, *expectation);
  return out;
}

}  // namespace seamfuzz
