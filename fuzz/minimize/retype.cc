// See retype.h.
#include "fuzz/minimize/retype.h"

#include <algorithm>

namespace seamfuzz {
namespace {

Shape Changed(const Shape& shape, const ShapeChange& change) {
  Shape changed;
  for (int64_t extent : shape) changed.push_back(change.Of(extent));
  return changed;
}

// `dims` and `dim` count dims of operand 0, also from the end when negative.
int64_t FromStart(int64_t dim, int rank) { return dim < 0 ? dim + rank : dim; }

// Attributes after dim `dropped` of the `rank` dims of operand 0 has gone.
Attrs WithoutDim(const Attrs& attrs, int rank, int dropped) {
  Attrs changed = attrs;
  for (Attr& attr : changed) {
    if (attr.key == AttrKey::kDims) {
      IntList kept;
      for (int64_t dim : attr.list) {
        const int64_t d = FromStart(dim, rank);
        if (d != dropped) kept.push_back(d > dropped ? d - 1 : d);
      }
      attr.list = kept;
    } else if (attr.key == AttrKey::kDim) {
      const int64_t d = FromStart(attr.value.i, rank);
      if (d > dropped) attr.value.i = d - 1;
    } else if (attr.list.size() == rank) {
      attr.list.erase(dropped);
    } else if (attr.key == AttrKey::kShape && attr.list.size() > 0) {
      // A shape of another rank: dims are aligned at the innermost, as broadcasting does.
      const int at = attr.list.size() - (rank - dropped);
      if (at >= 0 && attr.list[at] == 1) attr.list.erase(at);
    }
  }
  return changed;
}

Attrs WithExtents(const Attrs& attrs, const Shape& operand, const ShapeChange& change) {
  Attrs changed = attrs;
  for (Attr& attr : changed) {
    if (attr.key == AttrKey::kShape) attr.list = Changed(attr.list, change);
    if (attr.key != AttrKey::kStart && attr.key != AttrKey::kEnd) continue;
    for (int d = 0; d < std::min(attr.list.size(), operand.size()); ++d) {
      attr.list[d] = std::min(attr.list[d], operand[d]);
    }
  }
  return changed;
}

// The variants to try, the likeliest first.
std::vector<Attrs> Variants(const Graph& graph, const Node& node, const Attrs& attrs,
                            const std::vector<TensorType>& types, const ShapeChange& change) {
  std::vector<Attrs> variants;
  for (size_t k = 0; k < types.size(); ++k) {
    if (node.operands[k].is_literal()) continue;
    const Shape& before = graph.type(node.operands[k].value).shape;
    const int dropped = DroppedDim(before, types[k].shape, change.drop_from_right);
    if (dropped >= 0) variants.push_back(WithoutDim(attrs, before.size(), dropped));
  }
  const Shape operand = types.empty() ? Shape{} : types[0].shape;
  variants.push_back(WithExtents(attrs, operand, change));
  variants.push_back(attrs);
  // A reshape or an expand whose element count follows its operand in one of its dims.
  const Attr* shape = FindAttr(attrs, AttrKey::kShape);
  if (shape == nullptr || node.operands.empty() || node.operands[0].is_literal()) return variants;
  const int64_t before = NumElements(graph.type(node.operands[0].value).shape);
  const int64_t after = NumElements(operand);
  for (int d = 0; d < shape->list.size() && before > 0; ++d) {
    if (shape->list[d] * after % before != 0) continue;
    Attrs scaled = attrs;
    for (Attr& attr : scaled) {
      if (attr.key == AttrKey::kShape) attr.list[d] = shape->list[d] * after / before;
    }
    variants.push_back(std::move(scaled));
  }
  return variants;
}

}  // namespace

int DroppedDim(const Shape& before, const Shape& after, int prefer_from_right) {
  if (after.size() + 1 != before.size()) return -1;
  int found = -1;
  for (int d = 0; d < before.size(); ++d) {
    Shape without = before;
    without.erase(d);
    if (!(without == after)) continue;
    if (before.size() - 1 - d == prefer_from_right) return d;
    if (found < 0) found = d;
  }
  return found;
}

Attrs AttrsFor(const Graph& graph, const Node& node, OpId op, const Attrs& attrs,
               const Graph& built, const std::vector<Operand>& operands,
               const ShapeChange& change) {
  const bool changes = change.from >= 0 || change.drop_from_right >= 0;
  if (!changes || attrs.empty() || Row(op).infer == nullptr) return attrs;
  std::vector<TensorType> types;
  for (const Operand& operand : operands) {
    if (operand.is_literal()) return attrs;
    types.push_back(built.type(operand.value));
  }
  const Shape wanted = Changed(node.type.shape, change);
  std::optional<Attrs> first;
  for (const Attrs& variant : Variants(graph, node, attrs, types, change)) {
    const Result<Shape> shape = Row(op).infer(types, variant);
    if (!shape.ok()) continue;
    if (*shape == wanted || DroppedDim(wanted, *shape, -1) >= 0) return variant;
    if (!first) first = variant;
  }
  return first.value_or(attrs);
}

}  // namespace seamfuzz
