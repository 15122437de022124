// Membership, width and text of permitted sets. Effects round, so that is done here before an
// element is compared.
#include "oracle/permitted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/value_set.h"

namespace seamfuzz {
namespace {

// Design 6: sets wider than this share of their magnitude say little.
constexpr double kWeakShare = 1.0 / 64;
constexpr double kWeakUlps = 4;  // of a 16-bit float

bool Equal(DType dtype, Scalar a, Scalar b) {
  if (!IsFloat(dtype)) return a.i == b.i;
  return a.f == b.f || (std::isnan(a.f) && std::isnan(b.f));
}

// Zeros compare equal, so that their sign is no part of the set.
std::string NumberText(Scalar value, DType dtype) {
  return ScalarText(IsFloat(dtype) && value.f == 0 ? FloatScalar(0) : value, dtype);
}

std::string IntervalText(DType dtype, Scalar low, Scalar high) {
  if (Equal(dtype, low, high)) return NumberText(low, dtype);
  return fmt::format("[{}, {}]", NumberText(low, dtype), NumberText(high, dtype));
}

}  // namespace

bool PermittedTensor::Allows(int64_t i, Scalar got) const {
  const Permitted& p = elements[i];
  if (p.any) return true;
  if (IsFloat(dtype) && std::isnan(got.f)) return p.nan;
  if (p.finite >= 0) {
    const std::vector<Scalar>& set = sets[p.finite];
    return std::any_of(set.begin(), set.end(),
                       [&](Scalar member) { return Equal(dtype, Round(dtype, member), got); });
  }
  if (!IsFloat(dtype)) return p.low.i == got.i;
  return HasNumber(dtype, p) && Round(dtype, p.low).f <= got.f && got.f <= Round(dtype, p.high).f;
}

bool PermittedTensor::IsWeak(int64_t i) const {
  const Permitted& p = elements[i];
  if (p.any || p.finite >= 0 || !IsFloat(dtype) || !HasNumber(dtype, p)) return false;
  const double low = Round(dtype, p.low).f;
  const double high = Round(dtype, p.high).f;
  if (low == high) return false;
  if (std::isinf(low) || std::isinf(high)) return true;
  const double magnitude = std::max(std::abs(low), std::abs(high));
  const double allowed =
      IsNarrowFloat(dtype) ? kWeakUlps * UlpOf(dtype, magnitude) : kWeakShare * magnitude;
  return high - low > allowed;
}

std::string PermittedTensor::Text(int64_t i) const {
  const Permitted& p = elements[i];
  if (p.any) return "any";
  std::string numbers;
  if (p.finite >= 0) {
    for (const Scalar member : sets[p.finite]) {
      numbers += fmt::format("{}{}", numbers.empty() ? "{" : ", ",
                             NumberText(Round(dtype, member), dtype));
    }
    numbers += "}";
  } else if (HasNumber(dtype, p)) {
    numbers = IntervalText(dtype, Round(dtype, p.low), Round(dtype, p.high));
  }
  if (!p.nan) return numbers;
  return numbers.empty() ? "nan" : "nan or " + numbers;
}

}  // namespace seamfuzz
