// Unions, rounding and conversion of permitted sets.
#include "oracle/value_set.h"

#include <algorithm>
#include <cmath>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// The largest magnitude below which every value of the integer dtype and its neighbours lie; 2^63
// itself is out for i64.
double IntegerLimit(DType dtype) { return std::ldexp(1.0, Row(dtype).digits); }

// A finite set of every integer from low to high, or any when they are too many.
ValueSet IntegersBetween(DType dtype, int64_t low, int64_t high) {
  // Unsigned: the difference of two int64 may not fit.
  if (static_cast<uint64_t>(high) - static_cast<uint64_t>(low) >= kMaxFinite)
    return SetOf(AnyValue());
  SetBuilder builder(dtype);
  for (int64_t value = low; value <= high; ++value) builder.Add(IntScalar(value));
  return builder.Build();
}

ValueSet FloatIntervalToInteger(const ValueSet& set, DType to) {
  const Permitted& p = set.hull;
  if (p.nan || !HasNumber(DType::kF64, p)) return SetOf(AnyValue());
  const double limit = IntegerLimit(to);
  const double low = std::trunc(p.low.f);
  const double high = std::trunc(p.high.f);
  if (!(low >= -limit && high < limit)) return SetOf(AnyValue());
  return IntegersBetween(to, static_cast<int64_t>(low), static_cast<int64_t>(high));
}

ValueSet FloatIntervalToBool(const ValueSet& set) {
  const Permitted& p = set.hull;
  SetBuilder builder(DType::kBool);
  if (p.nan) builder.Add(IntScalar(1));
  if (HasNumber(DType::kF64, p)) {
    if (p.low.f <= 0 && p.high.f >= 0) builder.Add(IntScalar(0));
    if (p.low.f != 0 || p.high.f != 0) builder.Add(IntScalar(1));
  }
  return builder.Build();
}

}  // namespace

ValueSet LoadSet(const PermittedTensor& tensor, int64_t i) {
  ValueSet set = SetOf(tensor.elements[i]);
  if (set.hull.finite >= 0) {
    const std::vector<Scalar>& members = tensor.sets[set.hull.finite];
    set.count = static_cast<int>(members.size());
    std::copy(members.begin(), members.end(), set.members.begin());
    set.hull.finite = -1;
  }
  return set;
}

void StoreSet(PermittedTensor& tensor, int64_t i, const ValueSet& set) {
  Permitted& p = tensor.elements[i];
  p = set.hull;
  p.finite = -1;
  if (set.count > 1) {
    p.finite = static_cast<int32_t>(tensor.sets.size());
    tensor.sets.emplace_back(set.members.begin(), set.members.begin() + set.count);
  }
}

Scalar Representative(const PermittedTensor& tensor, int64_t i) {
  const Permitted& p = tensor.elements[i];
  CHECK(!p.any);
  if (p.finite >= 0) return Round(tensor.dtype, tensor.sets[p.finite].front());
  if (!IsFloat(tensor.dtype)) return p.low;
  if (!HasNumber(tensor.dtype, p)) return FloatScalar(std::nan(""));
  const bool finite = std::isfinite(p.low.f) && std::isfinite(p.high.f);
  const double middle = finite                   ? p.low.f / 2 + p.high.f / 2
                        : std::isfinite(p.low.f) ? p.low.f
                                                 : p.high.f;
  return Round(tensor.dtype, FloatScalar(p.low.f == p.high.f ? p.low.f : middle));
}

Permitted Hull(DType dtype, const Permitted& a, const Permitted& b) {
  if (a.any || b.any) return AnyValue();
  Permitted hull = a;
  if (IsFloat(dtype)) {
    hull.low.f = std::min(a.low.f, b.low.f);
    hull.high.f = std::max(a.high.f, b.high.f);
    hull.nan = a.nan || b.nan;
  } else {
    hull.low.i = std::min(a.low.i, b.low.i);
    hull.high.i = std::max(a.high.i, b.high.i);
  }
  return hull;
}

ValueSet Union(DType dtype, const ValueSet& a, const ValueSet& b) {
  if (a.hull.any || b.hull.any) return SetOf(AnyValue());
  SetBuilder builder(dtype);
  for (const ValueSet* set : {&a, &b}) {
    if (set->hull.nan) builder.AddNan();
    for (int m = 0; m < set->count; ++m) builder.Add(set->members[m]);
    if (set->count == 0 && HasNumber(dtype, set->hull))
      builder.AddInterval(set->hull.low, set->hull.high);
  }
  return builder.Build();
}

