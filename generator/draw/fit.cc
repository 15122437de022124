// Makes a value fit a type: the steps between a random value and the place where it is needed.
#include <algorithm>
#include <array>

#include "generator/draw/draw_ops.h"

namespace seamfuzz {
namespace {

std::optional<ValueId> Move(Drawing& d, MoveKind kind, ValueId v, Attrs attrs) {
  const OpId op = MoveOp(kind);
  if (op == InputOp() || !d.Takes(op)) return std::nullopt;
  return d.TryAdd(op, {Operand::Value(v)}, std::move(attrs));
}

std::optional<ValueId> ToDType(Drawing& d, ValueId v, DType dtype) {
  if (d.type(v).dtype == dtype) return v;
  if (!d.Takes(CastOp())) return std::nullopt;
  return d.TryAdd(CastOp(), {Operand::Value(v)}, {{.key = AttrKey::kDType, .dtype = dtype}});
}

std::optional<ValueId> Broadcast(Drawing& d, ValueId v, const Shape& to) {
  IntList dims;
  const int rank = d.type(v).shape.size();
  for (int dim = to.size() - rank; dim < to.size(); ++dim) dims.push_back(dim);
  return Move(d, MoveKind::kBroadcast, v,
              {{.key = AttrKey::kShape, .list = to}, {.key = AttrKey::kDims, .list = dims}});
}

// Slices the dims that are too long and pads those that are too short.
std::optional<ValueId> SliceAndPad(Drawing& d, ValueId v, const Shape& to) {
  const Shape from = d.type(v).shape;
  IntList start, end, low, high;
  bool slices = false, pads = false;
  for (int dim = 0; dim < from.size(); ++dim) {
    const int64_t spare = std::max<int64_t>(from[dim] - to[dim], 0);
    const int64_t missing = std::max<int64_t>(to[dim] - from[dim], 0);
    start.push_back(d.choices().Below(static_cast<int>(spare + 1)));
    end.push_back(start[dim] + from[dim] - spare);
    low.push_back(d.choices().Below(static_cast<int>(missing + 1)));
    high.push_back(missing - low[dim]);
    slices = slices || spare > 0;
    pads = pads || missing > 0;
  }
  if (slices) {
    const std::optional<ValueId> sliced =
        Move(d, MoveKind::kSlice, v,
             {{.key = AttrKey::kStart, .list = start}, {.key = AttrKey::kEnd, .list = end}});
    if (!sliced) return std::nullopt;
    v = *sliced;
  }
  if (!pads) return v;
  return Move(d, MoveKind::kPad, v,
              {{.key = AttrKey::kLow, .list = low},
               {.key = AttrKey::kHigh, .list = high},
               {.key = AttrKey::kValue, .value = FloatScalar(0)}});
}

// Any reduction over all dims, which leaves a 0-dim value that broadcasts to everything.
std::optional<ValueId> ReduceAll(Drawing& d, ValueId v) {
  const OpSpan span = DrawnOpsOfForm()[static_cast<int>(Form::kReduce)];
  const int count = span.end - span.begin;
  if (count == 0 || NumElements(d.type(v).shape) == 0) return std::nullopt;
  const int begin = d.choices().Below(count);
  for (int i = 0; i < count; ++i) {
    const OpTraits& traits = DrawnOps()[span.begin + (begin + i) % count];
    if (!d.Takes(traits.op) || traits.min_rank > 0) continue;
    const std::optional<ValueId> reduced = d.TryAdd(
        traits.op, {Operand::Value(v)}, {{.key = AttrKey::kKeepdim, .value = IntScalar(0)}});
    if (reduced) return reduced;
  }
  return std::nullopt;
}

std::optional<ValueId> ToShape(Drawing& d, ValueId v, const Shape& to) {
  const Shape from = d.type(v).shape;
  if (from == to) return v;
  if (BroadcastsTo(from, to)) return Broadcast(d, v, to);
  if (NumElements(from) == NumElements(to))
    return Move(d, MoveKind::kReshape, v, {{.key = AttrKey::kShape, .list = to}});
  if (from.size() == to.size() && !d.choices().OneIn(3)) return SliceAndPad(d, v, to);
  const std::optional<ValueId> reduced = ReduceAll(d, v);
  if (!reduced || to.empty()) return reduced;
  return Broadcast(d, *reduced, to);
}

}  // namespace

std::optional<ValueId> Fit(Drawing& d, ValueId v, const TensorType& type) {
  const std::optional<ValueId> shaped = ToShape(d, v, type.shape);
  return shaped ? ToDType(d, *shaped, type.dtype) : std::nullopt;
}

}  // namespace seamfuzz
