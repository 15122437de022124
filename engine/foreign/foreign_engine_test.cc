// The compilers of .venv, asked for small facts. Without .venv these tests are skipped:
// scripts/compilers brings it.
#include "engine/foreign/foreign_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/case/text.h"
#include "generator/case/values.h"

namespace seamfuzz {
namespace {

Case Parsed(std::string_view text) {
  Result<ParsedCase> parsed = ParseCase(text);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().Text());
  return parsed.ok() ? parsed->value : Case();
}

// A second reader of an updated input, behind a cut: nvFuser#2839.
constexpr std::string_view kSecondReader = R"(seamfuzz 1
graph {
  T0 = input f32[3]
  T1 = input f32[2, 3]
  T2 = relu(T0)
  T3 = segment_set(T0)
  T4 = add(T3, T1)
  T0 <- T2
  output T4
}
values exact seed 1
data T0 [-1, 2, -3]
data T1 [10, 20, 30, 40, 50, 60]
)";

std::vector<float> Floats(const std::vector<std::byte>& bytes) {
  std::vector<float> floats;
  for (size_t i = 0; i < bytes.size(); i += 4)
    floats.push_back(static_cast<float>(Load(&bytes[i], DType::kF32).f));
  return floats;
}

class Compilers : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const ForeignRow* row = FindForeignRow(GetParam());
    ASSERT_NE(row, nullptr);
    const std::string python = FindPython();
    const Result<std::string> version = ProbeVersion(*row, python);
    if (!version.ok()) {
      GTEST_SKIP() << version.error().message << "; " << row->brings << " brings it";
    }
    Result<std::unique_ptr<ForeignEngine>> made = ForeignEngine::Make(*row, python, 1);
    ASSERT_TRUE(made.ok());
    engine_ = std::move(*made);
  }
  // Effects of both calls hold the language's answer.
  void ExpectTheAnswer(const Outcome& outcome) {
    ASSERT_EQ(outcome.kind, OutcomeKind::kEffects) << outcome.text;
    ASSERT_EQ(outcome.calls.size(), 2u);
    EXPECT_THAT(Floats(outcome.calls[0].outputs[1]), ::testing::ElementsAre(9, 22, 27, 39, 52, 57));
    EXPECT_THAT(Floats(outcome.calls[1].outputs[1]),
                ::testing::ElementsAre(10, 22, 30, 40, 52, 60));
    const StorageBytes& t0 = outcome.calls[1].storages[0];
    EXPECT_EQ(Load(&t0[kGuardBytes + 4], DType::kF32).f, 2);
    EXPECT_EQ(t0.size(), 3u * 4 + 2 * kGuardBytes);
  }
  std::unique_ptr<ForeignEngine> engine_;
};

TEST_P(Compilers, ReadEntryValuesAndCommitAtExit) {
  Case c = Parsed(kSecondReader);
  for (const Mode mode : kModes) ExpectTheAnswer(engine_->Run(c, mode));
  c.schedule.lanes["compile"] = "off";
  ExpectTheAnswer(engine_->Run(c, Mode::kMonolithic));
  EXPECT_EQ(engine_->pool().Totals().restarts, 0);
  EXPECT_FALSE(engine_->pool().Version().empty());
}

// Every lane away from its default at once; a name that the compiler does not know would be a
// failure.
TEST_P(Compilers, LanesAreSpelledAsTheCompilerWants) {
  Case c = Parsed(kSecondReader);
  for (const LaneRow& lane : engine_->row().lanes) {
    const bool other_program = lane.name == "device" || lane.name == "backend";
    if (!other_program) c.schedule.lanes[std::string(lane.name)] = lane.values.back();
  }
  ExpectTheAnswer(engine_->Run(c, Mode::kSegmented));
}

INSTANTIATE_TEST_SUITE_P(Each, Compilers, ::testing::Values("inductor", "xla", "tinygrad"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Absence, SaysWhatWouldBringIt) {
  const Result<std::string> version = ProbeVersion(*FindForeignRow("nvfuser"), "/usr/bin/python3");
  if (version.ok()) GTEST_SKIP() << "nvFuser is here";
  EXPECT_EQ(version.error().rule, "absent");
}

}  // namespace
}  // namespace seamfuzz
