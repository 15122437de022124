#include "fuzz/minimize/minimize.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sim/sim.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Engine> WithFault(std::string_view name) {
  Faults faults;
  faults.set(static_cast<size_t>(*FindFault(name)));
  return MakeSimEngine(faults);
}

Minimized MinimizedBy(Engine& engine, const Case& c, Mode mode) {
  const std::optional<Divergence> start = Diverge(engine, c, mode);
  EXPECT_TRUE(start.has_value());
  return Minimize(engine, Part(engine, *start, 0));
}

// The second reader of nvFuser 2839 behind `ops` further ones, beside unrelated outputs and
// updates.
Case BigSecondReader(int ops) {
  std::string text =
      "graph {\n  T0 = input f32[10, 2]\n  T1 = input f32[2, 10, 2]\n  U = input f32[6]\n";
  text += "  r0 = relu(T0)\n  c = segment_set(T0)\n  s0 = add(c, T1)\n  u0 = neg(U)\n";
  for (int i = 1; i <= ops / 3; ++i) {
    text += fmt::format("  r{0} = abs(r{1})\n  s{0} = add(s{1}, T1)\n  u{0} = mul(u{1}, U)\n", i,
                        i - 1);
  }
  const int last = ops / 3;
  text += fmt::format("  T0 <- r{0}\n  output s{0}\n  output u{0}\n  U <- u0\n", last);
  return CaseFrom(text + "}\nschedule block=33 s1.place=materialize\n");
}

TEST(Minimize, EndsWithTheTwoReadersAndTheCut) {
  const auto engine = WithFault("war-order");
  const Minimized m = MinimizedBy(*engine, CaseFrom(kSecondReader), Mode::kSegmented);
  EXPECT_LE(SizeOf(m.divergence.c)[Measure::kOps], 2);
  EXPECT_EQ(m.divergence.signature.Distinct(), "sim.wrong.B1");
}

TEST(Minimize, GivesTheSameShapeFromABigCaseAsFromASmallOne) {
  const auto engine = WithFault("war-order");
  const Size small =
      SizeOf(MinimizedBy(*engine, CaseFrom(kSecondReader), Mode::kSegmented).divergence.c);
  const Size big = SizeOf(MinimizedBy(*engine, BigSecondReader(40), Mode::kSegmented).divergence.c);
  for (Measure m :
       {Measure::kOps, Measure::kCuts, Measure::kUpdates, Measure::kElements, Measure::kSchedule}) {
    EXPECT_EQ(big[m], small[m]) << static_cast<int>(m) << "\n" << big.text << small.text;
  }
}

TEST(Minimize, IsDeterministic) {
  const auto engine = WithFault("war-order");
  const Case c = BigSecondReader(12);
  EXPECT_EQ(MinimizedBy(*engine, c, Mode::kSegmented).divergence.c,
            MinimizedBy(*engine, c, Mode::kSegmented).divergence.c);
}

TEST(Minimize, EachStepIsStrictlySmaller) {
  const auto engine = WithFault("war-order");
  const Minimized m = MinimizedBy(*engine, BigSecondReader(12), Mode::kSegmented);
  for (size_t i = 1; i < m.steps.size(); ++i) EXPECT_LT(m.steps[i].size, m.steps[i - 1].size);
}

TEST(Minimize, ItsResultHasNoSmallerStep) {
  const auto engine = WithFault("war-order");
  const Minimized m = MinimizedBy(*engine, CaseFrom(kSecondReader), Mode::kSegmented);
  int single_steps = 0;
  EXPECT_FALSE(FindSmallerStep(*engine, m.divergence, single_steps));
  EXPECT_EQ(single_steps, m.single_steps);
  EXPECT_GT(single_steps, 0);
}

TEST(Minimize, ACaseThatIsNotMinimalHasASmallerStep) {
  const auto engine = WithFault("war-order");
  int single_steps = 0;
  EXPECT_TRUE(FindSmallerStep(*engine, *Diverge(*engine, CaseFrom(kSecondReader), Mode::kSegmented),
                              single_steps));
}

TEST(Minimize, CertifiesHowManyStepsFailed) {
  const auto engine = WithFault("war-order");
  EXPECT_THAT(Certificate(MinimizedBy(*engine, CaseFrom(kSecondReader), Mode::kSegmented)),
              HasSubstr("single steps tried, none keeps sim.wrong.B1"));
}

TEST(Minimize, SaysThatItsTimeWasOver) {
  const auto engine = WithFault("war-order");
  const std::optional<Divergence> start = Diverge(*engine, BigSecondReader(6), Mode::kSegmented);
  const Minimized m = Minimize(*engine, *start, {.limit = std::chrono::seconds(-1)});
  EXPECT_TRUE(m.steps.empty());
  EXPECT_THAT(Certificate(m), HasSubstr("not 1-minimal"));
}

TEST(Part, LeavesOneHazardOfTwo) {
  const auto engine = WithFault("war-order");
  const Case c = CaseFrom(R"(
graph {
  A = input f32[4]
  B = neg(A)
  C = segment_set(A)
  D = add(C, 1)
  S = segment_set(D)
  E = add(S, C)
  A <- B
  output D
  output E
}
values bounded seed 1
)");
  const std::optional<Divergence> both = Diverge(*engine, c, Mode::kSegmented);
  ASSERT_TRUE(both);
  ASSERT_EQ(both->cause.hazards.size(), 2u);
  EXPECT_EQ(Part(*engine, *both, 1).cause.hazards.size(), 1u);
}

TEST(Diverge, FindsNothingOnASoundEngine) {
  EXPECT_FALSE(Diverge(*MakeSimEngine(), CaseFrom(kSecondReader), Mode::kSegmented));
}

}  // namespace
}  // namespace seamfuzz
