// The compilers of .venv from a case to its script, end to end; skipped where they are absent.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "engine/foreign/foreign_engine.h"
#include "fuzz/files.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/script_expectation.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class EndToEnd : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const ForeignRow* row = FindForeignRow(GetParam());
    python_ = FindPython();
    const Result<std::string> version = ProbeVersion(*row, python_);
    if (!version.ok()) {
      GTEST_SKIP() << version.error().message << "; " << row->brings << " brings it";
    }
    Result<std::unique_ptr<ForeignEngine>> made = ForeignEngine::Make(*row, python_, 1);
    ASSERT_TRUE(made.ok());
    engine_ = std::move(*made);
  }

  // The exit status of the case's standalone script.
  int RunScript(const Case& c) const {
    const std::optional<std::string> script = StandaloneScript(GetParam(), c);
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / fmt::format("script_{}.py", GetParam());
    EXPECT_TRUE(script && WriteFile(file, *script).ok());
    const int status = std::system(fmt::format("DEV=CPU {} {}", python_, file.string()).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string python_;
  std::unique_ptr<ForeignEngine> engine_;
};

std::vector<VerdictKind> Kinds(const Differential& result) {
  EXPECT_FALSE(result.wrong_script.has_value());
  return {result.verdicts[0].kind, result.verdicts[1].kind};
}

// A reader behind a cut, a reduction of the target, a move of it, an update of what another reads.
constexpr std::string_view kRight[] = {
    kSecondReader,
    "graph {\n a = input f32[6]\n s = sum(a)\n y = mul(a, s)\n a <- y\n output s\n}\n",
    "graph {\n a = input i32[2, 3]\n r = flip(a, dims=[1])\n c = segment_set(r)\n y = add(a, c)\n "
    "a "
    "<- y\n output c\n}\n",
};

TEST_P(EndToEnd, AgreesOnWhatItsTestsCoverAndItsScriptSaysSo) {
  for (const std::string_view text : kRight) {
    EXPECT_THAT(Kinds(RunDifferential(*engine_, CaseFrom(text))), Each(VerdictKind::kAgree))
        << text;
  }
  EXPECT_EQ(RunScript(CaseFrom(kSecondReader)), 0);
}

// Bugs of the pinned versions: each is found, has its cause, and its script shows it.
class KnownBug : public EndToEnd {};
TEST_P(KnownBug, IsFoundAndItsScriptShowsIt) {
  const Case swap = CaseFrom(kSwap);
  const std::optional<Divergence> d = Diverge(*engine_, swap, Mode::kMonolithic);
  ASSERT_TRUE(d.has_value()) << "the pinned version answers rightly now";
  EXPECT_THAT(d->signature.classes, ElementsAre(HazardClass::kB4));
  EXPECT_EQ(RunScript(swap), 1);
}

INSTANTIATE_TEST_SUITE_P(Each, EndToEnd, ::testing::Values("inductor", "xla", "tinygrad"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Of, KnownBug, ::testing::Values("inductor"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace seamfuzz
