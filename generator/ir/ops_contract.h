// Rows that sum products over a shared dim.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

// torch.matmul: vectors are padded to matrices and the padding taken off; leading dims broadcast.
inline Result<Shape> InferMatmul(Types operands, const Attrs&) {
  const Shape& a = operands[0].shape;
  const Shape& b = operands[1].shape;
  if (a.empty() || b.empty()) return Broken("matmul_rank", "matmul needs at least one dim");
  const int64_t inner_a = a[a.size() - 1];
  const int64_t inner_b = b[b.size() == 1 ? 0 : b.size() - 2];
  if (inner_a != inner_b) {
    return Broken("matmul_inner", fmt::format("{} and {} share no inner dim", a.Text(), b.Text()));
  }
  Shape batch_a;
  Shape batch_b;
  for (int d = 0; d + 2 < a.size(); ++d) batch_a.push_back(a[d]);
  for (int d = 0; d + 2 < b.size(); ++d) batch_b.push_back(b[d]);
  const Shape* const batches[] = {&batch_a, &batch_b};
  Result<Shape> to = BroadcastShapes(batches);
  if (!to.ok()) return to;
  if (a.size() > 1) to->push_back(a[a.size() - 2]);
  if (b.size() > 1) to->push_back(b[b.size() - 1]);
  return to;
}

inline constexpr OpRow kContractRows[] = {
    {
        .name = "matmul",
        .form = Form::kContract,
        .min_arity = 2,
        .max_arity = 2,
        .types = TypeRule::kMatmul,
        .infer = InferMatmul,
        .exact = ExactRule::kContract,
        .weight = 12,
        .rank = 70,
        .torch = "torch.matmul({0}, {1})",
        .jax = "jnp.matmul({0}, {1}, precision='highest')",
        .nvfuser = "fd.ops.matmul({0}, {1})",
        .tinygrad = "{0}.matmul({1})",
    },
};

}  // namespace seamfuzz::op_rows
