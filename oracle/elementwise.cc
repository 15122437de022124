// Interval arithmetic over an op's `evaluate`: corners, critical points, and what rounding may do
// to each result.
#include "oracle/elementwise.h"

#include <algorithm>
#include <cmath>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Members or ends, the critical points, a zero of either sign, NaN; five multiples of pi/2.
constexpr int kMaxCandidates = kMaxFinite + 2 + 2 + 1 + 5;

// Operand values at which the result is evaluated.
struct Candidates {
  int count = 0;
  std::array<Scalar, kMaxCandidates> values;
  bool zero_of_both_signs = false;  // the last two before NaN are +0 and -0
  bool interval = false;
  void Add(Scalar value) { values[count++] = value; }
};

bool Contains(const ValueSet& set, double value) {
  if (set.count == 0) return set.hull.low.f <= value && value <= set.hull.high.f;
  return std::any_of(set.members.begin(), set.members.begin() + set.count,
                     [&](Scalar m) { return m.f == value; });
}

bool HasInfiniteEnd(DType dtype, const ValueSet& set) {
  return HasNumber(dtype, set.hull) && (std::isinf(set.hull.low.f) || std::isinf(set.hull.high.f));
}

// Extremes of sine and cosine lie at multiples of pi/2; a period has all of them, and so has what
// is so large that a double does not hold its multiples well.
void AddPeriodic(const Permitted& hull, Candidates& candidates) {
  constexpr double kQuarter = 1.57079632679489661923;
  constexpr double kLarge = 1e9;
  const bool whole_period = !(hull.high.f - hull.low.f < 4 * kQuarter);
  if (whole_period || std::abs(hull.low.f) > kLarge || std::abs(hull.high.f) > kLarge) {
    for (int k = 0; k < 4; ++k) candidates.Add(FloatScalar(k * kQuarter));
    return;
  }
  const double first = std::ceil(hull.low.f / kQuarter);
  for (int k = 0; k < 5 && (first + k) * kQuarter <= hull.high.f; ++k)
    candidates.Add(FloatScalar((first + k) * kQuarter));
}

Candidates CandidatesOf(const ElementwiseOp& op, const ValueSet& set, bool other_is_infinite) {
  Candidates candidates;
  const OpRow& row = *op.row;
  if (set.count > 0) {
    for (int m = 0; m < set.count; ++m) candidates.Add(set.members[m]);
  } else if (!IsFloat(op.compute)) {
    candidates.Add(set.hull.low);
  } else if (HasNumber(op.compute, set.hull)) {
    const double low = set.hull.low.f;
    const double high = set.hull.high.f;
    candidates.Add(set.hull.low);
    candidates.interval = low != high;
    if (candidates.interval) {
      candidates.Add(set.hull.high);
      for (const double critical : row.critical) {
        if (low < critical && critical < high) candidates.Add(FloatScalar(critical));
      }
      // Infinity times zero; a test that zero alone answers otherwise.
      const bool zero_matters = other_is_infinite || row.monotone == Monotone::kStep;
      if (zero_matters && low < 0 && high > 0) candidates.Add(FloatScalar(0));
      if (row.monotone == Monotone::kPeriodic) AddPeriodic(set.hull, candidates);
    }
  }
  if (!IsFloat(op.compute)) return candidates;
  if (row.observes_zero_sign && Contains(set, 0)) {
    candidates.zero_of_both_signs = true;
    candidates.Add(FloatScalar(0.0));
    candidates.Add(FloatScalar(-0.0));
  }
  if (set.hull.nan) candidates.Add(FloatScalar(std::nan("")));
  return candidates;
}

// Calls visit(point) for every combination of candidates.
template <typename Visit>
void ForEachPoint(std::span<const Candidates> candidates, const Visit& visit) {
  std::array<int, kMaxElementwiseArity> at = {};
  std::array<Scalar, kMaxElementwiseArity> point = {};
  const int arity = static_cast<int>(candidates.size());
  for (const Candidates& c : candidates) {
    if (c.count == 0) return;
  }
  for (;;) {
    for (int k = 0; k < arity; ++k) point[k] = candidates[k].values[at[k]];
    visit(std::span<const Scalar>(point.data(), arity));
    int k = arity - 1;
    while (k >= 0 && ++at[k] == candidates[k].count) at[k--] = 0;
    if (k < 0) return;
  }
}

