// The doors of a graph: everything that enters it is typed here, and refused with the label of the
// rule it breaks.
#include "generator/ir/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "generator/ir/check.h"
#include "generator/ir/composite.h"

namespace seamfuzz {
namespace {

constexpr int kMaxNameLength = 64;
constexpr int64_t kMaxStorageBytes = int64_t{256} << 20;

// Words that the text form reads as something else where a name may stand.
constexpr std::string_view kReserved[] = {"true", "false", "inf", "nan", "strides", "in", "at"};

bool IsName(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= kMaxNameLength && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); }) &&
         std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

std::optional<Error> NoRoom(const Graph& graph) {
  if (graph.size() < kMaxNodes) return std::nullopt;
  return Error{"node_limit", fmt::format("a graph has at most {} nodes", kMaxNodes)};
}

// The rule that a new name breaks.
std::optional<Error> BrokenName(const Graph& graph, std::string_view name) {
  if (!IsName(name)) {
    return Error{"name",
                 fmt::format("'{}' is no name: a letter, then letters and digits, at most {}, "
                             "and no word of the text form",
                             name.substr(0, kMaxNameLength), kMaxNameLength)};
  }
  if (graph.Find(name) != kNoValue) {
    return Error{"name_taken", fmt::format("{} is defined twice", name)};
  }
  return std::nullopt;
}

std::string FreeName(const Graph& graph) {
  for (int i = graph.size();; ++i) {
    std::string name = "T" + std::to_string(i);
    if (graph.Find(name) == kNoValue) return name;
  }
}

// "broadcast: [2] and [3]" of an op's row becomes "T4: [2] and [3]" under the same rule.
Error About(std::string_view name, Error error) {
  error.message = fmt::format("{}: {}", name, error.message);
  return error;
}

AttrKind KindOf(AttrKey key) {
  for (const AttrKeyRow& row : AttrKeyRows()) {
    if (row.key == key) return row.kind;
  }
  return AttrKind::kInt;
}

std::string_view NameOf(AttrKey key) {
  for (const AttrKeyRow& row : AttrKeyRows()) {
    if (row.key == key) return row.name;
  }
  return "?";
}

// Equal numbers have equal bits: any NaN is the canonical one.
double Canonical(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number;
}

// Brings attributes into their one form: sorted, defaults filled in, optional empty lists left out.
std::optional<Error> CompleteAttrs(const OpRow& row, Attrs& attrs) {
  const auto spec_of = [&row](AttrKey key) -> const AttrSpec* {
    for (const AttrSpec& spec : row.attrs) {
      if (spec.key == key && key != AttrKey::kNone) return &spec;
    }
    return nullptr;
  };
  for (Attr& attr : attrs) {
    if (spec_of(attr.key) == nullptr) {
      return Error{"attribute", fmt::format("{} has no attribute {}", row.name, NameOf(attr.key))};
    }
    const AttrKind kind = KindOf(attr.key);
    if (kind == AttrKind::kBool) attr.value = IntScalar(attr.value.i != 0);
    if (kind == AttrKind::kNumber) attr.value = FloatScalar(Canonical(attr.value.f));
  }
  std::erase_if(attrs, [&](const Attr& attr) {
    return KindOf(attr.key) == AttrKind::kIntList && attr.list.empty() &&
           !spec_of(attr.key)->required;
  });
  for (const AttrSpec& spec : row.attrs) {
    if (spec.key == AttrKey::kNone) continue;
    const auto count =
        std::count_if(attrs.begin(), attrs.end(), [&](const Attr& a) { return a.key == spec.key; });
    if (count > 1) {
      return Error{"attribute", fmt::format("{} is given twice", NameOf(spec.key))};
    }
    if (count == 1) continue;
    if (spec.required) {
      return Error{"attribute",
                   fmt::format("{} needs the attribute {}", row.name, NameOf(spec.key))};
    }
    switch (KindOf(spec.key)) {
      case AttrKind::kInt:
      case AttrKind::kBool:
        attrs.push_back({.key = spec.key, .value = IntScalar(static_cast<int64_t>(spec.value))});
        break;
      case AttrKind::kNumber:
        attrs.push_back({.key = spec.key, .value = FloatScalar(Canonical(spec.value))});
        break;
      case AttrKind::kIntList:
      case AttrKind::kDType:
        break;
    }
  }
  std::sort(attrs.begin(), attrs.end(), [](const Attr& a, const Attr& b) { return a.key < b.key; });
  return std::nullopt;
}

