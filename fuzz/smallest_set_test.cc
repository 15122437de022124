#include "fuzz/smallest_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace seamfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

auto Contains(std::vector<int> wanted, int& questions) {
  return [wanted, &questions](const std::vector<int>& members) {
    ++questions;
    return std::includes(members.begin(), members.end(), wanted.begin(), wanted.end());
  };
}

TEST(SmallestSet, FindsTheMembersThatAreNeeded) {
  int questions = 0;
  EXPECT_THAT(SmallestSet(20, Contains({3, 17}, questions)), ElementsAre(3, 17));
}

TEST(SmallestSet, PrefersEarlierMembersAmongEquals) {
  const auto any = [](const std::vector<int>& members) { return !members.empty(); };
  EXPECT_THAT(SmallestSet(9, any), ElementsAre(0));
}

TEST(SmallestSet, OfOneMemberNeedsNoQuestion) {
  int questions = 0;
  EXPECT_THAT(SmallestSet(1, Contains({0}, questions)), ElementsAre(0));
  EXPECT_EQ(questions, 0);
}

TEST(SmallestSet, OfNothingIsEmpty) {
  int questions = 0;
  EXPECT_THAT(SmallestSet(0, Contains({}, questions)), IsEmpty());
}

TEST(SmallestSet, AsksLogarithmicallyOften) {
  int questions = 0;
  SmallestSet(1024, Contains({700}, questions));
  EXPECT_LE(questions, 2 * 11);
}

}  // namespace
}  // namespace seamfuzz