// Design 6: either zero is permitted everywhere, so an op that tells them apart has no known
// result.
bool SeesSignOfZero(const ElementwiseOp& op, std::span<const Candidates> candidates) {
  bool seen = false;
  for (size_t k = 0; k < candidates.size(); ++k) {
    if (!candidates[k].zero_of_both_signs) continue;
    std::array<Candidates, kMaxElementwiseArity> others;
    std::copy(candidates.begin(), candidates.end(), others.begin());
    others[k].count = 1;
    ForEachPoint(std::span<const Candidates>(others.data(), candidates.size()),
                 [&](std::span<const Scalar> point) {
                   std::array<Scalar, kMaxElementwiseArity> operands;
                   std::copy(point.begin(), point.end(), operands.begin());
                   const std::span<const Scalar> both(operands.data(), point.size());
                   operands[k] = FloatScalar(0.0);
                   const Scalar plus = op.row->evaluate(both, op.compute);
                   operands[k] = FloatScalar(-0.0);
                   const Scalar minus = op.row->evaluate(both, op.compute);
                   const bool same =
                       IsFloat(op.evaluated)
                           ? plus.f == minus.f || (std::isnan(plus.f) && std::isnan(minus.f))
                           : plus.i == minus.i;
                   seen |= !same;
                 });
  }
  return seen;
}

// The product of two f64 is exact: the rounded product leaves no remainder (Dekker; underflow hides
// one).
bool ProductIsExact(std::span<const Scalar> operands, double product) {
  constexpr double kRemainderUnderflows = 1e-290;
  if (product == 0)
    return std::any_of(operands.begin(), operands.end(), [](Scalar s) { return s.f == 0; });
  const double a = operands.front().f;
  const double b = operands.back().f;  // square: the same operand
  if (operands.size() > 2 || a * b != product) return false;
  return std::abs(product) > kRemainderUnderflows && std::fma(a, b, -product) == 0;
}

bool IsSmallInteger(DType dtype, double value) {
  return std::trunc(value) == value && std::abs(value) <= std::ldexp(1.0, Row(dtype).digits);
}

// An op that keeps integers (it has an ExactRule) gives them exactly, whatever its ULP bound for
// the rest.
bool IsExactInteger(const ElementwiseOp& op, std::span<const Scalar> operands, double raw) {
  return op.row->exact != ExactRule::kNever && IsSmallInteger(op.result, raw) &&
         std::all_of(operands.begin(), operands.end(),
                     [&](Scalar s) { return IsSmallInteger(op.compute, s.f); });
}

// What may stand in a register for the unrounded result `raw`, rounding errors of our own included.
void AddRounded(const ElementwiseOp& op, std::span<const Scalar> operands, double raw,
                bool exact_operands, SetBuilder& builder) {
  if (std::isnan(raw)) return builder.AddNan();
  if (std::isinf(raw) || (exact_operands && IsExactInteger(op, operands, raw)))
    return builder.Add(FloatScalar(raw));
  const DType dtype = op.result;
  double low = raw;
  double high = raw;
  if (op.row->ulp > 0) {
    // `evaluate` itself is libm in f64, good to one more unit there.
    const double width =
        (op.row->ulp + (dtype == DType::kF64 ? 1 : 0)) * UlpOf(RegisterDType(dtype), raw);
    low -= width;
    high += width;
  } else if (dtype == DType::kF64) {
    if (op.contractible && !ProductIsExact(operands, raw)) {
      low = std::nextafter(raw, -kInfinity);
      high = std::nextafter(raw, kInfinity);
    }
  } else if (!exact_operands && Round(dtype, FloatScalar(raw)).f != raw) {
    // An operand may be an unrounded product, so that `evaluate` rounded to f64 first: a tie must
    // not hide behind that.
    low = std::nextafter(raw, -kInfinity);
    high = std::nextafter(raw, kInfinity);
  }
  if (dtype == DType::kF64) return builder.AddInterval(FloatScalar(low), FloatScalar(high));
  const double rounded_low = Round(dtype, FloatScalar(low)).f;
  const double rounded_high = Round(dtype, FloatScalar(high)).f;
  if (dtype == DType::kF32 && !op.contractible && exact_operands && op.row->ulp == 0) {
    return builder.Add(FloatScalar(rounded_low));
  }
  // Excess precision: f32 registers for 16-bit floats; a product that an FMA takes over unrounded.
  const double wide_low = Round(DType::kF32, FloatScalar(low)).f;
  const double wide_high = Round(DType::kF32, FloatScalar(high)).f;
  builder.AddInterval(FloatScalar(std::min({low, rounded_low, wide_low})),
                      FloatScalar(std::max({high, rounded_high, wide_high})));
}

bool InDomain(const OpRow& row, const ValueSet& operand) {
  const Permitted& p = operand.hull;
  return !(p.low.f <= p.high.f) || (p.low.f >= row.domain.low && p.high.f <= row.domain.high);
}

