// The hand-written seeds: canonical, well-formed unless they say otherwise, and listed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "generator/case/text.h"

namespace seamfuzz {
namespace {

const std::filesystem::path kCorpus = std::filesystem::path(SEAMFUZZ_SOURCE_DIR) / "corpus";

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> Seeds() {
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus / "seeds"))
    seeds.push_back(entry.path());
  return seeds;
}

TEST(Corpus, EverySeedIsCanonicalText) {
  EXPECT_GE(Seeds().size(), 25u);
  for (const auto& path : Seeds()) {
    const Result<ParsedCase> seed = LoadCase(path.string());
    ASSERT_TRUE(seed.ok()) << seed.error().Text();
    EXPECT_EQ(Print(seed->value), ReadFile(path)) << path;
  }
}

TEST(Corpus, ASeedBreaksTheContractIfAndOnlyIfItExpectsToBeRejected) {
  for (const auto& path : Seeds()) {
    const Case seed = LoadCase(path.string())->value;
    const bool rejected =
        std::any_of(seed.expectations.begin(), seed.expectations.end(),
                    [](const Expectation& e) { return e.verdict == VerdictKind::kRejected; });
    EXPECT_EQ(!BrokenContract(seed.graph).empty(), rejected) << path;
  }
}

TEST(Corpus, TheReadmeListsEverySeedAndItsOrigin) {
  const std::string readme = ReadFile(kCorpus / "README.md");
  for (const auto& path : Seeds()) {
    const Case seed = LoadCase(path.string())->value;
    EXPECT_THAT(readme, testing::HasSubstr(path.filename().string()));
    EXPECT_FALSE(seed.classes.empty()) << path;
    ASSERT_FALSE(seed.origin.empty()) << path;
    for (const std::string& origin : seed.origin) EXPECT_THAT(readme, testing::HasSubstr(origin));
  }
}

}  // namespace
}  // namespace seamfuzz
