// Op text, literal data and permitted values as Python.
#include "engine/foreign/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/foreign/python_files.h"
#include "generator/case/text.h"
#include "generator/case/values.h"
#include "generator/ir/check.h"

namespace seamfuzz {

const ScriptDialect kTorchDialect = {
    .target = "torch",
    .op = &OpRow::torch,
    .dtype = &DTypeRow::torch,
    .dtype_prefix = "torch.",
    .cast = "{0}.to({dtype})",
    .wrap = "torch.tensor({0}, dtype={dtype}, device=device)",
};
const ScriptDialect kJaxDialect = {
    .target = "jax",
    .op = &OpRow::jax,
    .dtype = &DTypeRow::jax,
    .dtype_prefix = "jnp.",
    .cast = "{0}.astype({dtype})",
    .wrap = "jnp.array({0}, dtype={dtype})",
    .widens = true,
};
const ScriptDialect kTinygradDialect = {
    .target = "tinygrad",
    .op = &OpRow::tinygrad,
    .dtype = &DTypeRow::tinygrad,
    .dtype_prefix = "dtypes.",
    .cast = "{0}.cast({dtype})",
    .wrap = "Tensor({0}, dtype={dtype})",
    .widens = true,
};
const ScriptDialect kNvfuserDialect = {
    .target = "nvfuser",
    .op = &OpRow::nvfuser,
    .dtype = &DTypeRow::nvfuser,
    .dtype_prefix = "DataType.",
    .cast = "fd.ops.cast({0}, dtype={dtype})",
    .wrap = "fd.define_scalar({0}, dtype={dtype})",
};

namespace {

constexpr std::string_view kNoSuchOp = "-";

// Replaces {NAME} by `value(NAME)`; {{ and }} are braces.
template <typename Value>
std::string Fill(std::string_view text, const Value& value) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if ((text[i] == '{' || text[i] == '}') && doubled) {
      out += text[i++];
    } else if (text[i] == '{') {
      const size_t end = text.find('}', i);
      CHECK(end != std::string_view::npos);
      out += value(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The pads of PyTorch: low and high of each dim, the last dim first.
IntList PadWidths(const IntList& low, const IntList& high) {
  IntList widths;
  for (int d = low.size() - 1; d >= 0; --d) {
    widths.push_back(low[d]);
    widths.push_back(high[d]);
  }
  return widths;
}

// Words that a value must not take: Python's, and the names that scripts use.
bool IsTaken(std::string_view name) {
  static const std::set<std::string_view> kTaken = {
      "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
      "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
      "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
      "while", "with", "yield",
      // used by op texts and programs
      "int", "float", "list", "tuple", "slice", "zip", "range", "enumerate", "len", "d", "a", "n",
      "torch", "jax", "jnp", "numpy", "Tensor", "dtypes", "fd", "FusionDefinition", "DataType",
      "device", "compile", "segments", "cut", "step", "program"};
  return kTaken.contains(name);
}

// Whether an op on narrow floats has steps between which a target may round.
bool RoundsInside(const Graph& graph, const Node& node) {
  if (!IsNarrowFloat(ComputeDType(graph, node))) return false;
  switch (node.row().form) {
    case Form::kElementwise:
      return node.row().ulp > 0;
    case Form::kReduce:
    case Form::kScan:
    case Form::kContract:
    case Form::kComposite:
      return true;
    case Form::kSource:
    case Form::kMove:
    case Form::kIndex:
      return false;
  }
  return false;
}

std::string AttrText(const Node& node, const Graph& graph, const AttrSpec& spec,
                     const ScriptDialect& dialect) {
  const auto kind = std::ranges::find(AttrKeyRows(), spec.key, &AttrKeyRow::key)->kind;
  switch (kind) {
    case AttrKind::kIntList: {
      const int rank = node.operands.empty() ? 0 : graph.type(node.operands[0].value).shape.size();
      return PythonList(ListAttr(node.row(), node.attrs, spec.key, rank));
    }
    case AttrKind::kInt:
      return std::to_string(IntAttr(node.attrs, spec.key));
    case AttrKind::kBool:
      return BoolAttr(node.attrs, spec.key) ? "True" : "False";
    case AttrKind::kNumber:
      // A fill is written in the dtype that it fills.
      if (spec.key == AttrKey::kValue && !IsFloat(node.type.dtype)) {
        const Scalar number = FloatScalar(NumberAttr(node.attrs, spec.key));
        return PythonNumber(Convert(number, DType::kF64, node.type.dtype), node.type.dtype);
      }
      return PythonNumber(FloatScalar(NumberAttr(node.attrs, spec.key)), DType::kF64);
    case AttrKind::kDType:
      return DTypeExpression(node.type.dtype, dialect);
  }
  return "";
}

}  // namespace

std::string_view PythonFile(std::string_view name) {
  const auto found = std::ranges::find(PythonFiles(), name, &PythonFileRow::name);
  CHECK(found != PythonFiles().end());
  return found->text;
}

std::string PythonNumber(Scalar value, DType dtype) {
  if (dtype == DType::kBool) return value.i != 0 ? "True" : "False";
  if (!IsFloat(dtype)) return std::to_string(value.i);
  if (std::isnan(value.f)) return "float('nan')";
  if (std::isinf(value.f)) return value.f > 0 ? "float('inf')" : "float('-inf')";
  std::string text = fmt::format("{}", value.f);  // the shortest that reads back
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string PythonList(const IntList& list) {
  return fmt::format("[{}]", fmt::join(list.begin(), list.end(), ", "));
}

std::string DTypeExpression(DType dtype, const ScriptDialect& dialect) {
  return fmt::format("{}{}", dialect.dtype_prefix, Row(dtype).*dialect.dtype);
}

Graph ScriptGraph(const Graph& graph, const ScriptDialect& dialect) {
  for (const Node& node : graph.nodes()) {
    if (node.row().form == Form::kComposite && (node.row().*dialect.op).empty())
      return ExpandComposites(graph).graph;
  }
  return graph;
}

std::string Unspeakable(const Graph& graph, const ScriptDialect& dialect) {
  const Graph spelled = ScriptGraph(graph, dialect);
  for (const Node& node : spelled.nodes()) {
    if (Row(node.type.dtype).*dialect.dtype == kNoSuchOp) {
      return fmt::format("{} has no dtype {}", dialect.target, Row(node.type.dtype).name);
    }
    if (node.op == InputOp()) continue;
    const std::string_view text = node.row().*dialect.op;
    if (text.empty() || text == kNoSuchOp)
      return fmt::format("{} has no op {}", dialect.target, node.row().name);
  }
  return "";
}

std::vector<std::string> PythonNames(const Graph& graph) {
  std::set<std::string> used;
  for (const Node& node : graph.nodes()) used.insert(node.name);
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    std::string name = node.name;
    // A leading underscore or an upper-case word may be a name of the script's own (VIEWS, GUARD).
    const bool shouts = std::ranges::none_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
    if (IsTaken(name) || name.starts_with("_") || (shouts && name.size() > 1)) {
      name = "v_" + name;
      while (used.contains(name)) name += "_";
      used.insert(name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string OpExpression(const Graph& graph, ValueId v, const std::vector<std::string>& names,
                         const ScriptDialect& dialect) {
  const Node& node = graph.node(v);
  const bool wide = dialect.widens && RoundsInside(graph, node);
  const DType compute = wide ? DType::kF32 : ComputeDType(graph, node);
  const DType result = wide && IsNarrowFloat(node.type.dtype) ? DType::kF32 : node.type.dtype;
  const auto cast = [&](std::string_view text, DType dtype, std::string_view form) {
    return Fill(form, [&](std::string_view name) {
      return name == "0" ? std::string(text) : DTypeExpression(dtype, dialect);
    });
  };
  const auto bare = [&](const Operand& operand) {
    if (operand.is_literal()) return PythonNumber(operand.literal, operand.literal_dtype);
    const bool narrow = IsNarrowFloat(graph.type(operand.value).dtype);
    return wide && narrow ? cast(names[operand.value], compute, dialect.cast)
                          : names[operand.value];
  };
  const auto as_tensor = [&](const Operand& operand) {
    if (operand.is_literal()) return cast(bare(operand), compute, dialect.wrap);
    const std::string& name = names[operand.value];
    return graph.type(operand.value).dtype == compute ? name : cast(name, compute, dialect.cast);
  };
  const int rank = node.operands.empty() ? 0 : graph.type(node.operands[0].value).shape.size();
  const auto list = [&](AttrKey key) { return ListAttr(node.row(), node.attrs, key, rank); };
  const auto placeholder = [&](std::string_view name) -> std::string {
    const bool tensor = name.size() == 2 && name[0] == 't' && name[1] >= '0' && name[1] <= '9';
    if (tensor || (name.size() == 1 && name[0] >= '0' && name[0] <= '9')) {
      const size_t k = static_cast<size_t>(name.back() - '0');
      CHECK(k < node.operands.size());
      return tensor ? as_tensor(node.operands[k]) : bare(node.operands[k]);
    }
    if (name == "operands") {
      std::vector<std::string> all;
      for (const Operand& operand : node.operands) all.push_back(bare(operand));
      return fmt::format("{}", fmt::join(all, ", "));
    }
    if (name == "shape") return PythonList(node.type.shape);
    if (name == "dtype") return DTypeExpression(result, dialect);
    if (name == "pad_widths") {
      return PythonList(PadWidths(list(AttrKey::kLow), list(AttrKey::kHigh)));
    }
    if (name == "spread") {
      IntList spread = IntList::Filled(node.type.shape.size(), 1);
      const IntList dims = list(AttrKey::kDims);
      const Shape& from = graph.type(node.operands[0].value).shape;
      for (int d = 0; d < dims.size(); ++d) spread[static_cast<int>(dims[d])] = from[d];
      return PythonList(spread);
    }
    if (name == "kept") {
      const IntList dims = list(AttrKey::kDims);
      IntList kept;
      for (int d = 0; d < node.type.shape.size(); ++d) {
        if (!dims.contains(d)) kept.push_back(d);
      }
      return PythonList(kept);
    }
    for (const AttrSpec& spec : node.row().attrs) {
      if (spec.key == AttrKey::kNone) continue;
      const auto row = std::ranges::find(AttrKeyRows(), spec.key, &AttrKeyRow::key);
      if (row->name == name) return AttrText(node, graph, spec, dialect);
    }
    CHECK(false && "an op's text names an attribute that its row has not");
    return "";
  };
  const std::string text = Fill(node.row().*dialect.op, placeholder);
  return result == node.type.dtype ? text : cast("(" + text + ")", node.type.dtype, dialect.cast);
}

std::vector<std::vector<ValueId>> MayView(const Graph& graph) {
  const Expanded expanded = ExpandComposites(graph);
  std::vector<std::vector<ValueId>> roots;  // of the expanded graph, sorted
  for (ValueId v = 0; v < expanded.graph.size(); ++v) {
    const Node& node = expanded.graph.node(v);
    // Copies are new by definition; a cast to the same dtype, a move or a cut may give back its
    // operand's memory.
    const bool passes =
        node.op == SegmentSetOp() || node.op == CastOp() || node.row().form == Form::kMove;
    std::vector<ValueId> own;
    for (const Operand& operand : node.operands) {
      if (!passes || operand.is_literal()) continue;
      own.insert(own.end(), roots[operand.value].begin(), roots[operand.value].end());
    }
    if (own.empty()) own.push_back(expanded.origin[v]);
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    roots.push_back(std::move(own));
  }
  std::vector<std::vector<ValueId>> result;
  for (ValueId v = 0; v < graph.size(); ++v) result.push_back(roots[expanded.image[v]]);
  return result;
}

std::string LaneOf(const Case& c, std::string_view lane, std::string_view fallback) {
  const auto found = c.schedule.lanes.find(lane);
  return found == c.schedule.lanes.end() ? std::string(fallback) : found->second;
}

}  // namespace seamfuzz
