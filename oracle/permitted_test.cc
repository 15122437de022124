// Membership and width of permitted sets.
#include "oracle/permitted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace seamfuzz {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

PermittedTensor Interval(DType dtype, double low, double high, bool nan = false) {
  return {.dtype = dtype,
          .shape = {1},
          .elements = {{.low = FloatScalar(low), .high = FloatScalar(high), .nan = nan}},
          .sets = {}};
}

TEST(Permitted, AnIntervalAllowsWhatLiesInside) {
  const PermittedTensor tensor = Interval(DType::kF32, 1, 2);
  EXPECT_TRUE(tensor.Allows(0, FloatScalar(1)));
  EXPECT_TRUE(tensor.Allows(0, FloatScalar(2)));
  EXPECT_FALSE(tensor.Allows(0, FloatScalar(2.5)));
  EXPECT_FALSE(tensor.Allows(0, FloatScalar(std::nan(""))));
}

TEST(Permitted, NanIsAllowedOnlyWhereItMayBe) {
  EXPECT_TRUE(Interval(DType::kF32, 1, 2, true).Allows(0, FloatScalar(std::nan(""))));
  EXPECT_TRUE(Interval(DType::kF32, kInfinity, -kInfinity, true).IsPoint(0));
  EXPECT_FALSE(Interval(DType::kF32, 1, 1, true).IsPoint(0));
}

TEST(Permitted, ZerosCompareEqual) {
  EXPECT_TRUE(Interval(DType::kF32, 0, 0).Allows(0, FloatScalar(-0.0)));
}

TEST(Permitted, EndsRoundToTheDTypeOfTheEffect) {
  // 2049 is no f16; it rounds to 2048 (IEEE 754, ties to even).
  EXPECT_TRUE(Interval(DType::kF16, 2049, 2049).Allows(0, FloatScalar(2048)));
  EXPECT_FALSE(Interval(DType::kF16, 2049, 2049).Allows(0, FloatScalar(2050)));
}

TEST(Permitted, WeakIsWiderThanASixtyFourth) {
  EXPECT_FALSE(Interval(DType::kF32, 64, 65).IsWeak(0));
  EXPECT_TRUE(Interval(DType::kF32, 64, 65.5).IsWeak(0));
  EXPECT_TRUE(Interval(DType::kF32, 64, kInfinity).IsWeak(0));
  EXPECT_FALSE(Interval(DType::kF32, kInfinity, kInfinity).IsWeak(0));
}

TEST(Permitted, WeakIsWiderThanFourUlpOfA16BitFloat) {
  // bf16 has 8 bits: one unit in the last place of 1 is 2^-7.
  EXPECT_FALSE(Interval(DType::kBF16, 1, 1 + 4.0 / 128).IsWeak(0));
  EXPECT_TRUE(Interval(DType::kBF16, 1, 1 + 5.0 / 128).IsWeak(0));
}

TEST(Permitted, FiniteSetsAllowTheirMembers) {
  PermittedTensor tensor = {.dtype = DType::kI32,
                            .shape = {1},
                            .elements = {{.low = IntScalar(1), .high = IntScalar(3), .finite = 0}},
                            .sets = {{IntScalar(1), IntScalar(3)}}};
  EXPECT_TRUE(tensor.Allows(0, IntScalar(3)));
  EXPECT_FALSE(tensor.Allows(0, IntScalar(2)));
  EXPECT_EQ(tensor.Text(0), "{1, 3}");
}

TEST(Permitted, TextNamesTheSet) {
  EXPECT_EQ(Interval(DType::kF32, 3.5, 3.75).Text(0), "[3.5, 3.75]");
  EXPECT_EQ(Interval(DType::kF32, 3, 3, true).Text(0), "nan or 3");
}

}  // namespace
}  // namespace seamfuzz
