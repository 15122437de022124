// Tests of the source of randomness.
#include "generator/draw/choices.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

namespace seamfuzz {
namespace {

TEST(Choices, TheSameSeedAndIndexGiveTheSameBits) {
  Choices a(7, 3), b(7, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.Bits(), b.Bits());
}

TEST(Choices, NeighbouringIndicesAreNoShiftedCopies) {
  Choices a(7, 3), b(7, 4);
  std::vector<uint64_t> first, second;
  for (int i = 0; i < 100; ++i) first.push_back(a.Bits()), second.push_back(b.Bits());
  for (uint64_t bits : second) EXPECT_EQ(std::count(first.begin(), first.end(), bits), 0);
}

// Pearson's statistic for 9 degrees of freedom is below 27.9 with probability 0.999 (any table of
// chi-square).
TEST(Choices, BelowIsUniform) {
  Choices choices(1, 1);
  std::array<int, 10> counts = {};
  for (int i = 0; i < 100000; ++i) ++counts[choices.Below(10)];
  double statistic = 0;
  for (int count : counts) statistic += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(statistic, 27.9);
}

TEST(Choices, WeightedNeverTakesAZeroWeight) {
  Choices choices(1, 1);
  std::map<int, int> counts;
  for (int i = 0; i < 1000; ++i) ++counts[choices.Weighted(std::array{0, 1, 0, 3})];
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_GT(counts[3], 2 * counts[1]);
}

TEST(Choices, BytesAreTakenInOrderAndZerosFollow) {
  const std::array bytes = {std::byte{5}, std::byte{11}};
  Choices choices(bytes);
  EXPECT_EQ(choices.Below(10), 5);
  EXPECT_EQ(choices.Below(10), 1);
  EXPECT_EQ(choices.Below(10), 0);
  EXPECT_FALSE(choices.Percent(99));
  EXPECT_FALSE(choices.OneIn(2));
}

}  // namespace
}  // namespace seamfuzz
