// Element types, the scalar they are computed in, and conversion between them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace seamfuzz {

// The order is PyTorch's promotion order inside a category. f16 with bf16 promotes to f32.
enum class DType : uint8_t { kBool, kI8, kI32, kI64, kF16, kBF16, kF32, kF64 };
inline constexpr int kDTypeCount = 8;

enum class Category : uint8_t { kBool, kInteger, kFloat };

struct DTypeRow {
  std::string_view name;  // the text form: "bf16"
  Category category;
  int bytes;   // storage size of one element
  int digits;  // significand bits, the hidden one included (IEEE 754 p); value bits for integers
  int max_exponent;           // largest e with a finite 1.x * 2^e; 0 for integers
  int min_exponent;           // smallest e with a normal 1.x * 2^e; 0 for integers
  std::string_view cuda;      // C type of a register that holds one: "float" for f16, bf16 and f32
  std::string_view torch;     // torch.NAME
  std::string_view nvfuser;   // DataType.NAME
  std::string_view jax;       // jnp.NAME
  std::string_view tinygrad;  // dtypes.NAME
};

const DTypeRow& Row(DType dtype);
std::optional<DType> FindDType(std::string_view name);
std::span<const DTypeRow> DTypeRows();

inline bool IsFloat(DType d) { return d >= DType::kF16; }
inline bool IsInteger(DType d) { return d == DType::kI8 || d == DType::kI32 || d == DType::kI64; }
// 16-bit floats: between two narrow ops excess precision is permitted (design 2.1).
inline bool IsNarrowFloat(DType d) { return d == DType::kF16 || d == DType::kBF16; }

// PyTorch's promotion of two tensor dtypes.
// Source: https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
DType Promote(DType a, DType b);

// One element in a register: `f` for float dtypes, `i` for integers and bool (0 or 1). Which of
// both is meant follows from the dtype that stands beside it, always.
union Scalar {
  double f;
  int64_t i;
};
inline Scalar FloatScalar(double f) { return Scalar{.f = f}; }
inline Scalar IntScalar(int64_t i) { return Scalar{.i = i}; }

// Rounds to `dtype`: nearest even for floats (overflow to infinity, denormals kept), wrapping for
// integers, != 0 for bool. `value` is in the register of the same category.
inline Scalar Round(DType dtype, Scalar value);
// Converts between dtypes as PyTorch's `to`: float to integer truncates toward zero, NaN and
// out-of-range values give an unspecified integer (the oracle calls such an element unjudged). The
// result is rounded to `to`.
Scalar Convert(Scalar value, DType from, DType to);

// The element stored at `bytes` (little endian, Row(dtype).bytes of them), and back; Store rounds
// first.
inline Scalar Load(const std::byte* bytes, DType dtype);
inline void Store(std::byte* bytes, DType dtype, Scalar value);

// "3", "-0.5", "nan", "true": the shortest text that reads back to the same value.
std::string ScalarText(Scalar value, DType dtype);

// ---- Inline: these run once for each element and op -------------------------------------------

