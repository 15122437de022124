// Which causes the rows of a compiler cover.
#include "fuzz/documented.h"

#include <gtest/gtest.h>

namespace seamfuzz {
namespace {

Cause Of(std::initializer_list<std::string_view> patterns) {
  Cause cause;
  for (std::string_view text : patterns) {
    const Result<Pattern> pattern = ParsePattern(text);
    EXPECT_TRUE(pattern.ok()) << text;
    cause.patterns.push_back(*pattern);
  }
  return cause;
}

constexpr std::string_view kReturnedTarget =
    "D1 write=pointwise read=output index=same segment=same dtype=same";
constexpr std::string_view kOther =
    "A2 write=pointwise read=copy index=permuted segment=same dtype=same";

TEST(Documented, CoversACauseWhosePartsAllMatchRows) {
  EXPECT_TRUE(Documented("nvfuser", "0.2.36").Covers(Of({kReturnedTarget})));
}

TEST(Documented, DoesNotCoverACauseWithOnePartMore) {
  EXPECT_FALSE(Documented("nvfuser", "0.2.36").Covers(Of({kReturnedTarget, kOther})));
}

TEST(Documented, RowsAreOfOneEngine) {
  EXPECT_FALSE(Documented("inductor", "2.11.0").Covers(Of({kReturnedTarget})));
}

TEST(Documented, ARowHoldsForTheVersionsBelowIt) {
  EXPECT_TRUE(HoldsFor("0.2", "0.2.36"));
  EXPECT_FALSE(HoldsFor("0.2", "0.20"));
}

TEST(Documented, EveryRowIsAPattern) {
  for (const ForeignRow& row : ForeignRows()) Documented(row.name, "");
}

}  // namespace
}  // namespace seamfuzz
