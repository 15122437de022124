// Element types, the scalar they are computed in, and conversion between them.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::string_view name;     // the text form: "bf16"
  Category category;
  int bytes;                 // storage size of one element
  int digits;                // significand bits, the hidden one included (IEEE 754 p); value bits for integers
  int max_exponent;          // largest e with a finite 1.x * 2^e; 0 for integers
  int min_exponent;          // smallest e with a normal 1.x * 2^e; 0 for integers
  std::string_view cuda;     // C type of a register that holds one: "float" for f16, bf16 and f32
  std::string_view torch;    // torch.NAME
  std::string_view nvfuser;  // DataType.NAME
  std::string_view jax;      // jnp.NAME
  std::string_view tinygrad; // dtypes.NAME
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

// One element in a register: `f` for float dtypes, `i` for integers and bool (0 or 1). Which of both is meant
// follows from the dtype that stands beside it, always.
union Scalar {
  double f;
  int64_t i;
};
inline Scalar FloatScalar(double f) { return Scalar{.f = f}; }
inline Scalar IntScalar(int64_t i) { return Scalar{.i = i}; }

// Rounds to `dtype`: nearest even for floats (overflow to infinity, denormals kept), wrapping for integers, != 0 for bool.
// `value` is in the register of the same category.
Scalar Round(DType dtype, Scalar value);
// Converts between dtypes as PyTorch's `to`: float to integer truncates toward zero, NaN and out-of-range values give
// an unspecified integer (the oracle calls such an element unjudged). The result is rounded to `to`.
Scalar Convert(Scalar value, DType from, DType to);

// The element stored at `bytes` (little endian, Row(dtype).bytes of them), and back; Store rounds first.
Scalar Load(const std::byte* bytes, DType dtype);
void Store(std::byte* bytes, DType dtype, Scalar value);

// "3", "-0.5", "nan", "true": the shortest text that reads back to the same value.
std::string ScalarText(Scalar value, DType dtype);

}  // namespace seamfuzz
