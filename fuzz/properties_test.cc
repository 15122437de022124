// Every fuzz property as an ordinary test: seeds from the corpus, changed at random but always the
// same way.
#include "fuzz/properties.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "fuzz/files.h"
#include "generator/draw/choices.h"

namespace seamfuzz {
namespace {

// One to four small edits: a byte, a slice taken out, doubled, or moved in from elsewhere.
std::string Changed(std::string text, Choices& choices) {
  for (int edits = choices.Between(1, 4); edits > 0 && !text.empty(); --edits) {
    const size_t at = static_cast<size_t>(choices.Below(static_cast<int>(text.size())));
    const size_t length = static_cast<size_t>(choices.Between(1, 24));
    switch (choices.Below(4)) {
      case 0:
        text[at] = static_cast<char>(choices.Below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.insert(
            at,
            text.substr(static_cast<size_t>(choices.Below(static_cast<int>(text.size()))), length));
        break;
    }
  }
  return text;
}

std::vector<std::string> Seeds(std::string_view corpus, std::string_view extension) {
  const Result<std::vector<std::string>> files =
      CollectFiles({fmt::format("{}/corpus/{}", SEAMFUZZ_SOURCE_DIR, corpus)}, extension);
  std::vector<std::string> seeds;
  if (!files.ok()) return seeds;
  for (const std::string& file : *files) seeds.push_back(*ReadFile(file));
  return seeds;
}

std::string RandomBytes(Choices& choices) {
  std::string bytes(static_cast<size_t>(choices.Between(0, 600)), '\0');
  for (char& b : bytes) b = static_cast<char>(choices.Below(256));
  return bytes;
}

class PropertyTest : public testing::TestWithParam<PropertyRow> {};

TEST_P(PropertyTest, Holds) {
  const PropertyRow& row = GetParam();
  std::vector<std::string> seeds;
  if (row.corpus == "cases") seeds = Seeds("seeds", ".seam");
  if (row.corpus == "imports") seeds = Seeds("imports", ".py");
  ASSERT_EQ(seeds.empty(), row.corpus == "choices");
  for (uint64_t i = 0; i < 1000; ++i) {
    Choices choices(11, i);
    const std::string bytes = seeds.empty()      ? RandomBytes(choices)
                              : i < seeds.size() ? seeds[i]
                                                 : Changed(seeds[i % seeds.size()], choices);
    const Broken broken = row.check(std::as_bytes(std::span(bytes)));
    ASSERT_FALSE(broken.has_value()) << row.sentence << ": input " << i << "\n" << *broken;
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, PropertyTest,
                         testing::ValuesIn(Properties().begin(), Properties().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Properties, EachHasATarget) {
  for (const PropertyRow& row : Properties()) {
    EXPECT_TRUE(std::filesystem::exists(
        fmt::format("{}/fuzz/targets/{}.cc", SEAMFUZZ_SOURCE_DIR, row.name)))
        << row.name;
  }
}

}  // namespace
}  // namespace seamfuzz
