// The table of element types, promotion, conversion and scalar text.
#include "generator/ir/dtype.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace seamfuzz {
namespace {

// Significands and exponent ranges: IEEE 754-2019 table 3.5 (bf16 has f32's exponents and 8 bits).
// nvFuser has no 8-bit integer tensor type.
constexpr std::array<DTypeRow, kDTypeCount> kRows = {{
    {"bool", Category::kBool, 1, 1, 0, 0, "bool", "bool", "Bool", "bool_", "bool"},
    {"i8", Category::kInteger, 1, 7, 0, 0, "signed char", "int8", "-", "int8", "int8"},
    {"i32", Category::kInteger, 4, 31, 0, 0, "int", "int32", "Int32", "int32", "int32"},
    {"i64", Category::kInteger, 8, 63, 0, 0, "long long", "int64", "Int", "int64", "int64"},
    {"f16", Category::kFloat, 2, 11, 15, -14, "float", "float16", "Half", "float16", "float16"},
    {"bf16", Category::kFloat, 2, 8, 127, -126, "float", "bfloat16", "BFloat16", "bfloat16",
     "bfloat16"},
    {"f32", Category::kFloat, 4, 24, 127, -126, "float", "float32", "Float", "float32", "float32"},
    {"f64", Category::kFloat, 8, 53, 1023, -1022, "double", "float64", "Double", "float64",
     "float64"},
}};

int64_t TruncateToInteger(double value) {
  // The bounds are exact doubles; what lies outside is unspecified, but must not trap.
  if (!(value > -9223372036854775808.0)) return std::numeric_limits<int64_t>::min();
  if (!(value < 9223372036854775808.0)) return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

// Exact, or off by less than half of what rounding to 24 bits or fewer can see: beyond 53 bits the
// lost part becomes a sticky bit, so that the second rounding decides as if it were the only one.
double IntegerForNarrowFloat(int64_t value) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  constexpr int64_t kLow = 0x7ff;
  const int64_t sticky = (value & kLow) != 0 ? kLow + 1 : 0;
  return static_cast<double>((value & ~kLow) | sticky);
}

std::string NarrowFloatText(double value, DType dtype) {
  for (int precision = 1; precision < 9; ++precision) {
    std::string text = fmt::format("{:.{}g}", value, precision);
    if (Round(dtype, FloatScalar(std::strtod(text.c_str(), nullptr))).f == value) return text;
  }
  return fmt::format("{}", static_cast<float>(value));
}

}  // namespace

const DTypeRow& Row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

std::span<const DTypeRow> DTypeRows() { return kRows; }

std::optional<DType> FindDType(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

DType Promote(DType a, DType b) {
  if (a != b && IsNarrowFloat(a) && IsNarrowFloat(b)) return DType::kF32;
  return std::max(a, b);
}

Scalar Convert(Scalar value, DType from, DType to) {
  if (from == to) return Round(to, value);
  if (IsFloat(from)) {
    if (IsFloat(to)) return Round(to, value);
    if (to == DType::kBool) return IntScalar(value.f != 0);
    return Round(to, IntScalar(TruncateToInteger(value.f)));
  }
  if (!IsFloat(to)) return Round(to, value);
  if (to == DType::kF64) return FloatScalar(static_cast<double>(value.i));
  return Round(to, FloatScalar(IntegerForNarrowFloat(value.i)));
}

std::string ScalarText(Scalar value, DType dtype) {
  if (dtype == DType::kBool) return value.i != 0 ? "true" : "false";
  if (!IsFloat(dtype)) return fmt::format("{}", value.i);
  if (std::isnan(value.f)) return "nan";
  if (std::isinf(value.f)) return value.f < 0 ? "-inf" : "inf";
  if (dtype == DType::kF64) return fmt::format("{}", value.f);
  if (dtype == DType::kF32) return fmt::format("{}", static_cast<float>(value.f));
  return NarrowFloatText(value.f, dtype);
}

}  // namespace seamfuzz
