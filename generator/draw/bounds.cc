// How bounds go through an op: by its ExactRule in the exact lane, by evaluating corners in the
// bounded lane.
#include "generator/draw/bounds.h"

#include <array>
#include <numeric>

#include "generator/case/values.h"

namespace seamfuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Bounded lane: results beyond these are refused, so that a few further ops stay finite. f16 ends
// at 65504.
constexpr double kBoundedLimit = 1 << 20;
constexpr double kBoundedLimitF16 = 1 << 11;
constexpr int kMaxCorners = 8;

// Integers up to this magnitude are exact in the dtype, sums and products of them included.
double ExactLimit(DType dtype) { return std::ldexp(1.0, Row(dtype).digits); }

// All values that the dtype holds; integers wrap, so nothing beyond is ever seen.
Range DTypeRange(DType dtype) {
  if (dtype == DType::kBool) return {0, 1};
  if (IsFloat(dtype)) return Around(kInfinity);
  return Around(std::ldexp(1.0, 8 * Row(dtype).bytes - 1));
}

// A wrapped integer can be anything.
Range Wrap(DType dtype, Range range) {
  const Range all = DTypeRange(dtype);
  return range.Within(all) ? range : all;
}

double LargestMagnitude(std::span<const Range> ranges) {
  double largest = 0;
  for (const Range& range : ranges) largest = std::max(largest, range.Magnitude());
  return largest;
}

double FillMagnitude(const OpUse& use) {
  const Attr* fill = FindAttr(use.attrs, AttrKey::kValue);
  return fill == nullptr ? 0 : std::abs(fill->value.f);
}

Range ClampRange(std::span<const Range> operands) {
  // With the limits the wrong way round the result is one of them.
  if (operands[1].high > operands[2].low) return Around(LargestMagnitude(operands.subspan(1)));
  return {std::max(operands[1].low, std::min(operands[0].low, operands[2].low)),
          std::min(operands[2].high, std::max(operands[0].high, operands[1].high))};
}

// A Source runs from its first element to its last.
double SourceMagnitude(const OpUse& use) {
  const Attr* shape = FindAttr(use.attrs, AttrKey::kShape);
  const TensorType type = {use.dtypes.result, shape->list};
  const auto magnitude = [&](int64_t position) {
    const Scalar element = use.row.generate(position, type, use.attrs);
    return std::abs(IsFloat(type.dtype) ? element.f : static_cast<double>(element.i));
  };
  return std::max(magnitude(0), magnitude(std::max<int64_t>(NumElements(type.shape) - 1, 0)));
}

// A cast rounds on purpose, always the same way, so the bound of its result is the rounded bound.
std::optional<Range> CastRange(const OpUse& use, Range operand) {
  const DType from = use.operand_dtypes[0];
  const DType to = use.dtypes.result;
  if (to == DType::kBool) return Range{0, 1};
  if (IsInteger(to)) {
    const bool out_of_range = !operand.Within(DTypeRange(to));
    if (IsFloat(from) && out_of_range) return std::nullopt;  // unspecified
    return Wrap(to, operand);
  }
  const Range rounded = {Round(to, FloatScalar(operand.low)).f,
                         Round(to, FloatScalar(operand.high)).f};
  if (!std::isfinite(rounded.Magnitude())) return std::nullopt;
  return rounded;
}

// Comparing, selecting and moving integers never rounds; whatever adds or multiplies must stay
// below the limit.
bool IsArithmetic(ExactRule rule) {
  return rule == ExactRule::kSum || rule == ExactRule::kProduct ||
         rule == ExactRule::kCountTimesMax || rule == ExactRule::kContract ||
         rule == ExactRule::kModulus;
}

std::optional<double> ExactMagnitude(const OpUse& use, std::span<const Range> operands) {
  const auto count = static_cast<double>(use.combined);
  switch (use.row.exact) {
    case ExactRule::kNever:
      return std::nullopt;
    case ExactRule::kMax:
      return std::max(LargestMagnitude(operands), FillMagnitude(use));
    case ExactRule::kSum:
      return std::accumulate(operands.begin(), operands.end(), 0.0,
                             [](double sum, const Range& r) { return sum + r.Magnitude(); });
    case ExactRule::kProduct:
      return std::accumulate(
          operands.begin(), operands.end(), 1.0,
          [](double product, const Range& r) { return product * r.Magnitude(); });
    case ExactRule::kOne:
      return 1;
    case ExactRule::kFirst:
      return std::max(operands[0].Magnitude(), FillMagnitude(use));
    case ExactRule::kOther:
      return LargestMagnitude(operands.subspan(1));
    case ExactRule::kCount:
      return SourceMagnitude(use);
    case ExactRule::kCountTimesMax:
      return count * operands[0].Magnitude();
    case ExactRule::kContract:
      return count * operands[0].Magnitude() * operands[1].Magnitude();
    case ExactRule::kModulus:
      return operands[1].Magnitude();
    case ExactRule::kClamp:
      return ClampRange(operands).Magnitude();
  }
  return std::nullopt;
}

