// Closed forms agree with enumeration wherever they exist, and are refused where none exists.
#include "generator/ir/index_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

using testing::ElementsAre;

const AffineMap kNone = {{}, {}, -1};

Graph MoveGraph(std::string_view input, std::string_view op) {
  return *ParseGraph("graph { a = input " + std::string(input) + " b = " + std::string(op) + " }");
}

// The closed form of the last node, a Move of operand 0; kNone when there is none.
AffineMap MapOf(const Graph& graph) {
  const Node& move = graph.nodes().back();
  std::vector<TensorType> types;
  for (const Operand& operand : move.operands) types.push_back(graph.type(operand.value));
  return ThroughMove(IdentityMap(move.type.shape), move, types, 0).value_or(kNone);
}
AffineMap MapOf(std::string_view input, std::string_view op) { return MapOf(MoveGraph(input, op)); }

TEST(IndexMap, OfAPermutation) {
  EXPECT_EQ(MapOf("f32[2, 3]", "permute(a, dims=[1, 0])"), (AffineMap{{3, 2}, {1, 3}, 0}));
}

TEST(IndexMap, OfAFlip) {
  EXPECT_EQ(MapOf("f32[2, 3]", "flip(a, dims=[1])"), (AffineMap{{2, 3}, {3, -1}, 2}));
}

TEST(IndexMap, OfASliceWithSteps) {
  EXPECT_EQ(MapOf("f32[8]", "slice(a, start=[1], end=[8], stride=[3])"), (AffineMap{{3}, {3}, 1}));
}

TEST(IndexMap, OfAnExpand) {
  EXPECT_EQ(MapOf("f32[1, 3]", "expand(a, shape=[4, 3])"), (AffineMap{{4, 3}, {0, 1}, 0}));
}

TEST(IndexMap, OfAReshapeIsTheIdentityOfPositions) {
  EXPECT_EQ(MapOf("f32[6, 4]", "reshape(a, shape=[2, 12])"), IdentityMap({2, 12}));
}

TEST(IndexMap, ExtentsOfOneHaveNoCoefficient) {
  EXPECT_EQ(MapOf("f32[1, 3]", "permute(a, dims=[1, 0])"), (AffineMap{{3, 1}, {1, 0}, 0}));
  EXPECT_EQ(IdentityMap({1, 3, 1}), (AffineMap{{1, 3, 1}, {0, 1, 0}, 0}));
}

TEST(IndexMap, NoneForAFillOrSeveralOperands) {
  EXPECT_EQ(MapOf("f32[4]", "pad(a, low=[1], high=[0])"), kNone);
  EXPECT_EQ(MapOf("f32[4]", "cat(a, a, dim=0)"), kNone);
  EXPECT_EQ(MapOf("f32[4, 4]", "triu(a)"), kNone);
}

TEST(IndexMap, NoneForARollSmallOrLarge) {
  EXPECT_EQ(MapOf("f32[4]", "roll(a, dims=[0], shift=[1])"), kNone);
  EXPECT_EQ(MapOf("f32[100000]", "roll(a, dims=[0], shift=[1])"), kNone);
  EXPECT_EQ(MapOf("f32[8, 100000]", "roll(a, dims=[1], shift=[50000])"), kNone);
}

TEST(IndexMap, LargeSpacesKeepTheirClosedForm) {
  EXPECT_EQ(MapOf("f32[200, 300]", "permute(a, dims=[1, 0])"),
            (AffineMap{{300, 200}, {1, 300}, 0}));
  EXPECT_EQ(MapOf("f32[200, 300]", "triu(a)"), kNone);
}

TEST(IndexMap, ThroughAChainOfMoves) {
  const Graph graph = MoveGraph("f32[2, 6]", "flip(a, dims=[1]) c = reshape(b, shape=[4, 3])");
  const std::vector<TensorType> inner = {graph.type(1)}, outer = {graph.type(0)};
  const auto reshape = ThroughMove(IdentityMap({4, 3}), graph.node(2), inner, 0);
  ASSERT_TRUE(reshape);
  // Rows of three within a flipped row of six: no closed form over [4, 3].
  EXPECT_FALSE(ThroughMove(*reshape, graph.node(1), outer, 0));
}