using OperandTypes = std::array<OperandType, kMaxArity>;

OperandTypes TypesForPromotion(const Graph& graph, std::span<const Operand> operands) {
  OperandTypes types;
  for (size_t i = 0; i < operands.size(); ++i) {
    using Kind = OperandType::Kind;
    if (operands[i].is_literal()) {
      types[i] = {operands[i].literal_dtype, Kind::kLiteral};
    } else {
      const TensorType& type = graph.type(operands[i].value);
      types[i] = {type.dtype, type.shape.empty() ? Kind::kZeroDim : Kind::kTensor};
    }
  }
  return types;
}

Result<Shape> InferShape(const Graph& graph, const OpRow& row, std::span<const Operand> operands,
                         const Attrs& attrs) {
  if (row.infer == nullptr) {
    std::array<const Shape*, kMaxArity> shapes;
    size_t count = 0;
    for (const Operand& operand : operands) {
      if (!operand.is_literal()) shapes[count++] = &graph.type(operand.value).shape;
    }
    return BroadcastShapes(std::span(shapes.data(), count));
  }
  std::array<TensorType, kMaxArity> types;  // InferDTypes has refused literals here
  for (size_t i = 0; i < operands.size(); ++i) types[i] = graph.type(operands[i].value);
  return row.infer(std::span(types.data(), operands.size()), attrs);
}

Result<TensorType> InferType(const Graph& graph, const OpRow& row,
                             std::span<const Operand> operands, const Attrs& attrs) {
  const OperandTypes types = TypesForPromotion(graph, operands);
  Result<OpDTypes> dtypes = InferDTypes(row, std::span(types.data(), operands.size()), attrs);
  if (!dtypes.ok()) return dtypes.error();
  if (row.form == Form::kComposite) {
    // The definition decides: what it cannot type, ExpandComposites could not expand.
    Result<Definition> definition = Define(graph, row, operands, attrs);
    if (!definition.ok()) return definition.error();
    return definition->graph.type(definition->result);
  }
  Result<Shape> shape = InferShape(graph, row, operands, attrs);
  if (!shape.ok()) return shape.error();
  return TensorType{dtypes->result, *shape};
}

std::optional<Error> BrokenShape(const Shape& shape) {
  // An extent of 0 hides no others: their strides must not overflow either.
  Shape strided = shape;
  for (int64_t& extent : strided) {
    if (extent < 0) {
      return Error{"negative_dim", fmt::format("the shape {} has a negative extent", shape.Text())};
    }
    extent = std::max<int64_t>(extent, 1);
  }
  if (NumElements(strided) > kMaxElements) {
    return Error{"element_limit",
                 fmt::format("the shape {} has more than {} elements", shape.Text(), kMaxElements)};
  }
  return std::nullopt;
}

