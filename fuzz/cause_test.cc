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

// Each of these once had a neighbour's hazard for its cause, whose repair only led to another plan.
struct Told {
  std::string_view fault;
  HazardClass id;
  std::string_view graph;
};
class CauseIsToldApart : public ::testing::TestWithParam<Told> {};
TEST_P(CauseIsToldApart, ByEvidence) {
  const Told& told = GetParam();
  EXPECT_THAT(CauseOf(told.fault, told.graph, Mode::kMonolithic).classes, ElementsAre(told.id));
}
INSTANTIATE_TEST_SUITE_P(
    Of, CauseIsToldApart,
    ::testing::Values(
        // A race with the read of T3, that stands inline where T4 gathers.
        Told{"early-store", HazardClass::kA0, R"(
graph {
  T0 = input f32[2]
  T1 = input i64[1]
  T2 = amin(T0)
  T3 = clamp(T0, T2, 2)
  T4 = index_select(T3, T1, dim=0)
  output T4
  T0 <- T0
}
data T1 [1]
)"},
        // Within a composite: the elementwise read is late, not those of the reductions.
        Told{"early-store", HazardClass::kA0, R"(
graph {
  T0 = input f32[1, 2]
  T1 = input f32[]
  T2 = amax(T1)
  T3 = broadcast_in_dim(T2, shape=[1, 2], dims=[])
  T4 = softmax(T0, dim=1)
  output T4
  T0 <- T3
}
)"},
        // Two readers are late, and the difference of both is right again.
        Told{"early-store", HazardClass::kA0, R"(
graph {
  T0 = input f32[1]
  T1 = input f32[1]
  T2 = trunc(T0)
  T3 = segment_set(T0)
  T4 = sub(T0, T2)
  T5 = cumsum(T3, dim=0)
  output T5
  output T3
  output T4
  T0 <- T1
  output T2
}
)"},
        // The operand of cat that is T0 itself, not the one that is a copy.
        Told{"in-kernel-war", HazardClass::kA2, R"(
graph {
  T0 = input f32[1]
  T1 = input f32[1]
  T2 = segment_set(T0)
  T3 = set(T2)
  T4 = cat(T0, T3, T1, dim=0)
  T5 = neg(T4)
  output T5
  output T2
  T0 <- T1
}
)"},
        // One byte, two elements: the layouts differ.
        Told{"contiguous-target", HazardClass::kC5, R"(
graph {
  T0 = input f32[4, 2] strides [1, 4]
  T1 = input bool[]
  T2 = set(T0)
  T3 = mul(T1, T2)
  T0 <- T3
}
)"},
        // The other name of the same memory is no matter.
        Told{"broadcast-war", HazardClass::kA1, R"(
graph {
  T0 = input f32[1] in S8
  T1 = input f32[1] in S8
  T2 = input f32[2]
  T3 = segment_set(T1)
  T4 = clamp(T3, T2, T0)
  T0 <- T1
  output T3
  output T4
}
schedule T0.commit=deferred
)"}));

TEST(Cause, OfALostCopyBesideAReadThatComesInTimeIsE1) {
  const Cause cause = CauseOf("lost-copy-segment", R"(
graph {
  T0 = input f32[1]
  T1 = input f32[1]
  T2 = input f32[1]
  T3 = cummax(T0, dim=0)
  T4 = set(T2)
  T5 = set(T0)
  output T3
  T2 <- T5
  T1 <- T4
  output T5
}
schedule merge=0+2
)",
                              Mode::kSegmented);
  EXPECT_THAT(cause.classes, ElementsAre(HazardClass::kE1));
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
