// Rows without tensor operands, and `input`, which Graph::AddInput adds.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

inline Result<Shape> InferFull(Types, const Attrs& attrs) { return List(attrs, AttrKey::kShape); }

inline Result<Shape> InferIota(Types, const Attrs& attrs) {
  const IntList& shape = List(attrs, AttrKey::kShape);
  if (shape.size() != 1) {
    return Broken("iota_shape", "iota makes one dim, not shape " + shape.Text());
  }
  const double first = NumberAttr(attrs, AttrKey::kValue);
  if (!(std::fabs(first) < 9007199254740992.0) || first != std::trunc(first)) {
    return Broken("iota_value", fmt::format("iota starts at an integer, not {}", first));
  }
  return shape;
}

inline constexpr OpRow kInputRow = {
    .name = "input",
    .form = Form::kSource,
    .min_arity = 0,
    .max_arity = 0,
    .types = TypeRule::kCast,
    .weight = 0,
    .rank = 0,
};

inline constexpr OpRow kSourceRows[] = {
    {
        .name = "full",
        .form = Form::kSource,
        .min_arity = 0,
        .max_arity = 0,
        .types = TypeRule::kCast,
        .attrs = {{{AttrKey::kShape, true}, {AttrKey::kValue, true}, {AttrKey::kDType, true}}},
        .infer = InferFull,
        .generate =
            [](int64_t, const TensorType& type, const Attrs& attrs) {
              return Convert(F(NumberAttr(attrs, AttrKey::kValue)), DType::kF64, type.dtype);
            },
        .exact = ExactRule::kCount,
        .weight = 4,
        .rank = 1,
        .torch = "torch.full({shape}, {value}, dtype={dtype}, device=device)",
        .jax = "jnp.full({shape}, {value}, dtype={dtype})",
        .nvfuser = "fd.ops.full(shape={shape}, fill_value={value}, dtype={dtype})",
        .tinygrad = "Tensor.full({shape}, {value}, dtype={dtype})",
    },
    {
        .name = "iota",
        .form = Form::kSource,
        .min_arity = 0,
        .max_arity = 0,
        .types = TypeRule::kCast,
        .attrs = {{{AttrKey::kShape, true},
                   {AttrKey::kValue, false, 0},
                   {AttrKey::kStep, false, 1},
                   {AttrKey::kDType, true}}},
        .infer = InferIota,
        .generate =
            [](int64_t position, const TensorType& type, const Attrs& attrs) {
              const auto first = static_cast<int64_t>(NumberAttr(attrs, AttrKey::kValue));
              const auto step = static_cast<uint64_t>(IntAttr(attrs, AttrKey::kStep));
              return Convert(
                  U(static_cast<uint64_t>(first) + step * static_cast<uint64_t>(position)),
                  DType::kI64, type.dtype);
            },
        .exact = ExactRule::kCount,
        .weight = 4,
        .rank = 2,
        .torch = "(int({value}) + {step} * torch.arange({shape}[0], device=device)).to({dtype})",
        .jax = "(int({value}) + {step} * jnp.arange({shape}[0])).astype({dtype})",
        .nvfuser = "fd.ops.cast(fd.ops.iota({shape}[0], int({value}), {step}, dtype=DataType.Int), "
                   "dtype={dtype})",
        .tinygrad = "(int({value}) + {step} * Tensor.arange({shape}[0])).cast({dtype})",
    },
};

}  // namespace seamfuzz::op_rows
