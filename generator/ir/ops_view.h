// Move rows that keep or repeat every element: broadcasts, reshape, permute, squeeze, unsqueeze.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

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

inline constexpr OpRow kViewRows[] = {
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
        .torch = "{0}.reshape({spread}).expand({shape})",
        .jax = "jax.lax.broadcast_in_dim({0}, {shape}, {dims})",
        .nvfuser = "fd.ops.broadcast_in_dim({0}, shape={shape}, broadcast_dims={dims})",
        .tinygrad = "{0}.reshape({spread}).expand({shape})",
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
};

}  // namespace seamfuzz::op_rows
