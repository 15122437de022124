// Tests of what the generator finds out about ops.
#include "generator/draw/op_traits.h"

#include <gtest/gtest.h>

namespace seamfuzz {
namespace {

const OpTraits& Find(std::string_view name) {
  for (const OpTraits& traits : DrawnOps()) {
    if (Row(traits.op).name == name) return traits;
  }
  ADD_FAILURE() << name << " is not drawn";
  return DrawnOps()[0];
}

// A new op that no probe fits would silently never be drawn.
TEST(OpTraits, EveryOpWithAWeightIsOfSomeKind) {
  for (const OpTraits& traits : DrawnOps()) {
    EXPECT_NE(traits.operands, OperandShapes::kUnknown) << Row(traits.op).name;
  }
}

TEST(OpTraits, MovesAreToldApartByTheirShapes) {
  EXPECT_EQ(Find("permute").move, MoveKind::kPermutation);
  EXPECT_EQ(Find("squeeze").move, MoveKind::kUnitDims);
  EXPECT_EQ(Find("unsqueeze").move, MoveKind::kNewDims);
  EXPECT_EQ(Find("reshape").move, MoveKind::kReshape);
  EXPECT_EQ(Find("flip").move, MoveKind::kNone);
  EXPECT_EQ(MoveOp(MoveKind::kSlice), *FindOp("slice"));
}

TEST(OpTraits, OperandsAreToldApartByTheirShapes) {
  EXPECT_EQ(Find("cat").operands, OperandShapes::kJoined);
  EXPECT_EQ(Find("matmul").operands, OperandShapes::kMatmul);
  EXPECT_EQ(Find("linear").operands, OperandShapes::kLinear);
  EXPECT_EQ(Find("gather").operands, OperandShapes::kSameIndex);
  EXPECT_EQ(Find("index_select").operands, OperandShapes::kVectorIndex);
  EXPECT_EQ(Find("embedding").operands, OperandShapes::kTableIndex);
}

TEST(OpTraits, RanksAndEmptyOperandsAreThoseTheOpTakes) {
  EXPECT_EQ(Find("triu").min_rank, 2);
  EXPECT_EQ(Find("iota").max_rank, 1);
  EXPECT_TRUE(Find("sum").takes_empty);
  EXPECT_FALSE(Find("amax").takes_empty);
}

}  // namespace
}  // namespace seamfuzz
