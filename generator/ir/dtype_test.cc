// Rounding, storing and promoting, against IEEE 754, the compiler's own half type and PyTorch's
// documentation.
#include "generator/ir/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

namespace seamfuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<DType, kDTypeCount> kAll = {DType::kBool, DType::kI8,  DType::kI32,
                                                 DType::kI64,  DType::kF16, DType::kBF16,
                                                 DType::kF32,  DType::kF64};

// The 16-bit float with this pattern, and back.
Scalar FromBits(DType dtype, uint32_t pattern) {
  std::array<std::byte, 8> bytes = {};
  std::memcpy(bytes.data(), &pattern, 2);
  return Load(bytes.data(), dtype);
}
uint32_t ToBits(DType dtype, Scalar value) {
  std::array<std::byte, 8> bytes = {};
  Store(bytes.data(), dtype, value);
  uint32_t pattern = 0;
  std::memcpy(&pattern, bytes.data(), 2);
  return pattern;
}

double Rounded(DType dtype, double value) { return Round(dtype, FloatScalar(value)).f; }

TEST(DType, NamesReadBack) {
  for (DType dtype : kAll) EXPECT_EQ(FindDType(Row(dtype).name), dtype);
  EXPECT_EQ(FindDType("f31"), std::nullopt);
}

// https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc, and
// torch.promote_types for the pairs of floats.
TEST(Promote, IsTheTableOfPyTorch) {
  EXPECT_EQ(Promote(DType::kBool, DType::kI8), DType::kI8);
  EXPECT_EQ(Promote(DType::kI64, DType::kI32), DType::kI64);
  EXPECT_EQ(Promote(DType::kI64, DType::kF16), DType::kF16);
  EXPECT_EQ(Promote(DType::kF16, DType::kBF16), DType::kF32);
  EXPECT_EQ(Promote(DType::kBF16, DType::kF32), DType::kF32);
  EXPECT_EQ(Promote(DType::kF32, DType::kF64), DType::kF64);
}

TEST(Promote, IsSymmetricAndKeepsEqualDtypes) {
  for (DType a : kAll) {
    EXPECT_EQ(Promote(a, a), a);
    for (DType b : kAll) EXPECT_EQ(Promote(a, b), Promote(b, a));
  }
}

// Every 16-bit pattern: load and store are inverses, but for the payload of a NaN.
TEST(Store, GivesBackEveryPatternOf16Bits) {
  for (DType dtype : {DType::kF16, DType::kBF16}) {
    for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
      const Scalar value = FromBits(dtype, pattern);
      if (std::isnan(value.f)) {
        EXPECT_TRUE(std::isnan(FromBits(dtype, ToBits(dtype, value)).f));
      } else {
        ASSERT_EQ(ToBits(dtype, value), pattern) << Row(dtype).name;
      }
    }
  }
}

// Third source: the compiler's _Float16, by bits.
TEST(Load, HalfIsTheCompilersHalf) {
  for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
    const auto bits = static_cast<uint16_t>(pattern);
    const auto expected = static_cast<double>(std::bit_cast<_Float16>(bits));
    const double got = FromBits(DType::kF16, pattern).f;
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got));
    } else {
      ASSERT_EQ(std::bit_cast<uint64_t>(expected), std::bit_cast<uint64_t>(got)) << pattern;
    }
  }
}

// Every pair of neighbours: below, at and above the middle. Ties go to the even pattern (IEEE
// 754-2019, 4.3.1).
TEST(Round, HalfwayGoesToTheEvenNeighbour) {
  for (DType dtype : {DType::kF16, DType::kBF16}) {
    const uint32_t last = dtype == DType::kF16 ? 0x7bff : 0x7f7f;
    for (uint32_t pattern = 0; pattern < last; ++pattern) {
      const double low = FromBits(dtype, pattern).f;
      const double high = FromBits(dtype, pattern + 1).f;
      const double middle = low + (high - low) / 2;  // exact in f64
      const double even = pattern % 2 == 0 ? low : high;
      ASSERT_EQ(Rounded(dtype, middle), even) << Row(dtype).name << " " << pattern;
      ASSERT_EQ(Rounded(dtype, -middle), -even) << Row(dtype).name << " " << pattern;
      ASSERT_EQ(Rounded(dtype, std::nextafter(middle, -kInfinity)), low);
      ASSERT_EQ(Rounded(dtype, std::nextafter(middle, kInfinity)), high);
    }
  }
}

TEST(Round, RandomDoublesRoundAsTheCompilersHalf) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-30, 20);
  for (int i = 0; i < 200000; ++i) {
    const double value = std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53,
                                    static_cast<int>(exponent(random)));
    ASSERT_EQ(Rounded(DType::kF16, value), static_cast<double>(static_cast<_Float16>(value)))
        << value;
  }
}

