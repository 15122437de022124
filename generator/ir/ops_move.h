// Rows whose result is made of operand elements at other places, or of a fill.
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

inline Result<Shape> InferBroadcastInDim(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& to = List(attrs, AttrKey::kShape);
  const IntList& dims = List(attrs, AttrKey::kDims);
  if (dims.size() != from.size() || !AreDims(dims, to.size()) ||
      !std::is_sorted(dims.begin(), dims.end())) {
    return Broken("broadcast_dims",
                  fmt::format("dims {} do not name, in rising order, where each of {} goes in {}",
                              dims.Text(), from.Text(), to.Text()));
  }
  for (int d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[dims[d]]) {
      return Broken("broadcast_extent",
                    fmt::format("extent {} does not broadcast to {}", from[d], to[dims[d]]));
    }
  }
  return to;
}
inline Place PlaceBroadcastInDim(const IntList& index, Types operands, const TensorType&,
                                 const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  Place place;
  for (int d = 0; d < dims.size(); ++d) {
    place.index.push_back(operands[0].shape[d] == 1 ? 0 : index[dims[d]]);
  }
  return place;
}

// nvFuser's expand keeps the rank; broadcast_in_dim adds dims.
inline Result<Shape> InferExpand(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& to = List(attrs, AttrKey::kShape);
  if (from.size() != to.size()) {
    return Broken("expand_shape",
                  fmt::format("expand keeps the rank: {} to {}", from.Text(), to.Text()));
  }
  for (int d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[d]) {
      return Broken("expand_shape",
                    fmt::format("{} does not expand to {}", from.Text(), to.Text()));
    }
  }
  return to;
}
inline Place PlaceExpand(const IntList& index, Types operands, const TensorType&, const Attrs&) {
  Place place;
  for (int d = 0; d < index.size(); ++d) {
    place.index.push_back(operands[0].shape[d] == 1 ? 0 : index[d]);
  }
  return place;
}

inline Result<Shape> InferReshape(Types operands, const Attrs& attrs) {
  const IntList& to = List(attrs, AttrKey::kShape);
  if (NumElements(operands[0].shape) != NumElements(to)) {
    return Broken("reshape_elements", fmt::format("{} and {} differ in number of elements",
                                                  operands[0].shape.Text(), to.Text()));
  }
  return to;
}
inline Place PlaceReshape(const IntList& index, Types operands, const TensorType& result,
                          const Attrs&) {
  return {.index = Unravel(Ravel(index, result.shape), operands[0].shape)};
}

inline Result<Shape> InferPermute(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& dims = List(attrs, AttrKey::kDims);
  if (dims.size() != from.size() || !AreDims(dims, from.size())) {
    return Broken("permute_dims",
                  fmt::format("{} is no order of {} dims", dims.Text(), from.size()));
  }
  Shape to;
  for (int64_t d : dims) to.push_back(from[d]);
  return to;
}
inline Place PlacePermute(const IntList& index, Types, const TensorType&, const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  Place place{.index = index};
  for (int d = 0; d < dims.size(); ++d) place.index[dims[d]] = index[d];
  return place;
}

inline Result<Shape> InferSqueeze(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& dims = List(attrs, AttrKey::kDims);
  bool fits = AreDims(dims, from.size());
  for (int i = 0; fits && i < dims.size(); ++i) fits = from[dims[i]] == 1;
  if (!fits) {
    return Broken("squeeze_dims",
                  fmt::format("{} are not all dims of extent 1 of {}", dims.Text(), from.Text()));
  }
  Shape to;
  for (int d = 0; d < from.size(); ++d) {
    if (!dims.contains(d)) to.push_back(from[d]);
  }
  return to;
}
inline Place PlaceSqueeze(const IntList& index, Types operands, const TensorType&,
                          const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  Place place;
  int next = 0;
  for (int d = 0; d < operands[0].shape.size(); ++d) {
    place.index.push_back(dims.contains(d) ? 0 : index[next++]);
  }
  return place;
}

