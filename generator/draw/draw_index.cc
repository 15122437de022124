// Index operands are inputs with literal data, or integers clamped into range.
#include "generator/draw/draw_index.h"

#include <algorithm>
#include <vector>

#include "generator/draw/draw_ops.h"

namespace seamfuzz {
namespace {

// An Index op of the configuration, by weight.
template <typename Accepts>
const OpTraits* DrawTraits(Drawing& d, const Accepts& accepts) {
  const OpSpan span = DrawnOpsOfForm()[static_cast<int>(Form::kIndex)];
  std::vector<int> weights;
  int sum = 0;
  for (int i = span.begin; i < span.end; ++i) {
    const OpTraits& traits = DrawnOps()[i];
    weights.push_back(d.Takes(traits.op) && accepts(traits) ? traits.weight : 0);
    sum += weights.back();
  }
  return sum == 0 ? nullptr : &DrawnOps()[span.begin + d.choices().Weighted(weights)];
}

// Where an Index op reads or writes: along `dim`, `index_shape` many indices, `value_shape` what
// they move.
struct IndexPlan {
  int dim = 0;
  int64_t extent = 0;
  Shape index_shape;
  Shape value_shape;
};

// nullopt where there is nothing to index.
std::optional<IndexPlan> DrawPlan(Drawing& d, const OpTraits& traits, const Shape& base,
                                  bool repeat) {
  Choices& choices = d.choices();
  const int rank = base.size();
  if (rank < traits.min_rank || rank > traits.max_rank || NumElements(base) == 0)
    return std::nullopt;
  IndexPlan plan;
  plan.dim = traits.operands == OperandShapes::kTableIndex ? 0 : choices.Below(rank);
  plan.extent = base[plan.dim];
  const int64_t others = NumElements(base) / plan.extent;
  const bool scatters = Row(traits.op).scatters;
  int64_t longest = std::max<int64_t>(d.swarm().max_elements / others, 1);
  if (scatters && !repeat) longest = std::min(longest, plan.extent);
  const int64_t count =
      choices.Between(1, static_cast<int>(std::min<int64_t>({longest, plan.extent + 2, 64})));
  plan.value_shape = base;
  plan.value_shape[plan.dim] = count;
  plan.index_shape = {count};
  if (traits.operands == OperandShapes::kSameIndex) {
    for (int e = 0; e < rank; ++e) {
      int64_t& extent = plan.value_shape[e];
      if (e != plan.dim && extent > 1 && choices.OneIn(4))
        extent = choices.Between(1, static_cast<int>(extent));
    }
    plan.index_shape = plan.value_shape;
  }
  return plan;
}

ValueId DrawIndices(Drawing& d, const IndexPlan& plan, bool repeat) {
  const int dim = plan.index_shape.size() > 1 ? plan.dim : 0;
  if (repeat && d.choices().OneIn(3)) {
    const ValueId v = d.Pick([&](ValueId candidate) {
      const TensorType& type = d.type(candidate);
      return (type.dtype == DType::kI32 || type.dtype == DType::kI64) &&
             type.shape == plan.index_shape;
    });
    if (v != kNoValue) {
      const std::optional<ValueId> in_range = d.Clamp(v, {0, static_cast<double>(plan.extent - 1)});
      if (in_range) return *in_range;
    }
  }
  return d.IndexInput(plan.index_shape, dim, plan.extent, repeat);
}

Attrs AttrsOf(const OpTraits& traits, const IndexPlan& plan) {
  if (traits.operands == OperandShapes::kTableIndex) return {};
  return {{.key = AttrKey::kDim, .value = IntScalar(plan.dim)}};
}

std::optional<ValueId> AddRead(Drawing& d, const OpTraits& traits, const IndexPlan& plan,
                               ValueId base, ValueId index) {
  return d.TryAdd(traits.op, {Operand::Value(base), Operand::Value(index)}, AttrsOf(traits, plan));
}

std::optional<ValueId> AddScatter(Drawing& d, const OpTraits& traits, const IndexPlan& plan,
                                  ValueId base, ValueId index, ValueId source) {
  return d.TryAdd(traits.op, {Operand::Value(base), Operand::Value(index), Operand::Value(source)},
                  AttrsOf(traits, plan));
}

// What a scatter writes: something that is there, made to fit, or a fresh input.
ValueId DrawSource(Drawing& d, ValueId base, const Shape& shape) {
  const DType dtype = d.type(base).dtype;
  const ValueId near = d.Pick([&](ValueId v) { return v != base && d.type(v).dtype == dtype; });
  if (near != kNoValue && !d.choices().OneIn(3)) {
    const std::optional<ValueId> fitted = Fit(d, near, {dtype, shape});
    if (fitted) return d.MaybeCut(*fitted);
  }
  return d.Input({dtype, shape});
}

std::optional<ValueId> DrawScatterWith(Drawing& d, const OpTraits& traits, ValueId base) {
  // Distinct indices have one answer; with repetition any of the values written is right.
  const bool repeat = d.choices().OneIn(6);
  const std::optional<IndexPlan> plan = DrawPlan(d, traits, d.type(base).shape, repeat);
  if (!plan) return std::nullopt;
  const ValueId source = DrawSource(d, base, plan->value_shape);
  return AddScatter(d, traits, *plan, base, DrawIndices(d, *plan, repeat), source);
}

}  // namespace

std::optional<ValueId> DrawIndexOp(Drawing& d, const OpTraits& traits, ValueId first) {
  const auto fits = [&](ValueId v) {
    const Shape& shape = d.type(v).shape;
    return shape.size() >= traits.min_rank && shape.size() <= traits.max_rank &&
           NumElements(shape) > 0;
  };
  if (first == kNoValue) {
    first = d.Pick(fits);
    if (first == kNoValue || d.choices().OneIn(6)) {
      const int rank = std::max(traits.min_rank, 1);
      if (rank > d.config().max_rank) return std::nullopt;
      first = d.Input({d.DrawDType(), DrawShape(d.choices(), rank, d.swarm().max_elements / 3,
                                                d.swarm().max_elements, false)});
    }
    first = d.MaybeCut(first);
  }
  if (!fits(first)) return std::nullopt;
  if (Row(traits.op).scatters) return DrawScatterWith(d, traits, first);
  const bool repeat = d.choices().OneIn(2);
  const std::optional<IndexPlan> plan = DrawPlan(d, traits, d.type(first).shape, repeat);
  if (!plan) return std::nullopt;
  return AddRead(d, traits, *plan, first, DrawIndices(d, *plan, repeat));
}

std::optional<ValueId> DrawScatter(Drawing& d, ValueId base) {
  const OpTraits* traits = DrawTraits(d, [](const OpTraits& t) { return Row(t.op).scatters; });
  return traits == nullptr ? std::nullopt : DrawScatterWith(d, *traits, base);
}

std::optional<ValueId> DrawRepeatedScatter(Drawing& d, ValueId base) {
  const OpTraits* scatter = DrawTraits(d, [](const OpTraits& t) { return Row(t.op).scatters; });
  if (scatter == nullptr) return std::nullopt;
  const OpTraits* gather = DrawTraits(
      d, [&](const OpTraits& t) { return !Row(t.op).scatters && t.operands == scatter->operands; });
  if (gather == nullptr) return std::nullopt;
  const std::optional<IndexPlan> plan = DrawPlan(d, *scatter, d.type(base).shape, true);
  if (!plan) return std::nullopt;
  const ValueId index = d.IndexInput(plan->index_shape, plan->dim, plan->extent, true);
  const std::optional<ValueId> gathered = AddRead(d, *gather, *plan, base, index);
  if (!gathered) return std::nullopt;
  // The same function for each index: instances with one place then agree on what they write.
  std::optional<ValueId> source = DrawOpWithLiterals(d, *gathered);
  if (source) source = Fit(d, *source, d.type(*gathered));
  return AddScatter(d, *scatter, *plan, base, index, source.value_or(*gathered));
}

std::optional<ValueId> DrawScatterIntoExpanded(Drawing& d) {
  const OpId broadcast = MoveOp(MoveKind::kBroadcast);
  const Shape& space = d.swarm().shape;
  if (space.empty() || broadcast == InputOp() || !d.Takes(broadcast)) return std::nullopt;
  // Fewer dims, or extents of 1, than the space has.
  IntList dims;
  Shape small;
  for (int dim = 0; dim < space.size(); ++dim) {
    if (d.choices().OneIn(2)) continue;
    dims.push_back(dim);
    small.push_back(d.choices().OneIn(3) ? 1 : space[dim]);
  }
  const ValueId source = d.Input({d.DrawDType(), small});
  const std::optional<ValueId> base =
      d.TryAdd(broadcast, {Operand::Value(source)},
               {{.key = AttrKey::kShape, .list = space}, {.key = AttrKey::kDims, .list = dims}});
  return base ? DrawScatter(d, *base) : std::nullopt;
}

}  // namespace seamfuzz
