// Sorts ops into kinds by probing their shape rules with small operands.
#include "generator/draw/op_traits.h"

#include <algorithm>

#include "generator/ir/graph.h"

namespace seamfuzz {
namespace {

bool Takes(const OpRow& row, AttrKey key) {
  return std::any_of(row.attrs.begin(), row.attrs.end(),
                     [key](const AttrSpec& spec) { return spec.key == key; });
}

// The shape of the op's result on operands of these shapes, as Graph::Add finds it; `kRefused`
// where it refuses. Attributes that the op does not take are left out, those it requires are 0
// where `attrs` has none.
const Shape kRefused = {-1};
Shape Probe(const OpRow& row, const std::vector<Shape>& operands, Attrs attrs = {}) {
  Graph graph;
  std::vector<Operand> values;
  for (const Shape& shape : operands) {
    const bool is_index = static_cast<int>(values.size()) == row.index_operand;
    const std::string name = "T" + std::to_string(values.size());
    values.push_back(
        Operand::Value(*graph.AddInput(name, {is_index ? DType::kI64 : DType::kF32, shape})));
  }
  std::erase_if(attrs, [&row](const Attr& attr) { return !Takes(row, attr.key); });
  for (const AttrSpec& spec : row.attrs) {
    if (spec.required && FindAttr(attrs, spec.key) == nullptr) attrs.push_back({.key = spec.key});
  }
  const Result<ValueId> added = graph.Add(row.name, std::move(values), std::move(attrs));
  return added.ok() ? graph.type(*added).shape : kRefused;
}

Attrs List(AttrKey key, IntList list) { return {{.key = key, .list = list}}; }

MoveKind MoveKindOf(const OpRow& row) {
  if (Takes(row, AttrKey::kShape)) {
    if (Takes(row, AttrKey::kDims)) return MoveKind::kBroadcast;
    if (Probe(row, {{2, 3}}, List(AttrKey::kShape, {6})) == Shape{6}) return MoveKind::kReshape;
    return MoveKind::kExpand;
  }
  if (Takes(row, AttrKey::kStart) && Takes(row, AttrKey::kEnd)) return MoveKind::kSlice;
  if (Takes(row, AttrKey::kLow) && Takes(row, AttrKey::kHigh)) return MoveKind::kPad;
  if (Takes(row, AttrKey::kDims) && row.max_arity == 1) {
    if (Probe(row, {{2, 3}}, List(AttrKey::kDims, {1, 0})) == Shape{3, 2})
      return MoveKind::kPermutation;
    if (Probe(row, {{1, 3}}, List(AttrKey::kDims, {0})) == Shape{3}) return MoveKind::kUnitDims;
    if (Probe(row, {{2, 3}}, List(AttrKey::kDims, {0})) == Shape{1, 2, 3})
      return MoveKind::kNewDims;
  }
  return MoveKind::kNone;
}

OperandShapes IndexShapesOf(const OpRow& row) {
  const auto probe = [&row](Shape index) {
    std::vector<Shape> operands(row.max_arity, index);
    operands[0] = {4, 3};
    operands[row.index_operand] = index;
    return Probe(row, operands);
  };
  if (!Takes(row, AttrKey::kDim)) {
    return probe({5, 2}) == Shape{5, 2, 3} ? OperandShapes::kTableIndex : OperandShapes::kUnknown;
  }
  if (probe({2, 3}) != kRefused) return OperandShapes::kSameIndex;
  return probe({2}) != kRefused ? OperandShapes::kVectorIndex : OperandShapes::kUnknown;
}

OperandShapes OperandShapesOf(const OpRow& row) {
  switch (row.form) {
    case Form::kSource:
      return OperandShapes::kNone;
    case Form::kElementwise:
      return OperandShapes::kBroadcast;
    case Form::kIndex:
      return IndexShapesOf(row);
    default:
      break;
  }
  if (row.max_arity == 1) return OperandShapes::kOne;
  if (row.form == Form::kMove) {
    return Probe(row, {{2, 3}, {2, 3}}) == Shape{4, 3} ? OperandShapes::kJoined
                                                       : OperandShapes::kUnknown;
  }
  if (Probe(row, std::vector<Shape>(row.max_arity, Shape{2, 3})) == Shape{2, 3})
    return OperandShapes::kBroadcast;
  if (Probe(row, {{2, 3}, {3, 4}}) == Shape{2, 4}) return OperandShapes::kMatmul;
  if (Probe(row, {{2, 3}, {4, 3}}) == Shape{2, 4}) return OperandShapes::kLinear;
  return OperandShapes::kUnknown;
}

// Ops with nothing to draw that ties the shape say by refusing which ranks they take.
void FindRanks(const OpRow& row, OpTraits& traits) {
  if (traits.operands == OperandShapes::kNone) {
    const auto takes = [&row](Shape shape) {
      return Probe(row, {}, List(AttrKey::kShape, shape)) != kRefused;
    };
    if (!takes({})) traits.min_rank = 1;
    if (!takes({2, 3})) traits.max_rank = 1;
    return;
  }
  if (traits.operands == OperandShapes::kTableIndex) traits.min_rank = traits.max_rank = 2;
  if (traits.operands == OperandShapes::kVectorIndex ||
      traits.operands == OperandShapes::kSameIndex || traits.operands == OperandShapes::kJoined ||
      traits.operands == OperandShapes::kLinear) {
    traits.min_rank = 1;
  }
  if (traits.operands == OperandShapes::kMatmul) traits.min_rank = 2;
  if (traits.operands == OperandShapes::kOne && traits.move == MoveKind::kNone) {
    while (traits.min_rank < 3 && Probe(row, {Shape::Filled(traits.min_rank, 2)}) == kRefused) {
      // Roll refuses a shift without dims: the lists it requires are drawn together.
      if (Takes(row, AttrKey::kDims) && !Takes(row, AttrKey::kDim)) break;
      ++traits.min_rank;
    }
  }
  if (Takes(row, AttrKey::kDims) && traits.form == Form::kMove && traits.move == MoveKind::kNone)
    traits.min_rank = 1;
}

std::vector<OpTraits> FindDrawnOps() {
  std::vector<OpTraits> drawn;
  for (size_t op = 0; op < OpRows().size(); ++op) {
    const OpRow& row = OpRows()[op];
    if (row.weight <= 0) continue;
    OpTraits traits = {
        .op = static_cast<OpId>(op),
        .form = row.form,
        .types = row.types,
        .exact = row.exact,
        .keeps_integers = row.exact != ExactRule::kNever || row.types == TypeRule::kCast,
        .weight = row.weight,
        .min_arity = row.min_arity,
        .max_arity = row.max_arity,
        .operands = OperandShapesOf(row)};
    if (row.form == Form::kMove) traits.move = MoveKindOf(row);
    FindRanks(row, traits);
    const bool combines =
        row.form == Form::kReduce || row.form == Form::kScan || row.form == Form::kComposite;
    // A composite's definition may divide by how many there are.
    if (combines)
      traits.takes_empty = row.form != Form::kComposite && Probe(row, {{0, 0}}) != kRefused;
    drawn.push_back(traits);
  }
  std::stable_sort(drawn.begin(), drawn.end(),
                   [](const OpTraits& a, const OpTraits& b) { return a.form < b.form; });
  return drawn;
}

}  // namespace

std::span<const OpTraits> DrawnOps() {
  static const std::vector<OpTraits> ops = FindDrawnOps();
  return ops;
}

const std::array<OpSpan, kFormCount>& DrawnOpsOfForm() {
  static const std::array<OpSpan, kFormCount> spans = [] {
    std::array<OpSpan, kFormCount> result = {};
    const std::span<const OpTraits> ops = DrawnOps();
    for (int i = 0; i < static_cast<int>(ops.size()); ++i) {
      OpSpan& span = result[static_cast<int>(ops[i].form)];
      if (span.end == 0) span.begin = i;
      span.end = i + 1;
    }
    return result;
  }();
  return spans;
}

OpId MoveOp(MoveKind kind) {
  static const std::array<OpId, kMoveKindCount> heaviest = [] {
    std::array<OpId, kMoveKindCount> best;
    best.fill(InputOp());
    for (const OpTraits& traits : DrawnOps()) {
      OpId& entry = best[static_cast<int>(traits.move)];
      if (traits.form == Form::kMove && (entry == InputOp() || traits.weight > Row(entry).weight))
        entry = traits.op;
    }
    return best;
  }();
  return heaviest[static_cast<int>(kind)];
}

}  // namespace seamfuzz