// eq and ne are decided by sets that have nothing in common, logical_not by a set without zero.
ValueSet Equality(const ElementwiseOp& op, std::span<const ValueSet> operands) {
  const Permitted& a = operands[0].hull;
  const Permitted b = operands.size() > 1 ? operands[1].hull : PointOf(op.compute, FloatScalar(0));
  SetBuilder builder(op.result);
  if (!a.nan && !b.nan && (a.high.f < b.low.f || b.high.f < a.low.f)) {
    const std::array<Scalar, 2> point = {a.low, b.low};
    builder.Add(op.row->evaluate(std::span(point).first(operands.size()), op.compute));
  } else {
    builder.Add(IntScalar(0));
    builder.Add(IntScalar(1));
  }
  return builder.Build();
}

ValueSet Select(const ElementwiseOp& op, std::span<const ValueSet> operands) {
  const ValueSet condition = CastSet(operands[0], op.compute, DType::kBool);
  if (condition.hull.any) return Union(op.result, operands[1], operands[2]);
  if (condition.count > 1) return Union(op.result, operands[1], operands[2]);
  return operands[condition.hull.low.i != 0 ? 1 : 2];
}

}  // namespace

ElementwiseOp MakeElementwiseOp(const Graph& graph, const Node& node) {
  ElementwiseOp op;
  op.row = &node.row();
  op.compute = ComputeDType(graph, node);
  op.evaluated = EvaluatedDType(*op.row, op.compute);
  op.result = node.type.dtype;
  op.contractible = IsFloat(op.result) && op.row->exact == ExactRule::kProduct;
  op.plain = op.row->evaluate != nullptr && op.row->ulp == 0 && !op.row->observes_zero_sign &&
             !op.row->nan_differs && op.row->types != TypeRule::kCast &&
             op.row->domain.low == -kInfinity && op.row->domain.high == kInfinity;
  return op;
}

bool EvaluatePoint(const ElementwiseOp& op, std::span<const Scalar> operands, Scalar& result) {
  if (!op.plain) return false;
  const Scalar raw = op.row->evaluate(operands, op.compute);
  if (!IsFloat(op.result)) {
    result = Convert(raw, op.evaluated, op.result);
    return true;
  }
  if (op.result == DType::kF64) {
    result = raw;
    return !op.contractible || !std::isfinite(raw.f) || ProductIsExact(operands, raw.f);
  }
  result = Round(op.result, raw);
  return result.f == raw.f || std::isnan(raw.f) || (op.result == DType::kF32 && !op.contractible);
}

ValueSet EvaluateSets(const ElementwiseOp& op, std::span<const ValueSet> operands) {
  const OpRow& row = *op.row;
  const int arity = static_cast<int>(operands.size());
  CHECK(arity <= kMaxElementwiseArity);
  if (row.types == TypeRule::kWhere) return Select(op, operands);
  bool exact_operands = true;
  int infinite_operands = 0;
  std::array<bool, kMaxElementwiseArity> infinite = {};
  for (int k = 0; k < arity; ++k) {
    const ValueSet& operand = operands[k];
    if (operand.hull.any) return SetOf(AnyValue());
    if (!IsFloat(op.compute)) continue;
    if (row.nan_differs && operand.hull.nan) return SetOf(AnyValue());
    if (!InDomain(row, operand)) return SetOf(AnyValue());
    exact_operands &= IsPoint(op.compute, operand.hull) || operand.count > 0;
    infinite[k] = HasInfiniteEnd(op.compute, operand);
    infinite_operands += infinite[k];
  }
  std::array<Candidates, kMaxElementwiseArity> storage;
  const std::span<const Candidates> candidates(storage.data(), arity);
  bool interval = false;
  for (int k = 0; k < arity; ++k) {
    storage[k] = CandidatesOf(op, operands[k], infinite_operands > infinite[k]);
    interval |= storage[k].interval;
  }
  if (interval && row.monotone == Monotone::kPoint) return SetOf(AnyValue());
  if (interval && row.monotone == Monotone::kEquality) return Equality(op, operands);
  if (SeesSignOfZero(op, candidates)) return SetOf(AnyValue());
  SetBuilder builder(op.result);
  ForEachPoint(candidates, [&](std::span<const Scalar> point) {
    const Scalar raw = row.evaluate(point, op.compute);
    if (IsFloat(op.result)) {
      AddRounded(op, point, raw.f, exact_operands, builder);
    } else {
      builder.Add(Convert(raw, op.evaluated, op.result));
    }
  });
  if (interval && IsFloat(op.result)) builder.FillGaps();
  return builder.Build();
}

}  // namespace seamfuzz