// The layout of an input that is no scalar, defaults filled in.
std::optional<Error> BrokenLayout(const Graph& graph, const TensorType& type,
                                  const Layout& layout) {
  if (layout.strides.size() != type.shape.size()) {
    return Error{"strides_rank",
                 fmt::format("{} strides for {} dims", layout.strides.size(), type.shape.size())};
  }
  for (int64_t stride : layout.strides) {
    if (stride < 0) {
      return Error{"negative_stride",
                   fmt::format("the strides {} hold a negative one", layout.strides.Text())};
    }
  }
  if (layout.offset < 0) return Error{"negative_offset", "the offset is negative"};
  const int64_t limit = kMaxStorageBytes / Row(type.dtype).bytes;
  const int64_t extent = Extent(type.shape, layout.strides);
  if (layout.offset > limit || extent > limit - layout.offset) {
    return Error{"storage_limit",
                 fmt::format("the view reaches beyond {} MiB", kMaxStorageBytes >> 20)};
  }
  if (!IsName(layout.storage)) {
    return Error{"name", fmt::format("'{}' is no name of a storage",
                                     layout.storage.substr(0, kMaxNameLength))};
  }
  for (ValueId v = 0; v < graph.size(); ++v) {
    const Layout& other = graph.node(v).layout;
    if (graph.is_input(v) && other.scalar && other.storage == layout.storage) {
      return Error{"scalar_layout",
                   fmt::format("{} is a scalar: it has no storage to share", layout.storage)};
    }
  }
  return std::nullopt;
}

std::optional<Error> BrokenScalar(const Graph& graph, std::string_view name, const TensorType& type,
                                  const Layout& layout) {
  if (!type.shape.empty()) return Error{"scalar_rank", "a scalar has no dims"};
  bool taken = false;
  for (ValueId v = 0; v < graph.size(); ++v) {
    taken |= graph.is_input(v) && graph.node(v).layout.storage == name;
  }
  if (taken || layout.storage != name || layout.offset != 0 || !layout.strides.empty()) {
    return Error{"scalar_layout", "a scalar has no storage to share, no strides and no offset"};
  }
  return std::nullopt;
}

// How many edits (insert, delete, replace) lead from `a` to `b`.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1 : 0)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string UnknownOp(std::string_view op) {
  const std::string_view shown = op.substr(0, kMaxNameLength);
  std::string_view nearest;
  size_t distance = 3;  // further away it is no typing error
  for (const OpRow& row : OpRows()) {
    const size_t d = EditDistance(shown, row.name);
    if (d < distance && d < row.name.size()) {
      distance = d;
      nearest = row.name;
    }
  }
  if (nearest.empty()) return fmt::format("there is no op '{}'", shown);
  return fmt::format("there is no op '{}'; did you mean {}?", shown, nearest);
}

}  // namespace

Result<ValueId> Graph::AddInput(std::string_view name, const TensorType& type, Layout layout) {
  if (auto error = NoRoom(*this)) return *error;
  if (auto error = BrokenName(*this, name)) return *error;
  if (auto error = BrokenShape(type.shape)) return About(name, *error);
  if (layout.storage.empty()) layout.storage = name;
  if (layout.scalar) {
    if (auto error = BrokenScalar(*this, name, type, layout)) return About(name, *error);
  } else {
    if (layout.strides.empty()) layout.strides = ContiguousStrides(type.shape);
    if (auto error = BrokenLayout(*this, type, layout)) return About(name, *error);
  }
  return Append(
      {.op = InputOp(), .name = std::string(name), .type = type, .layout = std::move(layout)});
}

