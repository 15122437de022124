// Move rows that drop elements, join operands, fill, or change the order along a dim.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

// A fill takes part as the value it has in the result's dtype, so it must have one.
inline Status CheckFill(DType dtype, double value) {
  if (IsFloat(dtype)) return Done{};
  const double limit = std::ldexp(1.0, Row(dtype).digits);
  if (value == std::trunc(value) && value < limit &&
      value >= (dtype == DType::kBool ? 0 : -limit)) {
    return Done{};
  }
  return Broken("pad_value", fmt::format("{} is no value of {}", value, Row(dtype).name));
}

inline Result<Shape> InferSlice(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& start = List(attrs, AttrKey::kStart);
  const IntList& end = List(attrs, AttrKey::kEnd);
  const IntList& stride = List(attrs, AttrKey::kStride);
  if (start.size() != from.size() || end.size() != from.size() ||
      (!stride.empty() && stride.size() != from.size())) {
    return Broken("slice_rank", fmt::format("start, end and stride need {} entries", from.size()));
  }
  Shape to;
  for (int d = 0; d < from.size(); ++d) {
    const int64_t step = stride.empty() ? 1 : stride[d];
    if (start[d] < 0 || end[d] < start[d] || end[d] > from[d] || step < 1) {
      return Broken("slice_bounds",
                    fmt::format("dim {}: {} to {} by {} does not lie in an extent of {}", d,
                                start[d], end[d], step, from[d]));
    }
    const int64_t span = end[d] - start[d];
    to.push_back(span == 0 ? 0 : (span - 1) / step + 1);
  }
  return to;
}
inline Place PlaceSlice(const IntList& index, Types, const TensorType&, const Attrs& attrs) {
  const IntList& start = List(attrs, AttrKey::kStart);
  const IntList& stride = List(attrs, AttrKey::kStride);
  Place place{.index = index};
  for (int d = 0; d < index.size(); ++d) {
    place.index[d] = start[d] + index[d] * (stride.empty() ? 1 : stride[d]);
  }
  return place;
}

inline Result<Shape> InferPad(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& low = List(attrs, AttrKey::kLow);
  const IntList& high = List(attrs, AttrKey::kHigh);
  if (low.size() != from.size() || high.size() != from.size()) {
    return Broken("pad_widths", fmt::format("low and high need {} entries", from.size()));
  }
  Shape to = from;
  for (int d = 0; d < from.size(); ++d) {
    if (low[d] < 0 || high[d] < 0 || low[d] > kMaxElements || high[d] > kMaxElements) {
      return Broken("pad_widths", fmt::format("dim {}: a width of {} or {}", d, low[d], high[d]));
    }
    to[d] += low[d] + high[d];
  }
  const Status fill = CheckFill(operands[0].dtype, NumberAttr(attrs, AttrKey::kValue));
  if (!fill.ok()) return fill.error();
  return to;
}
inline Place PlacePad(const IntList& index, Types operands, const TensorType&, const Attrs& attrs) {
  const IntList& low = List(attrs, AttrKey::kLow);
  Place place{.index = index};
  for (int d = 0; d < index.size(); ++d) {
    place.index[d] -= low[d];
    if (place.index[d] < 0 || place.index[d] >= operands[0].shape[d]) return {.operand = -1};
  }
  return place;
}

inline Result<Shape> InferCat(Types operands, const Attrs& attrs) {
  Shape to = operands[0].shape;
  const int64_t dim = IntAttr(attrs, AttrKey::kDim);
  if (!IsDim(dim, to.size()))
    return Broken("cat_dim", fmt::format("no dim {} in {}", dim, to.Text()));
  for (size_t k = 1; k < operands.size(); ++k) {
    const Shape& next = operands[k].shape;
    bool fits = next.size() == to.size();
    for (int d = 0; fits && d < to.size(); ++d) fits = d == dim || next[d] == to[d];
    if (!fits) {
      return Broken("cat_shape", fmt::format("{} does not continue {} along dim {}", next.Text(),
                                             to.Text(), dim));
    }
    to[static_cast<int>(dim)] += next[static_cast<int>(dim)];
  }
  return to;
}
inline Place PlaceCat(const IntList& index, Types operands, const TensorType&, const Attrs& attrs) {
  const int dim = Dim(attrs);
  Place place{.index = index};
  while (place.index[dim] >= operands[place.operand].shape[dim]) {
    place.index[dim] -= operands[place.operand].shape[dim];
    ++place.operand;
  }
  return place;
}

inline Result<Shape> InferFlip(Types operands, const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  if (!AreDims(dims, operands[0].shape.size())) {
    return Broken("flip_dims",
                  fmt::format("{} are not dims of {}", dims.Text(), operands[0].shape.Text()));
  }
  return operands[0].shape;
}
inline Place PlaceFlip(const IntList& index, Types operands, const TensorType&,
                       const Attrs& attrs) {
  Place place{.index = index};
  for (int64_t d : List(attrs, AttrKey::kDims)) {
    place.index[d] = operands[0].shape[d] - 1 - index[d];
  }
  return place;
}

// Element i goes to (i + shift) mod extent, as torch.roll.
inline Result<Shape> InferRoll(Types operands, const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  const IntList& shift = List(attrs, AttrKey::kShift);
  if (!AreDims(dims, operands[0].shape.size()) || shift.size() != dims.size()) {
    return Broken("roll_dims", fmt::format("{} by {} are not dims of {} and a shift for each",
                                           dims.Text(), shift.Text(), operands[0].shape.Text()));
  }
  return operands[0].shape;
}
inline Place PlaceRoll(const IntList& index, Types operands, const TensorType&,
                       const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  const IntList& shift = List(attrs, AttrKey::kShift);
  Place place{.index = index};
  for (int i = 0; i < dims.size(); ++i) {
    const int64_t extent = operands[0].shape[dims[i]];
    const int64_t from = (index[dims[i]] - shift[i] % extent) % extent;
    place.index[dims[i]] = from < 0 ? from + extent : from;
  }
  return place;
}

