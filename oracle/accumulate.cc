// Rigorous bounds for results that may be combined in any order.
#include "oracle/accumulate.h"

#include <algorithm>
#include <cmath>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Our own sums are in f64, each addition good to half a unit; twice that covers sums of magnitudes
// as well.
constexpr double kOwnUnit = 0x1p-52;
// Bounds of first order hold up to (n u)^2; this factor covers what is left while n u is below
// kMaxRelative.
constexpr double kSecondOrder = 1.125;
constexpr double kMaxRelative = 0.1;

double UnitRoundoff(DType dtype) { return std::ldexp(1.0, -Row(dtype).digits); }
double LargestFinite(DType dtype) {
  const DTypeRow& row = Row(dtype);
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - row.digits), row.max_exponent);
}
double SmallestNormal(DType dtype) { return std::ldexp(1.0, Row(dtype).min_exponent); }

bool IsIntegerPoint(const Permitted& x) {
  return !x.nan && x.low.f == x.high.f && std::trunc(x.low.f) == x.low.f;
}

Permitted MultiplyIntervals(const Permitted& a, const Permitted& b) {
  if (a.any || b.any) return AnyValue();
  Permitted product = EmptyInterval();
  product.nan = a.nan || b.nan;
  if (!HasNumber(DType::kF64, a) || !HasNumber(DType::kF64, b)) return product;
  for (const double x : {a.low.f, a.high.f}) {
    for (const double y : {b.low.f, b.high.f}) {
      const double corner = x * y;
      if (std::isnan(corner))
        return AnyValue();  // infinity times zero: rare, and no bound is worth it
      product.low.f = std::min(product.low.f, corner);
      product.high.f = std::max(product.high.f, corner);
    }
  }
  return product;
}

}  // namespace

Combination CombinationOf(const OpRow& row, DType compute) {
  if (!IsFloat(compute))
    return Combination::kSelection;  // exact in every order: which one does not matter
  const double neutral = row.identity(compute).f;
  if (neutral == 0) return Combination::kSum;
  if (neutral == 1) return Combination::kProduct;
  CHECK(std::isinf(neutral));
  return Combination::kSelection;
}

Accumulator::Accumulator(Combination combination, const OpRow& row, DType compute,
                         DType accumulator)
    : combination_(combination), row_(&row), compute_(compute), accumulator_(accumulator) {
  if (!IsFloat(compute)) {
    folded_ = SetOf(PointOf(compute, row.identity(compute)));
  } else if (combination == Combination::kProduct) {
    low_ = high_ = magnitude_ = integer_bound_ = 1;
  } else if (combination == Combination::kSelection) {
    low_ = high_ = row.identity(compute).f;
  }
}

void Accumulator::AddPoint(Scalar x) {
  if (IsFloat(compute_)) return AddFloat(PointOf(compute_, x));
  if (folded_.count == 0 && !folded_.hull.any) {
    folded_.hull.low = folded_.hull.high =
        Round(compute_, row_->combine(folded_.hull.low, x, compute_));
    return;
  }
  AddInteger(SetOf(PointOf(compute_, x)));
}

void Accumulator::Add(const ValueSet& x) { IsFloat(compute_) ? AddFloat(x.hull) : AddInteger(x); }

void Accumulator::AddProduct(const Permitted& a, const Permitted& b) {
  products_ = true;
  AddFloat(MultiplyIntervals(a, b));
}

void Accumulator::AddInteger(const ValueSet& x) {
  if (x.hull.any || folded_.hull.any) {
    folded_ = SetOf(AnyValue());
    return;
  }
  SetBuilder builder(compute_);
  for (int i = 0; i < std::max(folded_.count, 1); ++i) {
    for (int j = 0; j < std::max(x.count, 1); ++j) {
      const Scalar a = folded_.count > 0 ? folded_.members[i] : folded_.hull.low;
      const Scalar b = x.count > 0 ? x.members[j] : x.hull.low;
      builder.Add(Round(compute_, row_->combine(a, b, compute_)));
    }
  }
  folded_ = builder.Build();
}

void Accumulator::AddFloat(const Permitted& x) {
  ++count_;
  any_ |= x.any;
  if (any_) return;
  nan_ |= x.nan;
  if (!HasNumber(compute_, x)) {
    certain_nan_ = true;
    return;
  }
  integers_ &= IsIntegerPoint(x);
  switch (combination_) {
    case Combination::kSum:
      return AddToSum(x);
    case Combination::kProduct:
      return AddToProduct(x);
    case Combination::kSelection:
      low_ = row_->combine(FloatScalar(low_), x.low, compute_).f;
      high_ = row_->combine(FloatScalar(high_), x.high, compute_).f;
  }
}

void Accumulator::AddToSum(const Permitted& x) {
  low_minus_ |= x.low.f == -kInfinity;
  low_plus_ |= x.low.f == kInfinity;
  high_plus_ |= x.high.f == kInfinity;
  high_minus_ |= x.high.f == -kInfinity;
  if (std::isfinite(x.low.f)) low_ += x.low.f;
  if (std::isfinite(x.high.f)) high_ += x.high.f;
  const double largest = std::max(std::isfinite(x.low.f) ? std::abs(x.low.f) : 0,
                                  std::isfinite(x.high.f) ? std::abs(x.high.f) : 0);
  magnitude_ += largest;
  integer_bound_ = magnitude_;
}

