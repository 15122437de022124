// Rows whose place depends on data: the gather family reads, the scatter family writes into a copy
// of operand 0.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

inline IntList ReplaceDim(const IntList& at, int64_t value, const Attrs& attrs) {
  IntList index = at;
  index[Dim(attrs)] = value;
  return index;
}
inline IntList WithoutLast(const IntList& at) {
  IntList index = at;
  index.erase(index.size() - 1);
  return index;
}

inline Status CheckIndexDim(Types operands, const Attrs& attrs) {
  const int64_t dim = IntAttr(attrs, AttrKey::kDim);
  if (IsDim(dim, operands[0].shape.size())) return Done{};
  return Broken("index_dim", fmt::format("no dim {} in {}", dim, operands[0].shape.Text()));
}

inline Result<Shape> InferIndexSelect(Types operands, const Attrs& attrs) {
  const Status dim = CheckIndexDim(operands, attrs);
  if (!dim.ok()) return dim.error();
  if (operands[1].shape.size() != 1) {
    return Broken("index_rank", "indices are one dim, not shape " + operands[1].shape.Text());
  }
  Shape to = operands[0].shape;
  to[Dim(attrs)] = operands[1].shape[0];
  return to;
}

// torch.gather's rule: index.size(d) <= input.size(d) for all d != dim.
inline Result<Shape> InferGather(Types operands, const Attrs& attrs) {
  const Status dim = CheckIndexDim(operands, attrs);
  if (!dim.ok()) return dim.error();
  const Shape& from = operands[0].shape;
  const Shape& index = operands[1].shape;
  bool fits = from.size() == index.size();
  for (int d = 0; fits && d < from.size(); ++d) fits = d == Dim(attrs) || index[d] <= from[d];
  if (!fits) {
    return Broken("index_shape", fmt::format("indices {} do not fit {} beside dim {}", index.Text(),
                                             from.Text(), Dim(attrs)));
  }
  return index;
}

inline Result<Shape> InferEmbedding(Types operands, const Attrs&) {
  if (operands[0].shape.size() != 2) {
    return Broken("embedding_rank", "the table is a matrix, not shape " + operands[0].shape.Text());
  }
  Shape to = operands[1].shape;
  if (to.full()) return Broken("rank_limit", "the result has too many dims");
  to.push_back(operands[0].shape[1]);
  return to;
}

// As gather, with a source for each index. Of sources with the same place any may win.
inline Result<Shape> InferScatter(Types operands, const Attrs& attrs) {
  const Result<Shape> index = InferGather(operands, attrs);
  if (!index.ok()) return index.error();
  if (operands[2].shape != operands[1].shape) {
    return Broken("scatter_source",
                  fmt::format("the source {} has not the shape of the indices {}",
                              operands[2].shape.Text(), operands[1].shape.Text()));
  }
  return operands[0].shape;
}

inline constexpr OpRow kIndexRows[] = {
    {
        .name = "index_select",
        .form = Form::kIndex,
        .min_arity = 2,
        .max_arity = 2,
        .types = TypeRule::kIndexed,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferIndexSelect,
        .index_operand = 1,
        .index_at = [](const IntList& at, const Attrs& attrs) { return IntList{at[Dim(attrs)]}; },
        .resolve = ReplaceDim,
        .exact = ExactRule::kFirst,
        .rank = 50,
        .torch = "torch.index_select({0}, {dim}, {1})",
        .jax = "jnp.take({0}, {1}, axis={dim})",
        .nvfuser = "fd.ops.index_select({0}, {1}, {dim})",
        .tinygrad = "{0}[(slice(None),) * {dim} + ({1},)]",
    },
    {
        .name = "gather",
        .form = Form::kIndex,
        .min_arity = 2,
        .max_arity = 2,
        .types = TypeRule::kIndexed,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferGather,
        .index_operand = 1,
        .index_at = [](const IntList& at, const Attrs&) { return at; },
        .resolve = ReplaceDim,
        .exact = ExactRule::kFirst,
        .rank = 51,
        .torch = "torch.gather({0}, {dim}, {1}.long())",
        .jax = "jnp.take_along_axis({0}[tuple(slice(None) if d == {dim} else slice(n) for d, n in "
               "enumerate({1}.shape))], {1}, axis={dim})",
        .nvfuser = "fd.ops.gather({0}, {1}, {dim})",
        .tinygrad = "{0}.gather({dim}, {1})",
    },
    {
        .name = "embedding",
        .form = Form::kIndex,
        .min_arity = 2,
        .max_arity = 2,
        .types = TypeRule::kIndexed,
        .infer = InferEmbedding,
        .index_operand = 1,
        .index_at = [](const IntList& at, const Attrs&) { return WithoutLast(at); },
        .resolve =
            [](const IntList& at, int64_t value, const Attrs&) {
              return IntList{value, at[at.size() - 1]};
            },
        .exact = ExactRule::kFirst,
        .weight = 5,
        .rank = 52,
        .torch = "torch.nn.functional.embedding({1}, {0})",
        .jax = "jnp.take({0}, {1}, axis=0)",
        .nvfuser = "fd.ops.embedding_fwd({1}, {0})",
        .tinygrad = "{0}[{1}]",
    },
    {
        .name = "scatter",
        .form = Form::kIndex,
        .min_arity = 3,
        .max_arity = 3,
        .types = TypeRule::kIndexed,
        .attrs = {{{AttrKey::kDim, true}}},
        .infer = InferScatter,
        .index_operand = 1,
        .scatters = true,
        .index_at = [](const IntList& at, const Attrs&) { return at; },
        .resolve = ReplaceDim,
        .exact = ExactRule::kMax,
        .weight = 14,
        .rank = 53,
        .torch = "torch.scatter({0}, {dim}, {1}.long(), {2})",
        .jax = "{0}.at[tuple({1} if d == {dim} else a for d, a in enumerate(jnp.indices({1}.shape, "
               "sparse=True)))].set({2})",
        .nvfuser = "fd.ops.scatter({0}, {1}, {2}, {dim})",
        .tinygrad = "{0}.scatter({dim}, {1}, {2})",
    },
};

}  // namespace seamfuzz::op_rows
