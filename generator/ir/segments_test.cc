// Levels, components and their numbers (design 2.1).
#include "generator/ir/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

using testing::ElementsAre;

std::vector<int> Of(std::string_view text, Mode mode = Mode::kSegmented) {
  return SegmentsOf(*ParseGraph(text), mode).of;
}

TEST(Segments, ACutOfAnInputBelongsToNoSegmentAndStillCounts) {
  EXPECT_THAT(Of("graph { a = input f32[4] b = input f32[4] c = relu(a) d = segment_set(a) "
                 "e = add(d, b) a <- c output e }"),
              ElementsAre(-1, -1, 0, -1, 1));
}

TEST(Segments, ACutBelongsToItsProducer) {
  EXPECT_THAT(Of("graph { a = input f32[4] b = neg(a) c = segment_set(b) d = neg(c) output d }"),
              ElementsAre(-1, 0, 0, 1));
}

TEST(Segments, LevelIsTheMostCutsOnAnyPath) {
  EXPECT_THAT(Of("graph { a = input f32[4] b = neg(a) c = segment_set(b) d = segment_set(c) "
                 "e = exp(c) f = add(d, e) output f }"),
              ElementsAre(-1, 0, 0, 0, 1, 2));
}

TEST(Segments, ASharedInputJoinsNothing) {
  EXPECT_THAT(Of("graph { a = input f32[4] b = neg(a) c = exp(a) output b output c }"),
              ElementsAre(-1, 0, 1));
}

TEST(Segments, AComputedValueJoins) {
  EXPECT_THAT(Of("graph { a = input f32[4] b = neg(a) c = exp(a) d = add(b, c) output d }"),
              ElementsAre(-1, 0, 0, 0));
}

TEST(Segments, ReadersOfOneCutStayApart) {
  EXPECT_THAT(
      Of("graph { a = input f32[4] b = neg(a) c = segment_set(b) d = exp(c) e = neg(c) output d }"),
      ElementsAre(-1, 0, 0, 1, 2));
}

TEST(Segments, AreNumberedByLevelThenByFirstNode) {
  EXPECT_THAT(Of("graph { a = input f32[4] b = segment_set(a) c = neg(b) d = exp(a) e = neg(a) "
                 "f = add(c, 1) output f }"),
              ElementsAre(-1, -1, 2, 0, 1, 2));
}

TEST(Segments, MonolithicIsOneSegment) {
  EXPECT_THAT(
      Of("graph { a = input f32[4] b = segment_set(a) c = neg(b) d = segment_set(c) e = exp(d) }",
         Mode::kMonolithic),
      ElementsAre(-1, -1, 0, 0, 0));
}

TEST(Segments, AGraphWithoutOpsHasNone) {
  const Graph graph = *ParseGraph("graph { a = input f32[4] b = segment_set(a) output b }");
  for (Mode mode : kModes) EXPECT_EQ(SegmentsOf(graph, mode).count, 0);
}

}  // namespace
}  // namespace seamfuzz
