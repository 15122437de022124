// Attributes by what they mean for the shape (MoveKind), else key by key.
#include "generator/draw/draw_attrs.h"

#include <algorithm>
#include <bit>

namespace seamfuzz {
namespace {

int DrawExtent(Choices& choices, int64_t most) {
  return choices.Between(1, static_cast<int>(std::clamp<int64_t>(most, 1, 9)));
}

// A random subset of 0..count-1 in rising order, not empty; count >= 1.
IntList DrawSubset(Choices& choices, int count) {
  const uint64_t bits = choices.Bits();
  IntList subset;
  for (int d = 0; d < count; ++d) {
    if ((bits >> d & 1) != 0) subset.push_back(d);
  }
  if (subset.empty()) subset.push_back(choices.Below(count));
  return subset;
}

IntList DrawPermutation(Choices& choices, int rank) {
  IntList dims;
  for (int d = 0; d < rank; ++d) dims.push_back(d);
  for (int d = rank - 1; d > 0; --d) std::swap(dims[d], dims[choices.Below(d + 1)]);
  // The identity hides nothing: swap two dims instead.
  if (rank >= 2 && std::is_sorted(dims.begin(), dims.end()))
    std::swap(dims[rank - 1], dims[rank - 2]);
  return dims;
}

// Neighbouring dims merge, or one dim splits at a divisor.
Shape DrawReshape(Choices& choices, const Shape& from, int max_rank) {
  Shape to = from;
  const int steps = choices.Between(1, 3);
  for (int step = 0; step < steps; ++step) {
    if (to.size() >= 2 && (to.size() >= max_rank || choices.OneIn(2))) {
      const int d = choices.Below(to.size() - 1);
      to[d] *= to[d + 1];
      to.erase(d + 1);
    } else if (to.size() < max_rank) {
      if (to.empty()) {
        to.push_back(1);
        continue;
      }
      const int d = choices.Below(to.size());
      int64_t divisor = choices.Between(2, 8);
      while (divisor > 1 && to[d] % divisor != 0) --divisor;
      to[d] /= divisor;
      to.insert(d, divisor);
    }
  }
  return to;
}

// `value` stands for the fill of a pad: small, an integer where the lane or the dtype asks for one.
Scalar DrawFill(Drawing& d, DType dtype) {
  constexpr std::array kFills = {0.0, 0.0, 1.0, 3.0, -2.0, 0.5};
  Choices& choices = d.choices();
  double fill = kFills[choices.Below(kFills.size())];
  if (d.swarm().lane == Lane::kExact || !IsFloat(dtype)) fill = std::trunc(fill);
  if (dtype == DType::kBool) fill = fill != 0;
  return FloatScalar(fill);
}

std::optional<Attrs> DrawMoveAttrs(Drawing& d, MoveKind kind, const Shape& from) {
  Choices& choices = d.choices();
  const int rank = from.size();
  const int max_rank = d.config().max_rank;
  const int64_t limit = d.swarm().max_elements;
  const auto room = [&](const Shape& shape) {
    return limit / std::max<int64_t>(NumElements(shape), 1);
  };
  switch (kind) {
    case MoveKind::kNone:
      return Attrs{};
    case MoveKind::kPermutation:
      return Attrs{{.key = AttrKey::kDims, .list = DrawPermutation(choices, rank)}};
    case MoveKind::kUnitDims: {
      IntList units;
      for (int dim = 0; dim < rank; ++dim) {
        if (from[dim] == 1 && (units.empty() || choices.OneIn(2))) units.push_back(dim);
      }
      if (units.empty()) return std::nullopt;
      return Attrs{{.key = AttrKey::kDims, .list = units}};
    }
    case MoveKind::kNewDims:
      if (rank >= max_rank) return std::nullopt;
      return Attrs{{.key = AttrKey::kDims, .list = {choices.Below(rank + 1)}}};
    case MoveKind::kReshape:
      return Attrs{
          {.key = AttrKey::kShape, .list = DrawReshape(choices, from, std::max(max_rank, rank))}};
    case MoveKind::kExpand: {
      Shape to = from;
      for (int dim = 0; dim < rank; ++dim) {
        if (to[dim] == 1) to[dim] = DrawExtent(choices, room(to));
      }
      return Attrs{{.key = AttrKey::kShape, .list = to}};
    }
    case MoveKind::kBroadcast: {
      Shape to = from;
      IntList dims;
      for (int dim = 0; dim < rank; ++dim) {
        if (to[dim] == 1) to[dim] = DrawExtent(choices, room(to));
        dims.push_back(dim);
      }
      while (to.size() < max_rank && room(to) >= 2 && choices.OneIn(to.size() == rank ? 1 : 3)) {
        const int place = choices.Below(to.size() + 1);
        to.insert(place, DrawExtent(choices, room(to)));
        for (int64_t& dim : dims) dim += dim >= place ? 1 : 0;
      }
      return Attrs{{.key = AttrKey::kShape, .list = to}, {.key = AttrKey::kDims, .list = dims}};
    }
    case MoveKind::kSlice: {
      IntList start, end, stride;
      for (int64_t extent : from) {
        const int most = static_cast<int>(extent);
        const bool whole = choices.OneIn(2) || most < 2;
        const int first = whole ? 0 : choices.Below(most);
        start.push_back(first);
        end.push_back(whole
                          ? most
                          : choices.Between(
                                first + (d.config().zero_size && choices.OneIn(30) ? 0 : 1), most));
        stride.push_back(choices.OneIn(4) ? choices.Between(2, 3) : 1);
      }
      return Attrs{{.key = AttrKey::kStart, .list = start},
                   {.key = AttrKey::kEnd, .list = end},
                   {.key = AttrKey::kStride, .list = stride}};
    }
    case MoveKind::kPad: {
      Shape to = from;
      IntList low, high;
      for (int dim = 0; dim < rank; ++dim) {
        const int before = choices.OneIn(2) ? choices.Between(1, 2) : 0;
        const int after = choices.OneIn(3) ? choices.Between(1, 2) : 0;
        to[dim] += before + after;
        low.push_back(before);
        high.push_back(after);
      }
      if (NumElements(to) > limit) return std::nullopt;
      return Attrs{{.key = AttrKey::kLow, .list = low}, {.key = AttrKey::kHigh, .list = high}};
    }
  }
  return std::nullopt;
}

// Any number of the configuration.
std::optional<DType> DrawOtherDType(Drawing& d, DType from) {
  std::array<int, kDTypeCount> weights = {0, 2, 3, 3, 4, 4, 4, 2};
  weights[static_cast<int>(from)] = 0;
  int sum = 0;
  for (int t = 0; t < kDTypeCount; ++t) {
    if (!d.Takes(static_cast<DType>(t))) weights[t] = 0;
    sum += weights[t];
  }
  if (sum == 0) return std::nullopt;
  return static_cast<DType>(d.choices().Weighted(weights));
}

DType DrawCastTarget(Drawing& d, DType from) {
  // Half of them narrow or widen on purpose; the rest goes to the case's own dtypes.
  if (d.choices().OneIn(2)) {
    const DType to = d.DrawDType();
    if (to != from) return to;
  }
  const std::optional<DType> other = DrawOtherDType(d, from);
  return other.value_or(from);
}

}  // namespace

bool DrawAttrs(Drawing& d, const OpTraits& traits, const TensorType& operand, Attrs& attrs) {
  Choices& choices = d.choices();
  const OpRow& row = Row(traits.op);
  const int rank = operand.shape.size();
  if (row.attrs[0].key == AttrKey::kNone) return true;
  if (traits.form == Form::kMove) {
    std::optional<Attrs> tied = DrawMoveAttrs(d, traits.move, operand.shape);
    if (!tied) return false;
    attrs = std::move(*tied);
  }
  int dim = 0;
  IntList dims;
  for (const AttrSpec& spec : row.attrs) {
    if (spec.key == AttrKey::kDim) dim = rank > 0 ? choices.Below(rank) : 0;
    if (spec.key == AttrKey::kDims && rank > 0 && traits.move == MoveKind::kNone) {
      // All dims is what an absent list of an optional attribute means.
      if (spec.required || !choices.OneIn(3)) dims = DrawSubset(choices, rank);
    }
  }
  for (const AttrSpec& spec : row.attrs) {
    if (spec.key == AttrKey::kNone || FindAttr(attrs, spec.key) != nullptr) continue;
    Attr attr = {.key = spec.key};
    switch (spec.key) {
      case AttrKey::kDims:
        if (dims.empty()) continue;
        attr.list = dims;
        break;
      case AttrKey::kDim:
        attr.value = IntScalar(dim);
        break;
      case AttrKey::kKeepdim:
        attr.value = IntScalar(choices.Below(2));
        break;
      case AttrKey::kDType:
        attr.dtype =
            traits.form == Form::kSource ? d.DrawDType() : DrawCastTarget(d, operand.dtype);
        break;
      case AttrKey::kShape:
        attr.list = operand.shape;
        break;
      case AttrKey::kShift:
        for (int i = 0; i < dims.size(); ++i)
          attr.list.push_back(choices.OneIn(3) ? -1 : choices.Between(1, 3));
        break;
      case AttrKey::kIndex:
        if (operand.shape[dim] == 0) return false;
        attr.value = IntScalar(choices.Below(static_cast<int>(operand.shape[dim])));
        break;
      case AttrKey::kDiagonal:
        attr.value = IntScalar(choices.Between(-1, 1));
        break;
      case AttrKey::kStep:
        attr.value = IntScalar(choices.Between(1, 3));
        break;
      case AttrKey::kValue:
        attr.value = DrawFill(d, traits.form == Form::kSource ? DType::kI64 : operand.dtype);
        break;
      case AttrKey::kCorrection:
        attr.value = IntScalar(choices.Below(2));
        break;
      default:  // numbers that stand for themselves (eps)
        attr.value = FloatScalar(spec.value);
        break;
    }
    attrs.push_back(attr);
  }
  return true;
}

}  // namespace seamfuzz