TEST(IndexMap, ThroughABroadcast) {
  EXPECT_EQ(ThroughBroadcast(IdentityMap({2, 3, 4}), {2, 3, 4}, {3, 1}),
            (AffineMap{{2, 3, 4}, {0, 1, 0}, 0}));
  // Position i of [6] read as [2, 3], broadcast from [3]: i mod 3.
  EXPECT_FALSE(ThroughBroadcast(IdentityMap({6}), {2, 3}, {3}));
}

TEST(IndexMap, ThroughALayoutCountsBytes) {
  const Graph graph = *ParseGraph("graph { a = input f16[4, 3] strides [1, 4] in S at 2 }");
  EXPECT_EQ(ThroughLayout(IdentityMap({4, 3}), graph.node(0)), (AffineMap{{4, 3}, {2, 8}, 4}));
}

TEST(IndexMap, OfAnEmptySpace) {
  EXPECT_EQ(MapOf("f32[0, 3]", "permute(a, dims=[1, 0])"), (AffineMap{{3, 0}, {0, 0}, 0}));
}

TEST(IndexMap, InjectivityIsProvenByReach) {
  EXPECT_TRUE((AffineMap{{2, 3}, {1, 2}, 0}).ProvablyInjective());
  EXPECT_TRUE((AffineMap{{2, 3}, {3, -1}, 2}).ProvablyInjective());
  EXPECT_FALSE((AffineMap{{3, 3}, {1, 2}, 0}).ProvablyInjective());
  EXPECT_FALSE((AffineMap{{3}, {0}, 0}).ProvablyInjective());
  EXPECT_TRUE((AffineMap{{0, 3}, {0, 0}, 0}).ProvablyInjective());
}

TEST(PlaceTable, NamesOperandsOnlyWhereThereAreSeveral) {
  const Graph flip = MoveGraph("f32[3]", "flip(a, dims=[0])");
  EXPECT_TRUE(EnumeratePlaces(flip, flip.node(1)).operand.empty());
  EXPECT_THAT(EnumeratePlaces(flip, flip.node(1)).position, ElementsAre(2, 1, 0));
  const Graph cat = *ParseGraph("graph { a = input f32[2] b = input f32[1] c = cat(a, b, dim=0) }");
  EXPECT_THAT(EnumeratePlaces(cat, cat.node(2)).operand, ElementsAre(0, 0, 1));
  EXPECT_THAT(EnumeratePlaces(cat, cat.node(2)).position, ElementsAre(0, 1, 0));
  const Graph pad = MoveGraph("f32[2]", "pad(a, low=[1], high=[1])");
  EXPECT_THAT(EnumeratePlaces(pad, pad.node(1)).operand, ElementsAre(-1, 0, 0, -1));
}

TEST(PlaceTable, OfABroadcast) {
  EXPECT_THAT(EnumerateBroadcast({2, 3}, {2, 1}), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(EnumerateBroadcast({2, 2}, {}), ElementsAre(0, 0, 0, 0));
}

TEST(IndexMap, AgreesWithEnumerationWhereverItExists) {
  const char* const kMoves[] = {"permute(a, dims=[2, 0, 1])",
                                "flip(a, dims=[0, 2])",
                                "roll(a, dims=[1], shift=[1])",
                                "slice(a, start=[0, 1, 0], end=[2, 3, 4], stride=[1, 2, 3])",
                                "reshape(a, shape=[4, 6])",
                                "unsqueeze(a, dims=[0, 2])",
                                "select(a, dim=1, index=2)",
                                "triu(a, diagonal=1)",
                                "broadcast_in_dim(a, shape=[2, 5, 3, 4], dims=[0, 2, 3])",
                                "pad(a, low=[0, 0, 0], high=[0, 0, 0])"};
  for (const char* move : kMoves) {
    const Graph graph = MoveGraph("f32[2, 3, 4]", move);
    const AffineMap map = MapOf(graph);
    if (map == kNone) continue;
    const PlaceTable table = EnumeratePlaces(graph, graph.node(1));
    for (size_t i = 0; i < table.position.size(); ++i) {
      const IntList index = Unravel(static_cast<int64_t>(i), map.space);
      ASSERT_EQ(table.position[i], map.offset + Dot(index, map.coefficients)) << move;
    }
  }
}

}  // namespace
}  // namespace seamfuzz