// `dims` are dims of the result.
inline Result<Shape> InferUnsqueeze(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& dims = List(attrs, AttrKey::kDims);
  const int rank = from.size() + dims.size();
  if (rank > kMaxRank || !AreDims(dims, rank)) {
    return Broken("unsqueeze_dims",
                  fmt::format("{} are not dims of a result of rank {}", dims.Text(), rank));
  }
  Shape to;
  int next = 0;
  for (int d = 0; d < rank; ++d) to.push_back(dims.contains(d) ? 1 : from[next++]);
  return to;
}
inline Place PlaceUnsqueeze(const IntList& index, Types, const TensorType&, const Attrs& attrs) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  Place place;
  for (int d = 0; d < index.size(); ++d) {
    if (!dims.contains(d)) place.index.push_back(index[d]);
  }
  return place;
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
        .name = "broadcast_in_dim",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kShape, true}, {AttrKey::kDims, true}}},
        .infer = InferBroadcastInDim,
        .place = PlaceBroadcastInDim,
        .exact = ExactRule::kFirst,
        .weight = 16,
        .rank = 42,
        .torch = "torch.ops.prims.broadcast_in_dim({0}, {shape}, {dims})",
        .jax = "jax.lax.broadcast_in_dim({0}, {shape}, {dims})",
        .nvfuser = "fd.ops.broadcast_in_dim({0}, shape={shape}, broadcast_dims={dims})",
        .tinygrad = "{0}.reshape([{0}.shape[{dims}.index(d)] if d in {dims} else 1 for d in "
                    "range(len({shape}))]).expand({shape})",
    },
    {
        .name = "expand",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kShape, true}}},
        .infer = InferExpand,
        .place = PlaceExpand,
        .exact = ExactRule::kFirst,
        .rank = 40,
        .torch = "{0}.expand({shape})",
        .jax = "jnp.broadcast_to({0}, {shape})",
        .nvfuser = "fd.ops.expand({0}, {shape})",
        .tinygrad = "{0}.expand({shape})",
    },
    {
        .name = "reshape",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kShape, true}}},
        .infer = InferReshape,
        .place = PlaceReshape,
        .exact = ExactRule::kFirst,
        .rank = 41,
        .torch = "torch.reshape({0}, {shape})",
        .jax = "jnp.reshape({0}, {shape})",
        .nvfuser = "fd.ops.reshape({0}, {shape})",
        .tinygrad = "{0}.reshape({shape})",
    },
    {
        .name = "permute",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDims, true}}},
        .infer = InferPermute,
        .place = PlacePermute,
        .exact = ExactRule::kFirst,
        .weight = 14,
        .rank = 40,
        .torch = "torch.permute({0}, {dims})",
        .jax = "jnp.transpose({0}, {dims})",
        .nvfuser = "fd.ops.permute({0}, {dims})",
        .tinygrad = "{0}.permute({dims})",
    },
    {
        .name = "squeeze",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDims, true}}},
        .infer = InferSqueeze,
        .place = PlaceSqueeze,
        .exact = ExactRule::kFirst,
        .rank = 39,
        .torch = "torch.reshape({0}, {shape})",
        .jax = "jnp.squeeze({0}, axis=tuple({dims}))",
        .nvfuser = "fd.ops.squeeze({0}, {dims})",
        .tinygrad = "{0}.reshape({shape})",
    },
    {
        .name = "unsqueeze",
        .form = Form::kMove,
        .types = TypeRule::kSame,
        .attrs = {{{AttrKey::kDims, true}}},
        .infer = InferUnsqueeze,
        .place = PlaceUnsqueeze,
        .exact = ExactRule::kFirst,
        .rank = 39,
        .torch = "torch.reshape({0}, {shape})",
        .jax = "jnp.expand_dims({0}, tuple({dims}))",
        .nvfuser = "fd.ops.broadcast_in_dim({0}, shape={shape}, broadcast_dims={kept})",
        .tinygrad = "{0}.reshape({shape})",
    },
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
        .jax = "jnp.pad({0}, list(zip({low}, {high})), constant_values={value})",
        .nvfuser = "fd.ops.pad({0}, {pad_widths}, {value})",
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
        .nvfuser = "fd.ops.select({0}, {index}, {dim})",
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
