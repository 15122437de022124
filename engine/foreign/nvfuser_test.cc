// nvFuser itself, asked for small facts. Skipped where it is absent; scripts/device runs these on a
// GPU machine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/foreign/foreign_engine.h"
#include "generator/case/text.h"
#include "generator/case/values.h"

namespace seamfuzz {
namespace {

Case Parsed(std::string_view graph) {
  Result<ParsedCase> parsed = ParseCase(fmt::format("seamfuzz 1\ngraph {{\n{}}}\n", graph));
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().Text());
  return parsed.ok() ? parsed->value : Case();
}

// An update without a reader, behind a cut: nvFuser is right about it.
constexpr std::string_view kUpdate =
    "x = input f32[4, 3]\ny = relu(x)\nz = segment_set(y)\nw = sum(z, dims=[1])\nx <- y\noutput "
    "w\n";

class Nvfuser : public ::testing::Test {
 protected:
  void SetUp() override {
    const ForeignRow& row = *FindForeignRow("nvfuser");
    const Result<std::string> version = ProbeVersion(row, FindPython());
    if (!version.ok()) GTEST_SKIP() << version.error().message;
    Result<std::unique_ptr<ForeignEngine>> made = ForeignEngine::Make(row, FindPython(), 1);
    ASSERT_TRUE(made.ok());
    engine_ = std::move(*made);
  }
  std::unique_ptr<ForeignEngine> engine_;
};

TEST_F(Nvfuser, WritesAnUpdateInBothCalls) {
  Case c = Parsed("x = input f32[2]\ny = add(x, 1.0)\nx <- y\noutput y\n");
  c.data = {{.storage = "x", .elements = {FloatScalar(5), FloatScalar(7)}}};
  const Outcome outcome = engine_->Run(c, Mode::kMonolithic);
  ASSERT_EQ(outcome.kind, OutcomeKind::kEffects) << outcome.text;
  EXPECT_EQ(Load(&outcome.calls.at(1).storages.at(0)[kGuardBytes], DType::kF32).f, 7);
}

TEST_F(Nvfuser, RunsMoreSegmentsWithACut) {
  const Case c = Parsed(kUpdate);
  const int whole = engine_->Run(c, Mode::kMonolithic).kernels;
  EXPECT_GT(whole, 0);
  EXPECT_GT(engine_->Run(c, Mode::kSegmented).kernels, whole);
}

// A name that nvFuser does not know is an exception at the first call.
TEST_F(Nvfuser, KnowsEveryLane) {
  for (const LaneRow& lane : engine_->row().lanes) {
    for (const std::string_view value : lane.values) {
      Case c = Parsed(kUpdate);
      c.schedule.lanes[std::string(lane.name)] = value;
      const Outcome outcome = engine_->Run(c, Mode::kSegmented);
      EXPECT_EQ(outcome.kind, OutcomeKind::kEffects)
          << lane.name << "=" << value << ": " << outcome.text;
    }
  }
}

TEST_F(Nvfuser, RefusesABroadcastValueInAPlainInput) {
  const Case c = Parsed(
      "x = input f32[]\ny = input f32[2]\nz = broadcast_in_dim(x, shape=[2], dims=[])\ny <- z\n");
  EXPECT_EQ(engine_->Run(c, Mode::kMonolithic).kind, OutcomeKind::kRefusal);
}

TEST_F(Nvfuser, SaysWhatFailedWithoutItsStack) {
  const Case c = Parsed(
      "x = input f32[]\ny = input f32[2]\nz = broadcast_in_dim(x, shape=[2], dims=[])\ny <- z\n");
  EXPECT_THAT(engine_->Run(c, Mode::kMonolithic).text,
              ::testing::Not(::testing::HasSubstr("frame #")));
}

}  // namespace
}  // namespace seamfuzz
