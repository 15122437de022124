// Rows that are defined by a small graph of other ops.
#pragma once

#include "generator/ir/ops_common.h"

namespace seamfuzz::op_rows {

// Adds ops one after another; the first error is kept and every later step does nothing.
class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}
  Operand Add(std::string_view op, std::vector<Operand> operands, Attrs attrs = {}) {
    if (!result_.ok()) return {};  // a literal, which no caller looks into
    const Result<ValueId> added = graph_.Add(op, std::move(operands), std::move(attrs));
    if (!added.ok()) {
      result_ = added.error();
      return {};
    }
    result_ = Operand::Value(*added);
    return *result_;
  }
  const Graph& graph() const { return graph_; }
  Result<Operand> Take() { return std::move(result_); }

 private:
  Graph& graph_;
  Result<Operand> result_ = Operand{};
};
using Values = std::span<const Operand>;

inline Attr ListOf(AttrKey key, IntList list) { return {.key = key, .list = std::move(list)}; }
inline Attr Flag(AttrKey key, bool value) { return {.key = key, .value = I(value)}; }

// a + b * c.
inline Result<Operand> DefineAddcmul(Graph& graph, Values x, const Attrs&) {
  Builder d(graph);
  d.Add("add", {x[0], d.Add("mul", {x[1], x[2]})});
  return d.Take();
}

// PyTorch's formula: a + w (b - a), or b - (b - a) (1 - w) where |w| >= 0.5 (ATen/native/Lerp.h).
inline Result<Operand> DefineLerp(Graph& graph, Values x, const Attrs&) {
  Builder d(graph);
  const Operand& weight = x[2];
  const Operand span = d.Add("sub", {x[1], x[0]});
  const auto near = [&] { return d.Add("add", {x[0], d.Add("mul", {weight, span})}); };
  const auto far = [&](Operand rest) { return d.Add("sub", {x[1], d.Add("mul", {span, rest})}); };
  if (weight.is_literal()) {
    const double w = Convert(weight.literal, weight.literal_dtype, DType::kF64).f;
    std::fabs(w) < 0.5 ? near() : far(Operand::Number(1 - w));
    return d.Take();
  }
  const Operand is_near = d.Add("lt", {d.Add("abs", {weight}), Operand::Number(0.5)});
  const Operand rest = d.Add("sub", {Operand::Integer(1), weight});
  d.Add("where", {is_near, near(), far(rest)});
  return d.Take();
}

// x <= threshold ? value : x.
inline Result<Operand> DefineThreshold(Graph& graph, Values x, const Attrs&) {
  Builder d(graph);
  d.Add("where", {d.Add("le", {x[0], x[1]}), x[2], x[0]});
  return d.Take();
}

// How many elements of `shape` one result of a reduction combines.
inline int64_t ReducedCount(const Shape& shape, const Attrs& attrs) {
  Shape reduced;
  for (int d = 0; d < shape.size(); ++d) {
    if (IsReduced(attrs, d)) reduced.push_back(shape[d]);
  }
  return NumElements(reduced);
}
inline Operand Mean(Builder& d, Operand x, const Attrs& attrs, bool keepdim) {
  const int64_t count = ReducedCount(d.graph().type(x.value).shape, attrs);
  const Operand sum = d.Add(
      "sum", {x},
      {ListOf(AttrKey::kDims, List(attrs, AttrKey::kDims)), Flag(AttrKey::kKeepdim, keepdim)});
  return d.Add("div", {sum, Operand::Integer(count)});
}
inline Result<Operand> DefineMean(Graph& graph, Values x, const Attrs& attrs) {
  Builder d(graph);
  Mean(d, x[0], attrs, BoolAttr(attrs, AttrKey::kKeepdim));
  return d.Take();
}

// Two passes: sum((x - mean)^2) / (count - correction). Columns are empty, since frameworks use
// Welford's recurrence, whose rounding the permitted set of these steps does not cover.
inline Result<Operand> DefineVar(Graph& graph, Values x, const Attrs& attrs) {
  Builder d(graph);
  const int64_t correction = IntAttr(attrs, AttrKey::kCorrection);
  if (correction < 0 || correction > kMaxElements) {
    return Broken("var_correction", fmt::format("a correction of {}", correction));
  }
  const Operand centered = d.Add("sub", {x[0], Mean(d, x[0], attrs, true)});
  const Operand squares = d.Add("mul", {centered, centered});
  const Operand sum = d.Add("sum", {squares},
                            {ListOf(AttrKey::kDims, List(attrs, AttrKey::kDims)),
                             Flag(AttrKey::kKeepdim, BoolAttr(attrs, AttrKey::kKeepdim))});
  const int64_t count = ReducedCount(graph.type(x[0].value).shape, attrs) - correction;
  d.Add("div", {sum, Operand::Integer(std::max<int64_t>(count, 0))});
  return d.Take();
}