Result<ValueId> Graph::Add(OpId op, std::vector<Operand> operands, Attrs attrs,
                           std::string_view name) {
  if (auto error = NoRoom(*this)) return *error;
  Node node{.op = op, .name = std::string(name)};
  if (name.empty()) {
    node.name = FreeName(*this);
  } else if (auto error = BrokenName(*this, name)) {
    return *error;
  }
  const OpRow& row = Row(op);
  if (op == InputOp()) return About(node.name, {"unknown_op", "an input is no op"});
  const int count = static_cast<int>(operands.size());
  if (count < row.min_arity || count > row.max_arity) {
    const std::string range = row.min_arity == row.max_arity
                                  ? std::to_string(row.min_arity)
                                  : fmt::format("{} to {}", row.min_arity, row.max_arity);
    return About(node.name, {"arity", fmt::format("{} takes {} operand{}, got {}", row.name, range,
                                                  row.max_arity == 1 ? "" : "s", count)});
  }
  for (Operand& operand : operands) {
    if (operand.is_literal()) {
      if (operand.literal_dtype == DType::kF64) operand.literal.f = Canonical(operand.literal.f);
    } else if (operand.value < 0 || operand.value >= size()) {
      return About(node.name,
                   {"unknown_value", fmt::format("there is no value {}", operand.value)});
    }
  }
  if (auto error = CompleteAttrs(row, attrs)) return About(node.name, *error);
  Result<TensorType> type = InferType(*this, row, operands, attrs);
  if (!type.ok()) return About(node.name, type.error());
  if (auto error = BrokenShape(type->shape)) return About(node.name, *error);
  node.type = *type;
  node.operands = std::move(operands);
  node.attrs = std::move(attrs);
  return Append(std::move(node));
}

Result<ValueId> Graph::Add(std::string_view op, std::vector<Operand> operands, Attrs attrs,
                           std::string_view name) {
  const std::optional<OpId> id = FindOp(op);
  if (!id) return Error{"unknown_op", UnknownOp(op)};
  return Add(*id, std::move(operands), std::move(attrs), name);
}

ValueId Graph::Append(Node node) {
  nodes_.push_back(std::move(node));
  if (reading_ == Reading::kGraph) {
    for (Effect& effect : effects_) effect.position = size();
  }
  return size() - 1;
}

Status Graph::AddUpdate(ValueId target, ValueId value) {
  for (ValueId v : {target, value}) {
    if (v < 0 || v >= size()) return Error{"unknown_value", fmt::format("there is no value {}", v)};
  }
  if (effects_.size() >= kMaxNodes) {
    return Error{"node_limit", fmt::format("a graph has at most {} effects", kMaxNodes)};
  }
  const Node& node = nodes_[target];
  if (node.layout.scalar || (reading_ == Reading::kGraph && !is_input(target))) {
    return Error{"update_target",
                 fmt::format("{} is {}: only {} can be updated", node.name,
                             node.layout.scalar ? "a scalar" : "computed",
                             reading_ == Reading::kGraph ? "a tensor input" : "a tensor")};
  }
  if (reading_ == Reading::kTrace) {
    const std::array<const Shape*, 2> shapes = {&type(target).shape, &type(value).shape};
    const Result<Shape> broadcast = BroadcastShapes(shapes);
    if (!broadcast.ok() || *broadcast != type(target).shape) {
      return Error{"copy_shape", fmt::format("{} of shape {} does not broadcast to {} of shape {}",
                                             nodes_[value].name, type(value).shape.Text(),
                                             node.name, type(target).shape.Text())};
    }
  }
  effects_.push_back({.value = value, .target = target, .position = size()});
  return Done{};
}

Status Graph::AddOutput(ValueId value) {
  if (value < 0 || value >= size()) {
    return Error{"unknown_value", fmt::format("there is no value {}", value)};
  }
  if (effects_.size() >= kMaxNodes) {
    return Error{"node_limit", fmt::format("a graph has at most {} effects", kMaxNodes)};
  }
  effects_.push_back({.value = value, .position = size()});
  return Done{};
}

ValueId Graph::Find(std::string_view name) const {
  for (ValueId v = 0; v < size(); ++v) {
    // Names differ in their last characters first: T10, T11.
    const std::string& other = nodes_[v].name;
    if (other.size() == name.size() && other.back() == name.back() && other == name) return v;
  }
  return kNoValue;
}

DType ComputeDType(const Graph& graph, const Node& node) {
  const OperandTypes types = TypesForPromotion(graph, node.operands);
  const auto dtypes =
      InferDTypes(node.row(), std::span(types.data(), node.operands.size()), node.attrs);
  CHECK(dtypes.ok());
  return dtypes->compute;
}

}  // namespace seamfuzz
