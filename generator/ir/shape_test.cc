// Shapes, strides and index arithmetic.
#include "generator/ir/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace seamfuzz {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(IntList, InsertsAndErases) {
  IntList list = {2, 3};
  list.insert(0, 1);
  list.insert(3, 4);
  EXPECT_EQ(list, (IntList{1, 2, 3, 4}));
  list.erase(1);
  EXPECT_EQ(list, (IntList{1, 3, 4}));
}

TEST(IntList, FillsUpToTheLargestRank) {
  IntList list = IntList::Filled(kMaxRank - 1, 7);
  list.insert(0, 1);
  EXPECT_TRUE(list.full());
  EXPECT_EQ(list[0], 1);
  EXPECT_EQ(list[kMaxRank - 1], 7);
}

TEST(IntList, PrintsAsInTheTextForm) {
  EXPECT_EQ((IntList{2, 10, 2}).Text(), "[2, 10, 2]");
  EXPECT_EQ(IntList{}.Text(), "[]");
}

TEST(NumElements, SaturatesAndSeesZero) {
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3}), 6);
  EXPECT_EQ(NumElements({int64_t{1} << 40, int64_t{1} << 40}), kMax);
  EXPECT_EQ(NumElements({int64_t{1} << 40, int64_t{1} << 40, 0}), 0);
}

TEST(ContiguousStrides, AreRowMajor) {
  EXPECT_EQ(ContiguousStrides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(ContiguousStrides({2, 0, 4}), (Strides{4, 4, 1}));
}

TEST(Extent, IsTheFurthestElementPlusOne) {
  EXPECT_EQ(Extent({2, 3}, {3, 1}), 6);
  EXPECT_EQ(Extent({2, 3}, {10, 2}), 15);
  EXPECT_EQ(Extent({2, 0}, {10, 2}), 0);
  EXPECT_EQ(Extent({3}, {kMax}), kMax);
}

TEST(OverlapsItself, SeesBroadcastsAndUnfoldedViews) {
  EXPECT_TRUE(OverlapsItself({3, 4}, {0, 1}));
  EXPECT_TRUE(OverlapsItself({3, 2}, {1, 1}));   // x.unfold(0, 2, 1)
  EXPECT_FALSE(OverlapsItself({3, 4}, {1, 3}));  // transposed
  EXPECT_FALSE(OverlapsItself({1, 4}, {0, 1}));  // an extent of 1 takes no step
  EXPECT_FALSE(OverlapsItself({0, 4}, {0, 0}));
}

// Strides 2 and 3 interleave without meeting: 0 2 3 5. No dim steps over what the other reaches.
TEST(OverlapsItself, DecidesByEnumerationWhatStridesLeaveOpen) {
  EXPECT_FALSE(OverlapsItself({2, 2}, {2, 3}));
  EXPECT_TRUE(OverlapsItself({4, 3}, {2, 3}));
}

TEST(Unravel, IsTheInverseOfRavel) {
  const Shape shape = {2, 3, 4};
  IntList index = IntList::Filled(3, 0);
  int64_t position = 0;
  do {
    EXPECT_EQ(Ravel(index, shape), position);
    EXPECT_EQ(Unravel(position, shape), index);
    ++position;
  } while (NextIndex(index, shape));
  EXPECT_EQ(position, 24);
}

TEST(NextIndex, EndsAtOnceWithoutDims) {
  IntList index;
  EXPECT_FALSE(NextIndex(index, {}));
}

}  // namespace
}  // namespace seamfuzz