inline Result<Operand> DefineSoftmax(Graph& graph, Values x, const Attrs& attrs) {
  Builder d(graph);
  const Attrs along = {ListOf(AttrKey::kDims, {IntAttr(attrs, AttrKey::kDim)}),
                       Flag(AttrKey::kKeepdim, true)};
  const Operand powers = d.Add("exp", {d.Add("sub", {x[0], d.Add("amax", {x[0]}, along)})});
  d.Add("div", {powers, d.Add("sum", {powers}, along)});
  return d.Take();
}

// x * rsqrt(mean(x^2) + eps) over the last dim.
inline Result<Operand> DefineRmsNorm(Graph& graph, Values x, const Attrs& attrs) {
  Builder d(graph);
  const Attrs last = {ListOf(AttrKey::kDims, {graph.type(x[0].value).shape.size() - 1})};
  const Operand mean = Mean(d, d.Add("mul", {x[0], x[0]}), last, true);
  const Operand scale =
      d.Add("rsqrt", {d.Add("add", {mean, Operand::Number(NumberAttr(attrs, AttrKey::kEps))})});
  d.Add("mul", {x[0], scale});
  return d.Take();
}

// torch.nn.functional.linear: x [..., in], weight [out, in], bias [out].
inline Result<Operand> DefineLinear(Graph& graph, Values x, const Attrs&) {
  Builder d(graph);
  const Operand product =
      d.Add("matmul", {x[0], d.Add("permute", {x[1]}, {ListOf(AttrKey::kDims, {1, 0})})});
  if (x.size() == 2) return d.Take();
  const Operand sum = d.Add("add", {product, x[2]});
  if (!sum.is_literal() && graph.type(x[2].value).shape != Shape{graph.type(x[1].value).shape[0]}) {
    return Broken("linear_bias", "the bias is one dim, with an entry for each row of the weight");
  }
  return d.Take();
}

inline constexpr OpRow kCompositeRows[] = {
    {
        .name = "addcmul",
        .form = Form::kComposite,
        .min_arity = 3,
        .max_arity = 3,
        .types = TypeRule::kPromoteNumber,
        .define = DefineAddcmul,
        .weight = 5,
        .rank = 60,
        .torch = "{0} + {1} * {2}",
        .jax = "{t0} + {t1} * {t2}",
        .nvfuser = "fd.ops.add({0}, fd.ops.mul({1}, {2}))",
        .tinygrad = "{t0} + {t1} * {t2}",
    },
    {
        .name = "lerp",
        .form = Form::kComposite,
        .min_arity = 3,
        .max_arity = 3,
        .types = TypeRule::kFloat,
        .define = DefineLerp,
        .weight = 4,
        .rank = 62,
        .torch = "torch.lerp({t0}, {t1}, {t2})",
    },
    {
        .name = "threshold",
        .form = Form::kComposite,
        .min_arity = 3,
        .max_arity = 3,
        .types = TypeRule::kPromoteNumber,
        .define = DefineThreshold,
        .weight = 4,
        .rank = 60,
    },
    {
        .name = "mean",
        .form = Form::kComposite,
        .types = TypeRule::kFloat,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}}},
        .define = DefineMean,
        .weight = 6,
        .rank = 61,
        .torch = "torch.mean({0}, dim={dims}, keepdim={keepdim})",
        .jax = "jnp.mean({0}, axis=tuple({dims}), keepdims={keepdim})",
        .tinygrad = "{0}.mean(tuple({dims}), keepdim={keepdim})",
    },
    {
        .name = "var",
        .form = Form::kComposite,
        .types = TypeRule::kFloat,
        .attrs = {{{AttrKey::kDims}, {AttrKey::kKeepdim}, {AttrKey::kCorrection, false, 1}}},
        .define = DefineVar,
        .weight = 6,
        .rank = 64,
    },
    {
        .name = "softmax",
        .form = Form::kComposite,
        .types = TypeRule::kFloat,
        .attrs = {{{AttrKey::kDim, true}}},
        .define = DefineSoftmax,
        .weight = 6,
        .rank = 63,
        .torch = "torch.softmax({0}, dim={dim})",
        .jax = "jax.nn.softmax({0}, axis={dim})",
        .tinygrad = "{0}.softmax({dim})",
    },
    {
        .name = "rms_norm",
        .form = Form::kComposite,
        .types = TypeRule::kFloat,
        .attrs = {{{AttrKey::kEps, false, 1e-5}}},
        .define = DefineRmsNorm,
        .weight = 4,
        .rank = 65,
    },
    {
        .name = "linear",
        .form = Form::kComposite,
        .min_arity = 2,
        .max_arity = 3,
        .types = TypeRule::kMatmul,
        .define = DefineLinear,
        .weight = 5,
        .rank = 71,
        .torch = "torch.nn.functional.linear({operands})",
        .nvfuser = "fd.ops.linear({operands})",
    },
};

}  // namespace seamfuzz::op_rows
