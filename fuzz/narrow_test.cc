// What is drawn for other people's engines is what they take.
#include "fuzz/narrow.h"

#include <gtest/gtest.h>

#include "engine/foreign/rows.h"

namespace seamfuzz {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kCases = 200;

// Counts the cases with that lane.
int DrawnWith(std::string_view engine, std::string_view lane) {
  DrawConfig draw;
  Narrow(engine, draw);
  int count = 0;
  for (uint64_t i = 0; i < kCases; ++i)
    count += DrawCaseFor(engine, kSeed, i, draw).schedule.lanes.contains(lane);
  return count;
}

TEST(DrawCaseFor, DrawsLanesThatSuitSomeGraphsOnlyForThose) {
  DrawConfig draw;
  Narrow("nvfuser", draw);
  for (uint64_t i = 0; i < kCases; ++i) {
    Case c = DrawCaseFor("nvfuser", kSeed, i, draw);
    EXPECT_EQ(WhyNot(*FindForeignRow("nvfuser"), c).find("lane first_call"), std::string::npos);
  }
  EXPECT_GT(DrawnWith("nvfuser", "first_call"), 0);
}

TEST(DrawCaseFor, DrawsEveryLaneThatMayBeDrawn) {
  for (const ForeignRow& row : ForeignRows()) {
    for (const LaneRow& lane : row.lanes)
      EXPECT_EQ(DrawnWith(row.name, lane.name) > 0, lane.drawn) << row.name << " " << lane.name;
  }
}

TEST(DrawCaseFor, DrawsSmallGraphsForSlowCompilers) {
  DrawConfig draw;
  Narrow("nvfuser", draw);
  EXPECT_EQ(draw.max_ops, FindForeignRow("nvfuser")->max_ops);
}

}  // namespace
}  // namespace seamfuzz