// The largest finite value plus half of its last place is the first that overflows: 65504 + 16 for
// f16.
TEST(Round, OverflowsFromHalfAPlaceAboveTheLargest) {
  EXPECT_EQ(Rounded(DType::kF16, 65519.99), 65504);
  EXPECT_EQ(Rounded(DType::kF16, 65520), kInfinity);
  EXPECT_EQ(Rounded(DType::kF16, -65520), -kInfinity);
  EXPECT_EQ(Rounded(DType::kBF16, 0x1.fep127), 0x1.fep127);
  EXPECT_EQ(Rounded(DType::kBF16, 0x1.ffp127), kInfinity);
  EXPECT_EQ(Rounded(DType::kF32, 0x1.ffffffp127), kInfinity);
  EXPECT_EQ(Rounded(DType::kF16, kInfinity), kInfinity);
}

TEST(Round, KeepsDenormalsTheSignOfZeroAndNaN) {
  EXPECT_EQ(Rounded(DType::kF16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(Rounded(DType::kF16, 0x1p-25), 0);
  EXPECT_EQ(Rounded(DType::kBF16, 0x1p-133), 0x1p-133);
  EXPECT_EQ(Rounded(DType::kF32, 0x1p-149), 0x1p-149);
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    EXPECT_TRUE(std::signbit(Rounded(dtype, -0.0)));
    EXPECT_TRUE(std::isnan(Rounded(dtype, std::nan(""))));
  }
}

TEST(Round, IntegersWrap) {
  EXPECT_EQ(Round(DType::kI8, IntScalar(128)).i, -128);
  EXPECT_EQ(Round(DType::kI32, IntScalar(int64_t{1} << 31)).i, -(int64_t{1} << 31));
  EXPECT_EQ(Round(DType::kBool, IntScalar(256)).i, 1);
}

TEST(Convert, TruncatesTowardZero) {
  EXPECT_EQ(Convert(FloatScalar(-1.9), DType::kF32, DType::kI32).i, -1);
  EXPECT_EQ(Convert(FloatScalar(1.9), DType::kF32, DType::kI8).i, 1);
  EXPECT_EQ(Convert(FloatScalar(0.5), DType::kF32, DType::kBool).i, 1);
  EXPECT_EQ(Convert(FloatScalar(std::nan("")), DType::kF32, DType::kBool).i, 1);
}

// No conversion traps, whatever it gives.
TEST(Convert, TakesAnythingToAnInteger) {
  for (double value : {std::nan(""), kInfinity, -kInfinity, 1e300, -0x1p63, 0x1p63}) {
    const int64_t small = Convert(FloatScalar(value), DType::kF64, DType::kI8).i;
    EXPECT_TRUE(small >= -128 && small <= 127);
  }
  EXPECT_EQ(Convert(FloatScalar(-0x1p63), DType::kF64, DType::kI64).i,
            std::numeric_limits<int64_t>::min());
}

// One rounding only: 2^60 + 2^36 is the middle of two floats of 24 bits, and one more decides
// upward. Through f64 first, which drops that one, it would be a tie.
TEST(Convert, RoundsALargeIntegerOnce) {
  const int64_t middle = (int64_t{1} << 60) + (int64_t{1} << 36);
  EXPECT_EQ(Convert(IntScalar(middle), DType::kI64, DType::kF32).f, 0x1p60);
  EXPECT_EQ(Convert(IntScalar(middle + 1), DType::kI64, DType::kF32).f, 0x1p60 + 0x1p37);
  EXPECT_EQ(Convert(IntScalar(-middle - 1), DType::kI64, DType::kF32).f, -0x1p60 - 0x1p37);
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto value = static_cast<int64_t>(random()) >> (random() % 40);
    ASSERT_EQ(Convert(IntScalar(value), DType::kI64, DType::kF32).f, static_cast<float>(value));
  }
}

TEST(ScalarText, IsShortAndReadsBack) {
  EXPECT_EQ(ScalarText(FloatScalar(3), DType::kF32), "3");
  EXPECT_EQ(ScalarText(FloatScalar(-0.5), DType::kF16), "-0.5");
  EXPECT_EQ(ScalarText(FloatScalar(static_cast<float>(0.1)), DType::kF32), "0.1");
  EXPECT_EQ(ScalarText(Round(DType::kF16, FloatScalar(0.1)), DType::kF16), "0.1");
  EXPECT_EQ(ScalarText(FloatScalar(-kInfinity), DType::kF64), "-inf");
  EXPECT_EQ(ScalarText(FloatScalar(std::nan("")), DType::kBF16), "nan");
  EXPECT_EQ(ScalarText(IntScalar(1), DType::kBool), "true");
  EXPECT_EQ(ScalarText(IntScalar(std::numeric_limits<int64_t>::min()), DType::kI64),
            "-9223372036854775808");
}

TEST(ScalarText, ReadsBackForEvery16BitValue) {
  for (DType dtype : {DType::kF16, DType::kBF16}) {
    for (uint32_t pattern = 0; pattern <= 0xffff; ++pattern) {
      const Scalar value = FromBits(dtype, pattern);
      if (std::isnan(value.f)) continue;
      const double back = std::strtod(ScalarText(value, dtype).c_str(), nullptr);
      ASSERT_EQ(Rounded(dtype, back), value.f) << pattern;
    }
  }
}

}  // namespace
}  // namespace seamfuzz
