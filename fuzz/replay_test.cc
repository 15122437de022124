#include "fuzz/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string With(std::string_view lines) { return std::string(kSecondReader) + std::string(lines); }

ReplayedCase Replayed(const std::string& text, std::vector<std::string> faults = {}) {
  Result<ReplayedCase> replayed =
      Replayer({.engine = "sim", .faults = std::move(faults)}).Run(CaseFrom(text));
  EXPECT_TRUE(replayed.ok());
  return replayed.ok() ? *replayed : ReplayedCase{};
}

TEST(Replay, ExpectsAgreementOfBothModesWhereNothingIsSaid) {
  const ReplayedCase replayed = Replayed(With(""));
  EXPECT_THAT(replayed.modes, SizeIs(2));
  EXPECT_TRUE(replayed.AsExpected());
}

TEST(Replay, RunsAFaultLineWithItsFault) {
  const ReplayedCase replayed =
      Replayed(With("expect agree\nexpect fault:war-order differ segmented\n"));
  EXPECT_THAT(replayed.modes, SizeIs(3));
  EXPECT_EQ(replayed.modes.back().verdict.kind, VerdictKind::kDiffer);
  EXPECT_TRUE(replayed.AsExpected());
}

TEST(Replay, SeesAnExpectationThatDoesNotHold) {
  EXPECT_FALSE(Replayed(With("expect differ segmented\n")).AsExpected());
}

TEST(Replay, WithAFaultThatNoLineNamesReportsBothModesAndTheBadOneIsNotExpected) {
  const ReplayedCase replayed = Replayed(With(""), {"war-order"});
  ASSERT_THAT(replayed.modes, SizeIs(2));
  EXPECT_TRUE(replayed.modes[0].as_expected);
  EXPECT_FALSE(replayed.modes[1].as_expected);
}

TEST(Replay, WithAFaultEvaluatesItsLinesOnly) {
  const ReplayedCase replayed =
      Replayed(With("expect agree\nexpect fault:war-order differ segmented\n"), {"war-order"});
  EXPECT_THAT(replayed.modes, SizeIs(1));
  EXPECT_TRUE(replayed.AsExpected());
}

TEST(Replay, SkipsLinesOfOtherEngines) {
  const ReplayedCase replayed = Replayed(With("expect engine:nvfuser@0.2.36 differ segmented\n"));
  EXPECT_THAT(replayed.modes, IsEmpty());
  EXPECT_THAT(replayed.skipped, SizeIs(1));
}

TEST(Replay, OfATraceSaysWhyItCannot) {
  const ReplayedCase replayed = Replayed(R"(
trace {
  A = input f32[4]
  B = neg(A)
  A <- B
  output B
}
)");
  ASSERT_THAT(replayed.skipped, SizeIs(2));
  EXPECT_THAT(replayed.skipped[0], HasSubstr("graphs only"));
  EXPECT_FALSE(replayed.Ran());
}

TEST(Replay, OfAnIndexOutOfRangeIsAnInputError) {
  const Result<ReplayedCase> replayed = Replayer({}).Run(CaseFrom(R"(
graph {
  A = input f32[4]
  I = input i64[2]
  B = index_select(A, I, dim=0)
  output B
}
data I [0, 9]
)"));
  ASSERT_FALSE(replayed.ok());
  EXPECT_EQ(replayed.error().rule, "index_range");
}

}  // namespace
}  // namespace seamfuzz