namespace dtype_internal {

inline constexpr double Power2(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// Nearest even with kDigits significand bits, exponents kMin to kMax, gradual underflow (IEEE
// 754-2019, 4.3.1).
template <int kDigits, int kMax, int kMin>
inline double RoundNarrow(double x) {
  const double magnitude = std::fabs(x);
  if (!(magnitude <= std::numeric_limits<double>::max())) return x;  // infinity and NaN
  if (magnitude < Power2(kMin)) {
    // Below the normal range all values are multiples of one quantum: adding 1.5 * 2^52 quanta lets
    // the FPU round there.
    constexpr double kMagic = 1.5 * Power2(52) * Power2(kMin - (kDigits - 1));
    return std::copysign((magnitude + kMagic) - kMagic, x);
  }
  constexpr int kDropped = 53 - kDigits;
  uint64_t bits = std::bit_cast<uint64_t>(x);
  bits += ((uint64_t{1} << (kDropped - 1)) - 1) + ((bits >> kDropped) & 1);
  bits &= ~((uint64_t{1} << kDropped) - 1);
  const double rounded = std::bit_cast<double>(bits);
  if (std::fabs(rounded) >= 2 * Power2(kMax)) {
    return std::copysign(std::numeric_limits<double>::infinity(), x);
  }
  return rounded;
}

inline double DecodeHalf(uint16_t h) {
  const uint64_t sign = static_cast<uint64_t>(h >> 15) << 63;
  const uint64_t exponent = (h >> 10) & 0x1f;
  const uint64_t fraction = h & 0x3ff;
  if (exponent == 0) {
    const double magnitude = static_cast<double>(fraction) * Power2(-24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint64_t wide = exponent == 0x1f ? 0x7ff : exponent - 15 + 1023;
  return std::bit_cast<double>(sign | (wide << 52) | (fraction << 42));
}

// `x` has been rounded to f16.
inline uint16_t EncodeHalf(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const auto sign = static_cast<uint16_t>((bits >> 63) << 15);
  const double magnitude = std::fabs(x);
  if (std::isnan(x)) return static_cast<uint16_t>(sign | 0x7e00);
  if (std::isinf(x)) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < Power2(-14)) {
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(magnitude * Power2(24)));
  }
  const uint64_t exponent = ((bits >> 52) & 0x7ff) - 1023 + 15;
  return static_cast<uint16_t>(sign | (exponent << 10) | ((bits >> 42) & 0x3ff));
}

template <typename T>
inline T LoadAs(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}
template <typename T>
inline void StoreAs(std::byte* bytes, T value) {
  std::memcpy(bytes, &value, sizeof(T));
}

}  // namespace dtype_internal

inline Scalar Round(DType dtype, Scalar value) {
  switch (dtype) {
    case DType::kBool:
      return IntScalar(value.i != 0);
    case DType::kI8:
      return IntScalar(static_cast<int8_t>(value.i));
    case DType::kI32:
      return IntScalar(static_cast<int32_t>(value.i));
    case DType::kI64:
      return value;
    case DType::kF16:
      return FloatScalar(dtype_internal::RoundNarrow<11, 15, -14>(value.f));
    case DType::kBF16:
      return FloatScalar(dtype_internal::RoundNarrow<8, 127, -126>(value.f));
    case DType::kF32:
      return FloatScalar(static_cast<float>(value.f));
    case DType::kF64:
      return value;
  }
  return value;
}

inline Scalar Load(const std::byte* bytes, DType dtype) {
  using dtype_internal::LoadAs;
  switch (dtype) {
    case DType::kBool:
      return IntScalar(*bytes != std::byte{0});
    case DType::kI8:
      return IntScalar(LoadAs<int8_t>(bytes));
    case DType::kI32:
      return IntScalar(LoadAs<int32_t>(bytes));
    case DType::kI64:
      return IntScalar(LoadAs<int64_t>(bytes));
    case DType::kF16:
      return FloatScalar(dtype_internal::DecodeHalf(LoadAs<uint16_t>(bytes)));
    case DType::kBF16:
      return FloatScalar(
          std::bit_cast<float>(static_cast<uint32_t>(LoadAs<uint16_t>(bytes)) << 16));
    case DType::kF32:
      return FloatScalar(LoadAs<float>(bytes));
    case DType::kF64:
      return FloatScalar(LoadAs<double>(bytes));
  }
  return IntScalar(0);
}

inline void Store(std::byte* bytes, DType dtype, Scalar value) {
  using dtype_internal::StoreAs;
  value = Round(dtype, value);
  switch (dtype) {
    case DType::kBool:
    case DType::kI8:
      return StoreAs(bytes, static_cast<int8_t>(value.i));
    case DType::kI32:
      return StoreAs(bytes, static_cast<int32_t>(value.i));
    case DType::kI64:
      return StoreAs(bytes, value.i);
    case DType::kF16:
      return StoreAs(bytes, dtype_internal::EncodeHalf(value.f));
    case DType::kBF16: {
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value.f));
      return StoreAs(bytes, static_cast<uint16_t>(bits >> 16));
    }
    case DType::kF32:
      return StoreAs(bytes, static_cast<float>(value.f));
    case DType::kF64:
      return StoreAs(bytes, value.f);
  }
}

}  // namespace seamfuzz
