// Tests of static bounds against IEEE 754: the largest integers that a format holds exactly.
#include "generator/draw/bounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace seamfuzz {
namespace {

std::optional<Range> Exact(std::string_view op, DType dtype, std::vector<Range> operands,
                           int64_t combined = 1) {
  const Attrs attrs;
  const std::vector<DType> dtypes(operands.size(), dtype);
  return ResultRange({Row(*FindOp(op)), {dtype, dtype}, dtypes, attrs, combined}, operands,
                     Lane::kExact);
}

TEST(Bounds, ASumIsExactUpToTheSignificandAndNoFurther) {
  EXPECT_EQ(Exact("add", DType::kF16, {Around(1024), Around(1024)}), Around(2048));
  EXPECT_EQ(Exact("add", DType::kF16, {Around(1024), Around(1025)}), std::nullopt);
  EXPECT_EQ(Exact("add", DType::kBF16, {Around(128), Around(128)}), Around(256));
  EXPECT_EQ(Exact("add", DType::kBF16, {Around(128), Around(129)}), std::nullopt);
}

TEST(Bounds, AProductAndAReductionMultiply) {
  EXPECT_EQ(Exact("mul", DType::kF32, {Around(4096), Around(4096)}), Around(1 << 24));
  EXPECT_EQ(Exact("mul", DType::kF32, {Around(4096), Around(4097)}), std::nullopt);
  EXPECT_EQ(Exact("sum", DType::kF16, {Around(8)}, 256), Around(2048));
  EXPECT_EQ(Exact("sum", DType::kF16, {Around(8)}, 257), std::nullopt);
}

TEST(Bounds, IntegersWrapAndAreNeverForbidden) {
  EXPECT_EQ(Exact("add", DType::kI8, {Around(100), Around(100)}), Around(128));
  EXPECT_EQ(Exact("mul", DType::kI8, {Around(2), Around(3)}), Around(6));
}

TEST(Bounds, ACastMayRoundButNotOverflow) {
  const Attrs attrs;
  const std::vector<DType> from = {DType::kF32};
  const OpUse use = {Row(CastOp()), {DType::kF32, DType::kF16}, from, attrs};
  EXPECT_EQ(ResultRange(use, std::vector{Around(2049)}, Lane::kExact), Around(2048));
  EXPECT_EQ(ResultRange(use, std::vector{Around(65520)}, Lane::kExact), std::nullopt);
}

TEST(Bounds, TheBoundedLaneKeepsLogarithmsPositive) {
  const Attrs attrs;
  const std::vector<DType> f32 = {DType::kF32};
  const OpUse use = {Row(*FindOp("log")), {DType::kF32, DType::kF32}, f32, attrs};
  EXPECT_EQ(ResultRange(use, std::vector{Around(4)}, Lane::kBounded), std::nullopt);
  EXPECT_TRUE(ResultRange(use, std::vector{TameRange(use.row, Lane::kBounded, 2)}, Lane::kBounded));
}

}  // namespace
}  // namespace seamfuzz
