// Rows that combine along dims: Reduce and Scan.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

inline Scalar Lowest(DType dtype) {
  if (IsFloat(dtype)) return F(-std::numeric_limits<double>::infinity());
  return U(~uint64_t{0} << Row(dtype).digits);
}
inline Scalar Highest(DType dtype) {
  if (IsFloat(dtype)) return F(std::numeric_limits<double>::infinity());
  return U((uint64_t{1} << Row(dtype).digits) - 1);
}

// Reducing no elements has no largest one, in every framework.
inline Result<Shape> InferExtreme(Types operands, const Attrs& attrs) {
  const Shape& shape = operands[0].shape;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && IsReduced(attrs, d)) {
      return Broken("reduce_empty", fmt::format("dim {} has no elements", d));
    }
  }
  return InferReduce(operands, attrs);
}

inline constexpr OpRow kReduceRows[] = {
    {
        .name = "sum",
        .form = Form::kReduce,
        .types = TypeRule::kSum,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .infer = InferReduce,
        .identity = [](DType t) { return IsFloat(t) ? F(0) : I(0); },
        .combine = Plus,
        .exact = ExactRule::kCountTimesMax,
        .weight = 16,
        .rank = 30,
        .cuda = "sf_add({0}, {1})",
        .torch = "torch.sum({0}, dim={dims}, keepdim={keepdim}, dtype={dtype})",
        .jax = "jnp.sum({0}, axis=tuple({dims}), keepdims={keepdim}, dtype={dtype})",
        .nvfuser = "fd.ops.sum({0}, dims={dims}, keepdim={keepdim}, dtype={dtype})",
        .tinygrad = "{0}.sum(tuple({dims}), keepdim={keepdim}, dtype={dtype})",
    },
    {
        .name = "prod",
        .form = Form::kReduce,
        .types = TypeRule::kSum,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .infer = InferReduce,
        .identity = [](DType t) { return IsFloat(t) ? F(1) : I(1); },
        .combine = Times,
        .exact = ExactRule::kNever,
        .weight = 5,
        .rank = 31,
        .cuda = "sf_mul({0}, {1})",
        .torch = "torch._refs.prod({0}, {dims}, {keepdim}, dtype={dtype})",
        .jax = "jnp.prod({0}, axis=tuple({dims}), keepdims={keepdim}, dtype={dtype})",
        .nvfuser = "fd.ops.prod({0}, dims={dims}, keepdim={keepdim}, dtype={dtype})",
        .tinygrad = "{0}.prod(tuple({dims}), keepdim={keepdim}, dtype={dtype})",
    },
    {
        .name = "amax",
        .form = Form::kReduce,
        .types = TypeRule::kPromoteNumber,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .infer = InferExtreme,
        .identity = Lowest,
        .combine = Larger,
        .exact = ExactRule::kFirst,
        .rank = 30,
        .cuda = "sf_max({0}, {1})",
        .torch = "torch.amax({0}, dim={dims}, keepdim={keepdim})",
        .jax = "jnp.max({0}, axis=tuple({dims}), keepdims={keepdim})",
        .nvfuser = "fd.ops.max({0}, dims={dims}, keepdim={keepdim})",
        .tinygrad = "{0}.max(tuple({dims}), keepdim={keepdim})",
    },
    {
        .name = "amin",
        .form = Form::kReduce,
        .types = TypeRule::kPromoteNumber,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .infer = InferExtreme,
        .identity = Highest,
        .combine = Smaller,
        .exact = ExactRule::kFirst,
        .rank = 30,
        .cuda = "sf_min({0}, {1})",
        .torch = "torch.amin({0}, dim={dims}, keepdim={keepdim})",
        .jax = "jnp.min({0}, axis=tuple({dims}), keepdims={keepdim})",
        .nvfuser = "fd.ops.min({0}, dims={dims}, keepdim={keepdim})",
        .tinygrad = "{0}.min(tuple({dims}), keepdim={keepdim})",
    },
    {
        .name = "any",
        .form = Form::kReduce,
        .types = TypeRule::kLogical,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .infer = InferReduce,
        .identity = [](DType) { return I(0); },
        .combine = [](Scalar a, Scalar b, DType) { return I(a.i | b.i); },
        .monotone = Monotone::kStep,
        .exact = ExactRule::kOne,
        .weight = 4,
        .rank = 32,
        .cuda = "({0} || {1})",
        .torch = "torch.any({0}, dim={dims}, keepdim={keepdim})",
        .jax = "jnp.any({0}, axis=tuple({dims}), keepdims={keepdim})",
        .nvfuser = "fd.ops.ne(fd.ops.sum(fd.ops.cast(fd.ops.ne({0}, 0), dtype=DataType.Int), "
                   "dims={dims}, keepdim={keepdim}), 0)",
        .tinygrad = "{0}.any(tuple({dims}), keepdim={keepdim})",
    },
    {
        .name = "all",
        .form = Form::kReduce,
        .types = TypeRule::kLogical,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .infer = InferReduce,
        .identity = [](DType) { return I(1); },
        .combine = [](Scalar a, Scalar b, DType) { return I(a.i & b.i); },
        .monotone = Monotone::kStep,
        .exact = ExactRule::kOne,
        .weight = 4,
        .rank = 32,
        .cuda = "({0} && {1})",
        .torch = "torch.all({0}, dim={dims}, keepdim={keepdim})",
        .jax = "jnp.all({0}, axis=tuple({dims}), keepdims={keepdim})",
        .nvfuser = "fd.ops.eq(fd.ops.sum(fd.ops.cast(fd.ops.eq({0}, 0), dtype=DataType.Int), "
                   "dims={dims}, keepdim={keepdim}), 0)",
        .tinygrad = "{0}.all(tuple({dims}), keepdim={keepdim})",
    },
};