void Accumulator::AddToProduct(const Permitted& x) {
  const Permitted product =
      MultiplyIntervals({.low = FloatScalar(low_), .high = FloatScalar(high_)}, x);
  any_ |= product.any || !std::isfinite(x.low.f) || !std::isfinite(x.high.f);
  low_ = product.low.f;
  high_ = product.high.f;
  const double largest = std::max(std::abs(x.low.f), std::abs(x.high.f));
  magnitude_ *= std::max(1.0, largest);
  integer_bound_ = magnitude_;
  const bool has_zero = x.low.f <= 0 && x.high.f >= 0;
  if (x.low.f == 0 && x.high.f == 0) return;
  smallest_ *= has_zero ? 0 : std::min(1.0, std::min(std::abs(x.low.f), std::abs(x.high.f)));
}

ValueSet Accumulator::Result() const {
  if (!IsFloat(compute_)) return folded_;
  if (any_) return SetOf(AnyValue());
  if (certain_nan_ && combination_ != Combination::kSelection)
    return SetOf(PointOf(compute_, FloatScalar(std::nan(""))));
  Permitted result = combination_ == Combination::kSum       ? Sum()
                     : combination_ == Combination::kProduct ? Product()
                                                             : Selection();
  if (result.any || combination_ == Combination::kSelection || compute_ == DType::kF64)
    return SetOf(result);
  if (!HasNumber(compute_, result)) return SetOf(result);
  for (const DType dtype : {compute_, accumulator_}) {
    result.low.f = std::min(result.low.f, Round(dtype, result.low).f);
    result.high.f = std::max(result.high.f, Round(dtype, result.high).f);
  }
  return SetOf(result);
}

Permitted Accumulator::Sum() const {
  Permitted sum = EmptyInterval();
  sum.nan = nan_ || (low_minus_ && high_plus_);
  if (low_plus_ && high_minus_) return sum;  // infinities of both signs for certain: NaN
  double error = 0;
  const double roundings = static_cast<double>(count_ - 1 + products_);
  const bool exact = integers_ && integer_bound_ <= std::ldexp(1.0, Row(accumulator_).digits);
  if (!exact && roundings > 0) {
    error = kSecondOrder * roundings * (UnitRoundoff(accumulator_) + kOwnUnit) * magnitude_;
    if (products_)
      error += static_cast<double>(count_) *
               std::ldexp(SmallestNormal(accumulator_), 1 - Row(accumulator_).digits);
    if (magnitude_ + error > LargestFinite(accumulator_))
      return AnyValue();  // partial sums may overflow
  }
  const auto outward = [&](double end, double direction) {
    return error == 0 ? end : std::nextafter(end, direction);
  };
  sum.low.f = low_minus_ ? -kInfinity : low_plus_ ? kInfinity : outward(low_ - error, -kInfinity);
  sum.high.f = high_plus_    ? kInfinity
               : high_minus_ ? -kInfinity
                             : outward(high_ + error, kInfinity);
  return sum;
}

Permitted Accumulator::Product() const {
  Permitted product = {.low = FloatScalar(low_), .high = FloatScalar(high_), .nan = nan_};
  const bool exact = integers_ && integer_bound_ <= std::ldexp(1.0, Row(accumulator_).digits);
  if (exact || count_ <= 1) return product;
  const double relative =
      kSecondOrder * static_cast<double>(count_ - 1) * (UnitRoundoff(accumulator_) + kOwnUnit);
  if (relative > kMaxRelative || magnitude_ * (1 + relative) > LargestFinite(accumulator_))
    return AnyValue();
  if (low_ == 0 && high_ == 0) return product;  // a certain zero, and nothing overflows
  double lost = 0;                              // to underflow of a partial product
  if (smallest_ < 2 * SmallestNormal(accumulator_)) {
    lost = static_cast<double>(count_) *
           std::ldexp(SmallestNormal(accumulator_), 1 - Row(accumulator_).digits) * magnitude_;
  }
  product.low.f = std::nextafter(low_ - relative * std::abs(low_) - lost, -kInfinity);
  product.high.f = std::nextafter(high_ + relative * std::abs(high_) + lost, kInfinity);
  return product;
}

Permitted Accumulator::Selection() const {
  Permitted selection = {.low = FloatScalar(low_), .high = FloatScalar(high_), .nan = nan_};
  if (!nan_) return selection;
  // amax propagates NaN (PyTorch); a row whose combine prefers numbers would not.
  const bool propagates =
      std::isnan(row_->combine(FloatScalar(std::nan("")), FloatScalar(0), compute_).f);
  if (!propagates) {
    selection.nan = certain_nan_ && count_ == 1;
  } else if (certain_nan_) {
    selection = PointOf(compute_, FloatScalar(std::nan("")));
  }
  return selection;
}

}  // namespace seamfuzz