void SetBuilder::AddInterval(Scalar low, Scalar high) {
  if (!IsFloat(dtype_)) {
    CHECK(low.i == high.i);
    hull_.low.i = empty_ ? low.i : std::min(hull_.low.i, low.i);
    hull_.high.i = empty_ ? high.i : std::max(hull_.high.i, high.i);
  } else if (std::isnan(low.f) || std::isnan(high.f)) {
    hull_.nan = true;
    return;
  } else {
    hull_.low.f = std::min(hull_.low.f, low.f);
    hull_.high.f = std::max(hull_.high.f, high.f);
    if (low.f != high.f) interval_ = true;
  }
  empty_ = false;
  if (interval_ || overflow_) return;
  for (int m = 0; m < count_; ++m) {
    if (IsFloat(dtype_) ? members_[m].f == low.f : members_[m].i == low.i) return;
  }
  if (count_ == kMaxFinite) {
    overflow_ = true;
  } else {
    members_[count_++] = low;
  }
}

ValueSet SetBuilder::Build() const {
  ValueSet set = SetOf(hull_);
  if (interval_) return set;
  if (overflow_) return IsFloat(dtype_) ? set : SetOf(AnyValue());
  if (count_ > 1) {
    set.count = count_;
    set.members = members_;
  }
  return set;
}

ValueSet RoundSet(DType dtype, const ValueSet& set) {
  if (!IsFloat(dtype) || set.hull.any) return set;
  SetBuilder builder(dtype);
  if (set.hull.nan) builder.AddNan();
  for (int m = 0; m < set.count; ++m) builder.Add(Round(dtype, set.members[m]));
  // Rounding is monotone, so that the ends of an interval round to the ends of the result.
  if (set.count == 0 && HasNumber(dtype, set.hull)) {
    builder.AddInterval(Round(dtype, set.hull.low), Round(dtype, set.hull.high));
  }
  return builder.Build();
}

ValueSet PromoteSet(const ValueSet& set, DType from, DType to) {
  if (from == to || set.hull.any) return set;
  const bool widens = IsFloat(from) && IsFloat(to) && Row(to).digits >= Row(from).digits &&
                      Row(to).max_exponent >= Row(from).max_exponent;
  if (widens) return set;
  // A 0-dim operand may be wider than what the tensors beside it promote to. It is converted, to
  // the register of a 16-bit op at least, as a literal is.
  const ValueSet converted = CastSet(set, from, to);
  if (!IsFloat(from) || !IsNarrowFloat(to)) return converted;
  return SetOf(Hull(to, converted.hull, CastSet(set, from, RegisterDType(to)).hull));
}

ValueSet CastSet(const ValueSet& set, DType from, DType to) {
  if (set.hull.any) return set;
  if (IsFloat(from) && set.count == 0 && !IsPoint(from, set.hull)) {
    if (IsFloat(to)) return RoundSet(to, set);
    return to == DType::kBool ? FloatIntervalToBool(set) : FloatIntervalToInteger(set, to);
  }
  SetBuilder builder(to);
  const auto convert = [&](Scalar value) {
    if (IsFloat(from) && IsInteger(to)) {
      const ValueSet integer = FloatIntervalToInteger(SetOf(PointOf(from, value)), to);
      if (integer.hull.any) return false;
    }
    builder.Add(Convert(value, from, to));
    return true;
  };
  bool defined = true;
  for (int m = 0; m < set.count; ++m) defined = convert(set.members[m]) && defined;
  if (set.count == 0) defined = convert(PointValue(from, set.hull));
  if (set.count > 0 && set.hull.nan) defined = convert(FloatScalar(std::nan(""))) && defined;
  return defined ? builder.Build() : SetOf(AnyValue());
}

double UlpOf(DType dtype, double value) {
  const DTypeRow& row = Row(dtype);
  const int exponent =
      value == 0 ? row.min_exponent : std::max(std::ilogb(value), row.min_exponent);
  return std::ldexp(1.0, exponent - (row.digits - 1));
}

}  // namespace seamfuzz