inline constexpr OpRow kScanRows[] = {
    {
        .name = "cumsum",
        .form = Form::kScan,
        .types = TypeRule::kSum,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferScan,
        .identity = [](DType t) { return IsFloat(t) ? F(0) : I(0); },
        .combine = Plus,
        .exact = ExactRule::kCountTimesMax,
        .rank = 33,
        .cuda = "sf_add({0}, {1})",
        .torch = "torch.cumsum({0}, dim={dim}, dtype={dtype})",
        .jax = "jnp.cumsum({0}, axis={dim}, dtype={dtype})",
        .nvfuser = "fd.ops.cumsum({0}, {dim})",
        .tinygrad = "{0}.cast({dtype}).cumsum({dim})",
    },
    {
        .name = "cumprod",
        .form = Form::kScan,
        .types = TypeRule::kSum,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferScan,
        .identity = [](DType t) { return IsFloat(t) ? F(1) : I(1); },
        .combine = Times,
        .exact = ExactRule::kNever,
        .weight = 4,
        .rank = 34,
        .cuda = "sf_mul({0}, {1})",
        .torch = "torch.cumprod({0}, dim={dim}, dtype={dtype})",
        .jax = "jnp.cumprod({0}, axis={dim}, dtype={dtype})",
        .nvfuser = "fd.ops.cumprod({0}, {dim})",
        .tinygrad = "{0}.cast({dtype}).cumprod({dim})",
    },
    {
        .name = "cummax",
        .form = Form::kScan,
        .types = TypeRule::kPromoteNumber,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferScan,
        .identity = Lowest,
        .combine = Larger,
        .exact = ExactRule::kFirst,
        .weight = 6,
        .rank = 33,
        .cuda = "sf_max({0}, {1})",
        .torch = "torch.cummax({0}, dim={dim}).values",
        .jax = "jax.lax.cummax({0}, axis={dim})",
        .nvfuser = "fd.ops.cummax({0}, {dim})",
        .tinygrad = "-",
    },
    {
        .name = "cummin",
        .form = Form::kScan,
        .types = TypeRule::kPromoteNumber,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferScan,
        .identity = Highest,
        .combine = Smaller,
        .exact = ExactRule::kFirst,
        .weight = 6,
        .rank = 33,
        .cuda = "sf_min({0}, {1})",
        .torch = "torch.cummin({0}, dim={dim}).values",
        .jax = "jax.lax.cummin({0}, axis={dim})",
        .nvfuser = "fd.ops.cummin({0}, {dim})",
        .tinygrad = "-",
    },
};

}  // namespace seamfuzz::op_rows
