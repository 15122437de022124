// The set of values an honest engine may give for one element, and tensors of them (design 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/ir/dtype.h"
#include "generator/ir/shape.h"

namespace seamfuzz {

// An interval [low, high] (floats; low > high: empty) + may be NaN, or a finite set of at most 8,
// or any. Integers and bool are points or finite sets. Zeros compare equal.
struct Permitted {
  Scalar low = {.i = 0};
  Scalar high = {.i = 0};
  bool nan = false;
  bool any = false;
  int32_t finite = -1;  // index into PermittedTensor::sets; low and high are then its hull
};
inline constexpr int kMaxFinite = 8;

struct PermittedTensor {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<Permitted> elements;
  std::vector<std::vector<Scalar>> sets;

  // One value only, NaN counting as one.
  bool IsPoint(int64_t i) const {
    const Permitted& p = elements[i];
    if (p.any || p.finite >= 0) return false;
    if (!IsFloat(dtype)) return p.low.i == p.high.i;
    return p.nan ? p.low.f > p.high.f : p.low.f == p.high.f;
  }
  bool Allows(int64_t i, Scalar got) const;
  // Design 6: wider than 2^-6 of its magnitude (16-bit and narrower: 4 ULP), or an infinity it need
  // not hold.
  bool IsWeak(int64_t i) const;
  std::string Text(int64_t i) const;  // "4", "[3.5, 3.75]", "{1, 2}", "any", "nan or 3"
};

}  // namespace seamfuzz
