// Rows that copy and convert. Their positions are constants of op.h; op.cc asserts them.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

inline constexpr OpRow kCopyRows[] = {
    {
        .name = "segment_set",
        .types = TypeRule::kSame,
        .evaluate = [](Operands x, DType) { return x[0]; },
        .exact = ExactRule::kFirst,
        .weight = 0,
        .rank = 3,
        .cuda = "{0}",
        .torch = "{0}",
        .jax = "{0}",
        .nvfuser = "fd.ops.segment_set({0})",
        .tinygrad = "{0}",
    },
    {
        .name = "cast",
        .types = TypeRule::kCast,
        .attrs = {{{AttrKey::kDType, true}}},
        .evaluate = [](Operands x, DType) { return x[0]; },
        .exact = ExactRule::kFirst,
        .rank = 6,
        .cuda = "{0}",
        .torch = "{0}.to({dtype})",
        .jax = "{0}.astype({dtype})",
        .nvfuser = "fd.ops.cast({0}, dtype={dtype})",
        .tinygrad = "{0}.cast({dtype})",
    },
    {
        .name = "set",
        .types = TypeRule::kSame,
        .evaluate = [](Operands x, DType) { return x[0]; },
        .exact = ExactRule::kFirst,
        .rank = 4,
        .cuda = "{0}",
        .torch = "torch.clone({0})",
        .jax = "jnp.copy({0})",
        .nvfuser = "fd.ops.set({0})",
        .tinygrad = "{0}.clone()",
    },
    {
        .name = "clone",
        .types = TypeRule::kSame,
        .evaluate = [](Operands x, DType) { return x[0]; },
        .exact = ExactRule::kFirst,
        .rank = 5,
        .cuda = "{0}",
        .torch = "torch.clone({0})",
        .jax = "jnp.copy({0})",
        .nvfuser = "fd.ops.set({0})",
        .tinygrad = "{0}.clone()",
    },
};

}  // namespace seamfuzz::op_rows
