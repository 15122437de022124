#include "fuzz/cause.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sim/sim.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::unique_ptr<Engine> WithFault(std::string_view name) {
  Faults faults;
  faults.set(static_cast<size_t>(*FindFault(name)));
  return MakeSimEngine(faults);
}

// The cause of what the fault does to the case; the test fails where it does nothing.
Cause CauseOf(std::string_view fault, std::string_view text, Mode mode) {
  const std::unique_ptr<Engine> engine = WithFault(fault);
  const Case c = CaseFrom(text);
  const Evaluation found = Evaluate(*engine, c, mode);
  EXPECT_TRUE(found.verdict.bad()) << Text(found.verdict);
  return FindCause(*engine, c, found);
}

TEST(Cause, OfASecondReaderInALaterSegmentIsB1) {
  const Cause cause = CauseOf("war-order", kSecondReader, Mode::kSegmented);
  EXPECT_THAT(cause.classes, ElementsAre(HazardClass::kB1));
  EXPECT_THAT(cause.texts, ElementsAre(HasSubstr("T4")));
}

TEST(Cause, NamesTheReaderAndNotItsNeighbour) {
  // relu reads T0 too, in the segment of the write: repairing that would not help.
  const Cause cause = CauseOf("war-order", kSecondReader, Mode::kSegmented);
  ASSERT_THAT(cause.hazards, SizeIs(1));
  EXPECT_EQ(CaseFrom(kSecondReader).graph.node(cause.hazards[0].reader).name, "T4");
}

TEST(Cause, OfASwapWithoutATemporaryIsB4) {
  const Cause cause = CauseOf("no-cycle-temp", kSwap, Mode::kMonolithic);
  EXPECT_THAT(cause.classes, ElementsAre(HazardClass::kB4));
}

TEST(Cause, OfALostCopyIsE1) {
  const Cause cause = CauseOf("lost-copy-segment", R"(
graph {
  A = input f32[8]
  B = input f32[8]
  A <- B
}
)",
                              Mode::kMonolithic);
  EXPECT_THAT(cause.classes, ElementsAre(HazardClass::kE1));
}

TEST(Cause, OfWrongRoundingIsX1) {
  const Cause cause = CauseOf("wrong-rounding", R"(
graph {
  A = input f32[64]
  B = mul(A, 0.3)
  C = cast(B, dtype=bf16)
  output C
}
values bounded seed 1
)",
                              Mode::kMonolithic);
  EXPECT_THAT(cause.classes, ElementsAre(HazardClass::kX1));
}

TEST(Cause, OfACrashIsX2WithoutARun) {
  Evaluation found;
  found.verdict.kind = VerdictKind::kFailure;
  found.verdict.text = "SIGSEGV";
  const Cause cause = FindCause(*MakeSimEngine(), CaseFrom(kSwap), found);
  EXPECT_THAT(cause.classes, ElementsAre(HazardClass::kX2));
  EXPECT_EQ(cause.runs, 0);
}

TEST(Cause, HasAControlThatKeepsTheDivergence) {
  const Cause cause = CauseOf("war-order", kSecondReader, Mode::kSegmented);
  EXPECT_EQ(cause.control, ControlResult::kKept);
}

// Fails with a message of several lines.
class Failing : public Engine {
 public:
  std::string_view name() const override { return "failing"; }
  std::string WhyNot(const Case&) const override { return {}; }
  Outcome Run(const Case&, Mode) override {
    return {.kind = OutcomeKind::kFailure, .failure = FailureKind::kCompile, .text = "one\ntwo"};
  }
};

TEST(Cause, OfAFailureIsOneLine) {
  Failing engine;
  const Case c = CaseFrom(kSecondReader);
  const Cause cause = FindCause(engine, c, Evaluate(engine, c, Mode::kMonolithic));
  EXPECT_THAT(cause.texts, ElementsAre("the engine failed: one"));
}

}  // namespace
}  // namespace seamfuzz
