#include "fuzz/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "fuzz/files.h"
#include "fuzz/replay.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

namespace fs = std::filesystem;

struct Campaign {
  CampaignState state;
  std::map<std::string, std::string> files;  // by path below the output folder
};

Campaign RunOne(std::vector<std::string> faults, uint64_t cases, int jobs) {
  const fs::path out =
      fs::path(::testing::TempDir()) /
      (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       std::to_string(jobs));
  fs::remove_all(out);
  fs::create_directories(out);
  CampaignOptions options;
  options.config.engine.faults = std::move(faults);
  options.cases = cases;
  options.jobs = jobs;
  options.out = out.string();
  const Result<CampaignState> state =
      RunCampaign(options, [](const CampaignState&, const std::string&) {});
  EXPECT_TRUE(state.ok());
  Campaign campaign{*state, {}};
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (entry.is_regular_file()) {
      campaign.files[fs::relative(entry.path(), out).string()] = *ReadFile(entry.path());
    }
  }
  fs::remove_all(out);
  return campaign;
}

TEST(Campaign, OfASoundEngineFindsNothing) {
  const Campaign campaign = RunOne({}, 2000, 2);
  EXPECT_EQ(campaign.state.findings, 0);
  EXPECT_EQ(campaign.state.statistics.cases, 2000);
  EXPECT_TRUE(campaign.files.empty());
}

TEST(Campaign, GivesTheSameForAnyNumberOfWorkers) {
  const Campaign one = RunOne({"war-order"}, 1500, 1);
  const Campaign three = RunOne({"war-order"}, 1500, 3);
  EXPECT_GT(one.state.findings, 0);
  EXPECT_EQ(one.state.findings, three.state.findings);
  EXPECT_EQ(one.state.statistics.ops, three.state.statistics.ops);
  EXPECT_EQ(one.files, three.files);
}

TEST(Campaign, WritesFindingsThatReplay) {
  const Campaign campaign = RunOne({"war-order"}, 500, 2);
  ASSERT_FALSE(campaign.state.signatures.empty());
  for (const auto& [path, text] : campaign.files) {
    if (!path.ends_with("minimized.seam")) continue;
    const Result<ParsedCase> parsed = ParseCase(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_TRUE(Replayer({}).Run(parsed->value)->AsExpected()) << text;
  }
}

TEST(Campaign, EachFindingHasItsFourFiles) {
  const Campaign campaign = RunOne({"war-order"}, 500, 2);
  for (const auto& [signature, record] : campaign.state.signatures) {
    for (const char* name : {"case.seam", "minimized.seam", "report.md", "verdict.json"}) {
      EXPECT_TRUE(campaign.files.contains(signature + "/" + name)) << signature << "/" << name;
    }
  }
}

TEST(CampaignState, CountsFirstsAsDistinctAndTheRestAsVariants) {
  CampaignState state;
  state.signatures["sim.wrong.A1.00000000"] = {"sim.wrong.A1", "", 0};
  state.signatures["sim.wrong.A1.00000001"] = {"sim.wrong.A1", "", 0};
  state.signatures["sim.wrong.B1.00000000"] = {"sim.wrong.B1", "", 0};
  EXPECT_EQ(state.Distinct(), 2);
  EXPECT_EQ(state.Variants(), 1);
}

}  // namespace
}  // namespace seamfuzz
