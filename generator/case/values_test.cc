// What a lane's bytes promise: distinct neighbours, and a value for each place that nothing else
// decides.
#include "generator/case/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "generator/case/text.h"

namespace seamfuzz {
namespace {

Case CaseOf(std::string_view graph, std::string_view lines = "values exact seed 1") {
  return ParseCase("seamfuzz 1\n" + std::string(graph) + "\n" + std::string(lines))->value;
}

Scalar ElementAt(const StorageBytes& bytes, DType dtype, int64_t i) {
  return Load(bytes.data() + kGuardBytes + i * Row(dtype).bytes, dtype);
}

double NumberAt(const StorageBytes& bytes, DType dtype, int64_t i) {
  const Scalar element = ElementAt(bytes, dtype, i);
  return IsFloat(dtype) ? element.f : static_cast<double>(element.i);
}

TEST(ExactLane, Holds17DifferentNeighboursOfEveryDType) {
  for (const DTypeRow& row : DTypeRows()) {
    if (row.category == Category::kBool) continue;
    const auto bytes =
        EntryBytes(CaseOf("graph { a = input " + std::string(row.name) + "[100] }"))[0];
    const DType dtype = *FindDType(row.name);
    for (int i = 0; i + 17 <= 100; ++i) {
      std::set<double> seen;
      for (int k = 0; k < 17; ++k) {
        const double value = NumberAt(bytes, dtype, i + k);
        EXPECT_LE(std::abs(value), kExactMagnitude);
        EXPECT_EQ(value, std::trunc(value));
        seen.insert(value);
      }
      ASSERT_EQ(seen.size(), 17u) << row.name;
    }
  }
}

TEST(ExactLane, BoolHoldsBothAndNothingElse) {
  const auto bytes = EntryBytes(CaseOf("graph { a = input bool[100] }"))[0];
  int ones = 0;
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_LE(static_cast<int>(bytes[kGuardBytes + i]), 1);
    ones += static_cast<int>(bytes[kGuardBytes + i]);
  }
  EXPECT_GT(ones, 25);
  EXPECT_LT(ones, 75);
}

TEST(BoundedLane, StaysWithinFourAndOffZero) {
  for (std::string_view name : {"f16", "bf16", "f32", "f64"}) {
    const DType dtype = *FindDType(name);
    const auto bytes = EntryBytes(
        CaseOf("graph { a = input " + std::string(name) + "[4096] }", "values bounded seed 3"))[0];
    int fractions = 0, negative = 0;
    for (int64_t i = 0; i < 4096; ++i) {
      const double value = ElementAt(bytes, dtype, i).f;
      ASSERT_LE(std::abs(value), 4);
      ASSERT_NE(value, 0);
      fractions += value != std::trunc(value) ? 1 : 0;
      negative += value < 0 ? 1 : 0;
    }
    EXPECT_GT(fractions, 3500) << name;
    EXPECT_NEAR(negative, 2048, 320) << name;  // five standard deviations of a fair coin
  }
}

TEST(BoundedLane, SpecialHoldsEveryKindOfValue) {
  for (std::string_view name : {"f16", "bf16", "f32", "f64"}) {
    const DType dtype = *FindDType(name);
    const auto bytes = EntryBytes(CaseOf("graph { a = input " + std::string(name) + "[4096] }",
                                         "values bounded seed 3 special"))[0];
    std::set<std::string> seen;
    for (int64_t i = 0; i < 4096; ++i) {
      const double value = ElementAt(bytes, dtype, i).f;
      if (std::isnan(value)) seen.insert("nan");
      if (std::isinf(value)) seen.insert(value > 0 ? "inf" : "-inf");
      if (value == 0) seen.insert(std::signbit(value) ? "-0" : "0");
      if (value != 0 && std::abs(value) < std::ldexp(1.0, Row(dtype).min_exponent))
        seen.insert("denormal");
      if (std::isfinite(value) && value >= std::ldexp(1.0, Row(dtype).max_exponent))
        seen.insert("largest");
    }
    EXPECT_EQ(seen.size(), 7u) << name;
  }
}

TEST(Values, AreAFunctionOfSeedStorageAndOffset) {
  const auto both = EntryBytes(
      CaseOf("graph { a = input f32[9] b = input f32[20] in S c = input f32[4] in S at 2 }"));
  const auto one = EntryBytes(CaseOf("graph { b = input f32[20] in S }"));
  EXPECT_EQ(both[1], one[0]);
  EXPECT_NE(both[0], EntryBytes(CaseOf("graph { a = input f32[9] }", "values exact seed 2"))[0]);
  const auto named = EntryBytes(CaseOf("graph { x = input f32[9] }"));
  EXPECT_NE(both[0], named[0]);
}

TEST(Values, ALongerStorageOpensWithTheShorterOnesBytes) {
  const auto shorter = EntryBytes(CaseOf("graph { a = input f32[9] }"))[0];
  const auto longer = EntryBytes(CaseOf("graph { a = input f32[10] }"))[0];
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end() - kGuardBytes, longer.begin()));
  // Guards are told apart by offset: behind the shorter one stands what any guard has there.
  EXPECT_TRUE(
      std::equal(shorter.end() - kGuardBytes + 4, shorter.end(), longer.end() - kGuardBytes));
}

TEST(Values, LiteralDataOverridesFromTheStart) {
  const auto plain = EntryBytes(CaseOf("graph { a = input f16[4] }"))[0];
  const auto given = EntryBytes(CaseOf("graph { a = input f16[4] }", "data a [100, -inf]"))[0];
  EXPECT_EQ(ElementAt(given, DType::kF16, 0).f, 100);
  EXPECT_EQ(ElementAt(given, DType::kF16, 1).f, -INFINITY);
  EXPECT_TRUE(
      std::equal(plain.begin() + kGuardBytes + 4, plain.end(), given.begin() + kGuardBytes + 4));
}

TEST(Values, BytesBehindTheLastWholeElementAreHashed) {
  const auto bytes = EntryBytes(CaseOf("graph { a = input f64[1] in S b = input i8[15] in S }"))[0];
  EXPECT_EQ(bytes.size(), 15u + 2 * kGuardBytes);
  EXPECT_LE(std::abs(ElementAt(bytes, DType::kF64, 0).f), kExactMagnitude);
}

TEST(Values, AnEmptyStorageHasItsGuards) {
  const auto bytes = EntryBytes(CaseOf("graph { a = input f32[0, 3] }"))[0];
  EXPECT_EQ(bytes.size(), 2u * kGuardBytes);
}

}  // namespace
}  // namespace seamfuzz
