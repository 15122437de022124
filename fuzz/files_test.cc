#include "fuzz/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace seamfuzz {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder of its own for each test.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Put(const std::string& name, const std::string& text = "x") {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  fs::path folder_;
};

TEST_F(Files, AreCollectedRecursivelyAndSorted) {
  for (const char* name : {"b.seam", "a/c.seam", "a/no.txt"}) Put(name);
  EXPECT_THAT(*CollectFiles({folder_.string()}, ".seam"),
              ElementsAre((folder_ / "a/c.seam").string(), (folder_ / "b.seam").string()));
}

TEST_F(Files, FolderWithoutCasesIsAnError) {
  Put("no.txt");
  EXPECT_THAT(CollectFiles({folder_.string()}, ".seam").error().message,
              HasSubstr("holds no .seam file"));
}

TEST_F(Files, MissingFileIsAnErrorWithItsName) {
  EXPECT_THAT(ReadFile(folder_ / "gone").error().message, HasSubstr("gone: no such file"));
}

TEST_F(Files, WriteReplacesTheWholeFile) {
  Put("f", "a long old text");
  ASSERT_TRUE(WriteFile(folder_ / "f", "new").ok());
  EXPECT_EQ(*ReadFile(folder_ / "f"), "new");
}

TEST_F(Files, WriteIntoAMissingFolderLeavesNothing) {
  EXPECT_FALSE(WriteFile(folder_ / "no/f", "new").ok());
  EXPECT_FALSE(fs::exists(folder_ / "no"));
}

TEST_F(Files, AreAllWrittenOrNone) {
  Put("old.seam", "old");
  fs::create_directories(folder_ / "b.seam");  // no file can take this name
  EXPECT_THAT(WriteFiles(folder_, {{"old.seam", "new"}, {"b.seam", "new"}}).error().message,
              HasSubstr("b.seam: is a folder"));
  EXPECT_EQ(*ReadFile(folder_ / "old.seam"), "old");
}

TEST_F(Files, OutputFolderOfOtherPeopleIsRefused) {
  Put("theirs.txt");
  EXPECT_THAT(PrepareOutputFolder(folder_, "ours.json").error().message, HasSubstr("not ours"));
}

TEST_F(Files, OutputFolderWithOurMarkerIsTaken) {
  Put("ours.json");
  Put("more.txt");
  EXPECT_TRUE(PrepareOutputFolder(folder_, "ours.json").ok());
}

TEST_F(Files, FolderIsReplacedAsAWhole) {
  Put("finding/old.txt");
  ASSERT_TRUE(WriteFolder(folder_ / "finding", {{"new.txt", "1"}}).ok());
  EXPECT_FALSE(fs::exists(folder_ / "finding/old.txt"));
  EXPECT_EQ(*ReadFile(folder_ / "finding/new.txt"), "1");
}

}  // namespace
}  // namespace seamfuzz