inline Result<Shape> InferSelect(Types operands, const Attrs& attrs) {
  Shape to = operands[0].shape;
  const int64_t dim = IntAttr(attrs, AttrKey::kDim);
  if (!IsDim(dim, to.size()))
    return Broken("select_dim", fmt::format("no dim {} in {}", dim, to.Text()));
  const int64_t index = IntAttr(attrs, AttrKey::kIndex);
  if (index < 0 || index >= to[static_cast<int>(dim)]) {
    return Broken("select_index",
                  fmt::format("no index {} in dim {} of {}", index, dim, to.Text()));
  }
  to.erase(static_cast<int>(dim));
  return to;
}
inline Place PlaceSelect(const IntList& index, Types, const TensorType&, const Attrs& attrs) {
  Place place{.index = index};
  place.index.insert(Dim(attrs), IntAttr(attrs, AttrKey::kIndex));
  return place;
}

inline Result<Shape> InferTriu(Types operands, const Attrs&) {
  if (operands[0].shape.size() < 2) {
    return Broken("triu_rank", "triu needs a matrix, not shape " + operands[0].shape.Text());
  }
  return operands[0].shape;
}
inline Place PlaceTriu(const IntList& index, Types, const TensorType&, const Attrs& attrs) {
  const int64_t row = index[index.size() - 2];
  const int64_t column = index[index.size() - 1];
  // Compared as a difference of small numbers: the diagonal may be any integer.
  if (column - row < IntAttr(attrs, AttrKey::kDiagonal)) return {.operand = -1};
  return {.index = index};
}

inline constexpr OpRow kMoveRows[] = {
    {
        .name = "slice",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kStart, true}, {AttrKey::kEnd, true}, {AttrKey::kStride, false, 1}}},
        .infer = InferSlice,
        .place = PlaceSlice,
        .exact = ExactRule::kFirst,
        .weight = 14,
        .rank = 41,
        .torch = "{0}[tuple(slice(*d) for d in zip({start}, {end}, {stride}))]",
        .jax = "jax.lax.slice({0}, {start}, {end}, {stride})",
        .nvfuser = "fd.ops.slice({0}, start_indices={start}, end_indices={end}, strides={stride})",
        .tinygrad = "{0}[tuple(slice(*d) for d in zip({start}, {end}, {stride}))]",
    },
    {
        .name = "pad",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kLow, true}, {AttrKey::kHigh, true}, {AttrKey::kValue}}},
        .infer = InferPad,
        .place = PlacePad,
        .exact = ExactRule::kMax,
        .rank = 43,
        .torch = "torch.nn.functional.pad({0}, {pad_widths}, value={value})",
        .jax = "jax.lax.pad({0}, jnp.array({value}, dtype={dtype}), "
               "list(zip({low}, {high}, [0] * {0}.ndim)))",
        .nvfuser = "fd.ops.pad({0}, {pad_widths}, fd.define_scalar({value}, dtype={dtype}))",
        .tinygrad = "{0}.pad(tuple(zip({low}, {high})), value={value})",
    },
    {
        .name = "cat",
        .form = Form::kMove,
        .max_arity = 8,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferCat,
        .place = PlaceCat,
        .exact = ExactRule::kMax,
        .rank = 43,
        .torch = "torch.cat([{operands}], dim={dim})",
        .jax = "jnp.concatenate([{operands}], axis={dim})",
        .nvfuser = "fd.ops.cat([{operands}], dim={dim})",
        .tinygrad = "Tensor.cat({operands}, dim={dim})",
    },
    {
        .name = "flip",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDims, true}}},
        .infer = InferFlip,
        .place = PlaceFlip,
        .exact = ExactRule::kFirst,
        .rank = 40,
        .torch = "torch.flip({0}, {dims})",
        .jax = "jnp.flip({0}, axis=tuple({dims}))",
        .nvfuser = "-",
        .tinygrad = "{0}.flip({dims})",
    },
    {
        .name = "roll",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kShift, true}, {AttrKey::kDims, true}}},
        .infer = InferRoll,
        .place = PlaceRoll,
        .exact = ExactRule::kFirst,
        .rank = 42,
        .torch = "torch.roll({0}, {shift}, {dims})",
        .jax = "jnp.roll({0}, tuple({shift}), axis=tuple({dims}))",
        .nvfuser = "-",
        .tinygrad = "{0}.roll(tuple({shift}), tuple({dims}))",
    },
    {
        .name = "select",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDim, true}, {AttrKey::kIndex, true}}},
        .infer = InferSelect,
        .place = PlaceSelect,
        .exact = ExactRule::kFirst,
        .rank = 40,
        .torch = "torch.select({0}, {dim}, {index})",
        .jax = "jax.lax.index_in_dim({0}, {index}, axis={dim}, keepdims=False)",
        .nvfuser = "fd.ops.select({0}, fd.define_scalar({index}, dtype=DataType.Int), {dim})",
        .tinygrad = "{0}[(slice(None),) * {dim} + ({index},)]",
    },
    {
        .name = "triu",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDiagonal}}},
        .infer = InferTriu,
        .place = PlaceTriu,
        .exact = ExactRule::kFirst,
        .weight = 4,
        .rank = 44,
        .torch = "torch.triu({0}, {diagonal})",
        .jax = "jnp.triu({0}, k={diagonal})",
        .nvfuser = "fd.ops.triu({0}, {diagonal})",
        .tinygrad = "{0}.triu({diagonal})",
    },
};

}  // namespace seamfuzz::op_rows
