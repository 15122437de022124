// The set of one element by itself, while the interpreter works on it: an interval, a short list of
// values, or any.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "oracle/permitted.h"

namespace seamfuzz {

// As Permitted, with its finite set inside: `count` members when it has one (2 to kMaxFinite), 0
// for an interval or point.
struct ValueSet {
  Permitted hull;  // `finite` is not used here
  int count = 0;
  std::array<Scalar, kMaxFinite> members;
};

// The empty interval stands for "no number": the set is then NaN alone, or nothing.
inline Permitted EmptyInterval() {
  return {.low = FloatScalar(std::numeric_limits<double>::infinity()),
          .high = FloatScalar(-std::numeric_limits<double>::infinity())};
}
inline Permitted PointOf(DType dtype, Scalar value) {
  if (IsFloat(dtype) && value.f != value.f) {
    Permitted nan = EmptyInterval();
    nan.nan = true;
    return nan;
  }
  return {.low = value, .high = value};
}
inline Permitted AnyValue() { return {.any = true}; }
inline bool HasNumber(DType dtype, const Permitted& p) {
  return !IsFloat(dtype) || p.low.f <= p.high.f;
}
// One value only, NaN counting as one; `finite` is not looked at.
inline bool IsPoint(DType dtype, const Permitted& p) {
  if (p.any) return false;
  if (!IsFloat(dtype)) return p.low.i == p.high.i;
  return p.nan ? p.low.f > p.high.f : p.low.f == p.high.f;
}
// The value of a point.
inline Scalar PointValue(DType dtype, const Permitted& p) {
  if (IsFloat(dtype) && p.nan) return FloatScalar(std::numeric_limits<double>::quiet_NaN());
  return p.low;
}

inline ValueSet SetOf(const Permitted& p) { return {.hull = p}; }
ValueSet LoadSet(const PermittedTensor& tensor, int64_t i);
void StoreSet(PermittedTensor& tensor, int64_t i, const ValueSet& set);

// The smallest interval, with its NaN, around both; any if one of them is.
Permitted Hull(DType dtype, const Permitted& a, const Permitted& b);
// Both sets together: a finite set where both are finite and at most kMaxFinite members remain,
// else the hull (floats) or any (integers, which have no intervals).
ValueSet Union(DType dtype, const ValueSet& a, const ValueSet& b);

// Collects possible results of one element.
class SetBuilder {
 public:
  explicit SetBuilder(DType dtype) : dtype_(dtype) {}
  void Add(Scalar value) { AddInterval(value, value); }  // NaN is welcome
  void AddInterval(Scalar low, Scalar high);  // a proper interval makes the set an interval
  void AddNan() { hull_.nan = true; }
  // Results between the values that were added are possible too.
  void FillGaps() { interval_ = true; }
  ValueSet Build() const;

 private:
  DType dtype_;
  Permitted hull_ = EmptyInterval();
  bool empty_ = true;
  bool interval_ = false;
  bool overflow_ = false;  // more members than a finite set may have
  int count_ = 0;
  std::array<Scalar, kMaxFinite> members_;
};

// A value of element i that an engine may really hold: the point, or the number nearest to the
// middle of its interval. The element must not be `any`.
Scalar Representative(const PermittedTensor& tensor, int64_t i);

// Every member rounded to `dtype`, which is the set's own: what a cast, an update, an output or a
// cut leaves of it.
ValueSet RoundSet(DType dtype, const ValueSet& set);
// The set as an operand of an op that computes in `to`: excess precision passes through, as
// promotion does not round it.
ValueSet PromoteSet(const ValueSet& set, DType from, DType to);
// `cast`: always rounds; any where a float has no value in an integer type.
ValueSet CastSet(const ValueSet& set, DType from, DType to);

// One unit in the last place of a finite `value` in `dtype`: the spacing of its numbers there.
double UlpOf(DType dtype, double value);
// The dtype that 16-bit floats are computed in: PyTorch (at::opmath_type) and nvFuser (half is cast
// to float) both use f32.
inline DType RegisterDType(DType dtype) { return IsNarrowFloat(dtype) ? DType::kF32 : dtype; }

}  // namespace seamfuzz