std::optional<Range> ExactRange(const OpUse& use, std::span<const Range> operands) {
  const std::optional<double> magnitude = ExactMagnitude(use, operands);
  if (!magnitude) return std::nullopt;
  if (IsFloat(use.dtypes.compute)) {
    // Zeros of either sign are permitted everywhere.
    if (use.row.observes_zero_sign) return std::nullopt;
    const double limit = ExactLimit(use.dtypes.compute);
    if (IsArithmetic(use.row.exact) && (*magnitude > limit || LargestMagnitude(operands) > limit))
      return std::nullopt;
    // An operand that is converted on the way in may keep excess precision, unless the conversion
    // is exact.
    for (size_t k = 0; k < operands.size(); ++k) {
      if (use.operand_dtypes[k] != use.dtypes.compute && operands[k].Magnitude() > limit)
        return std::nullopt;
    }
  }
  return Wrap(use.dtypes.result, Around(*magnitude));
}

Scalar InRegister(DType dtype, double value) {
  if (IsFloat(dtype)) return FloatScalar(value);
  const double limit = 9e18;
  return IntScalar(dtype == DType::kBool ? value != 0
                                         : static_cast<int64_t>(std::clamp(value, -limit, limit)));
}

// The hull of `evaluate` over the corners of the operands' ranges and the row's critical points.
std::optional<Range> CornerRange(const OpUse& use, std::span<const Range> operands) {
  const DType compute = use.dtypes.compute;
  const DType evaluated = EvaluatedDType(use.row, compute);
  const int arity = static_cast<int>(operands.size());
  if (arity > 3) return std::nullopt;
  Range hull = {kInfinity, -kInfinity};
  const auto visit = [&](const std::array<Scalar, 3>& point) {
    const Scalar result = use.row.evaluate(std::span(point).first(arity), compute);
    const double value = IsFloat(evaluated) ? result.f : static_cast<double>(result.i);
    if (std::isnan(value)) return false;
    hull = {std::min(hull.low, value), std::max(hull.high, value)};
    return true;
  };
  std::array<Scalar, 3> point = {};
  for (int corner = 0; corner < 1 << arity; ++corner) {
    for (int k = 0; k < arity; ++k)
      point[k] = InRegister(compute, corner >> k & 1 ? operands[k].high : operands[k].low);
    if (!visit(point)) return std::nullopt;
  }
  for (double critical : use.row.critical) {
    if (!(critical > operands[0].low && critical < operands[0].high)) continue;
    point[0] = InRegister(compute, critical);
    if (!visit(point)) return std::nullopt;
  }
  return hull;
}

std::optional<Range> BoundedRange(const OpUse& use, std::span<const Range> operands) {
  const OpRow& row = use.row;
  const bool is_float = IsFloat(use.dtypes.compute);
  if (is_float) {
    const Range domain = {row.domain.low, row.domain.high};
    for (const Range& operand : operands) {
      if (!operand.Within(domain)) return std::nullopt;
    }
  }
  if (use.dtypes.result == DType::kBool) return Range{0, 1};
  std::optional<Range> range;
  if (row.form == Form::kElementwise && row.monotone == Monotone::kPeriodic) {
    range = Around(1);
  } else if (row.form == Form::kElementwise && row.monotone != Monotone::kPoint) {
    range = CornerRange(use, operands);
  } else if (const std::optional<double> magnitude = ExactMagnitude(use, operands)) {
    range = Around(*magnitude);
  } else if (row.form == Form::kReduce || row.form == Form::kScan) {
    range =
        Around(std::pow(std::max(operands[0].Magnitude(), 1.0), static_cast<double>(use.combined)));
  } else {
    // Composites and bit patterns: a generous guess, which at worst leaves some elements unjudged.
    range = Around(4 * std::max(LargestMagnitude(operands), 1.0));
  }
  if (!range) return std::nullopt;
  if (!is_float) return Wrap(use.dtypes.result, *range);
  const double limit = use.dtypes.compute == DType::kF16 ? kBoundedLimitF16 : kBoundedLimit;
  // What only moves large values about makes nothing worse.
  if (!(range->Magnitude() <= std::max(limit, LargestMagnitude(operands)))) return std::nullopt;
  return range;
}

}  // namespace

Range EntryRange(DType dtype, Lane lane) {
  if (dtype == DType::kBool) return {0, 1};
  return Around(lane == Lane::kBounded && IsFloat(dtype) ? 4 : kExactMagnitude);
}

Range UpdateRange(DType dtype, Lane lane) {
  if (dtype == DType::kBool) return {0, 1};
  if (dtype == DType::kI8) return DTypeRange(dtype);
  if (lane == Lane::kBounded) return Around(32);
  switch (dtype) {
    case DType::kBF16:
      return Around(16);
    case DType::kF16:
      return Around(32);
    default:
      return Around(1024);
  }
}

Range TameRange(const OpRow& row, Lane lane, int step) {
  constexpr std::array kExact = {8.0, 4.0, 2.0, 1.0};
  if (lane == Lane::kExact) return Around(kExact[step]);
  constexpr std::array<Range, kTameSteps> kBounded = {Range{-8, 8}, Range{-4, 4}, Range{0.25, 4},
                                                      Range{0.25, 1}};
  constexpr double kMargin = 0.25;
  return {std::max(kBounded[step].low, row.domain.low + kMargin),
          std::min(kBounded[step].high, row.domain.high - kMargin)};
}

std::optional<Range> ResultRange(const OpUse& use, std::span<const Range> operands, Lane lane) {
  if (use.row.types == TypeRule::kCast) return CastRange(use, operands[0]);
  return lane == Lane::kExact ? ExactRange(use, operands) : BoundedRange(use, operands);
}

}  // namespace seamfuzz
