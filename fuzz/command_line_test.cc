// Runs the built binary as people do: exit status, what is on stdout and stderr, what is on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fuzz/files.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

struct Ran {
  int status = -1;
  std::string out, err;
};

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("command_line_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "in");
    Put("in/good.seam", "seamfuzz 1\n" + std::string(kSecondReader));
    Put("in/bytes.txt", std::string("\x00\xff\x01garbage", 10));
    Put("in/broken.seam", "seamfuzz 1\ngraph {\n  T0 = input f32[4]\n  T1 = frobnicate(T0)\n}\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Put(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  // `arguments` go through the shell; the working folder is the test's own.
  Ran Seamfuzz(const std::string& arguments) {
    const std::string binary =
        (fs::read_symlink("/proc/self/exe").parent_path() / "seamfuzz").string();
    const std::string command = "cd '" + folder_.string() + "' && '" + binary + "' " + arguments +
                                " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());
    Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, *ReadFile(folder_ / "out.txt"),
            *ReadFile(folder_ / "err.txt")};
    fs::remove(folder_ / "out.txt");
    fs::remove(folder_ / "err.txt");
    return ran;
  }

  // Files below the test's folder, beside those it started with.
  int NewFiles() const {
    int count = -3;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      count += entry.is_regular_file();
    return count;
  }

  void ExpectError(const std::string& arguments, const std::string& place) {
    const Ran ran = Seamfuzz(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_THAT(ran.err, AllOf(StartsWith("error: "), HasSubstr(place))) << arguments;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(NewFiles(), 0) << arguments;
    EXPECT_FALSE(fs::exists(folder_ / "findings")) << arguments;
  }

  fs::path folder_;
};

TEST_F(CommandLine, EveryBadInputIsOneLineAndStatusTwo) {
  ExpectError("", "subcommand");
  ExpectError("frobnicate", "frobnicate");
  ExpectError("run --frobnicate", "--frobnicate");
  ExpectError("run --cases -3", "-3 is negative");
  ExpectError("run --cases many", "many");
  ExpectError("run --cases 1 --time 1s", "--time");
  ExpectError("run --time soon", "soon");
  ExpectError("run --engine abacus --cases 1", "abacus");
  ExpectError("run --fault no-such --cases 1", "no-such");
  ExpectError("run --cases 1 --out in", "in: is not empty");
  ExpectError("run --cases 1 --out in/good.seam", "in/good.seam");
  ExpectError("run --cases 1 --out /proc/no", "/proc/no");
  ExpectError("run --cases 1 --out new --json no/such.json", "no/such.json");
  ExpectError("replay", "PATH");
  ExpectError("replay gone.seam", "gone.seam");
  ExpectError("replay in/bytes.txt", "in/bytes.txt:1:1");
  ExpectError("replay in/broken.seam", "in/broken.seam:4:8");
  ExpectError("replay in", "in/broken.seam");
  ExpectError("minimize in/good.seam --fault no-such", "no-such");
  ExpectError("minimize in/good.seam --fault war-order -o no/such.seam", "no/such.seam");
  ExpectError("check in/broken.seam", "frobnicate");
  ExpectError("show in/gone.seam", "in/gone.seam");
}

TEST_F(CommandLine, AFolderWithoutCasesIsAnError) {
  fs::create_directories(folder_ / "empty");
  ExpectError("replay empty", "empty: holds no .seam file");
}

TEST_F(CommandLine, HelpIsForPeople) {
  const Ran all = Seamfuzz("--help");
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("minimize"), HasSubstr("Exit status")));
  EXPECT_THAT(Seamfuzz("run --help").out, AllOf(HasSubstr("--cases"), HasSubstr("--fault")));
}

TEST_F(CommandLine, ARunEndsWithItsLine) {
  const Ran ran = Seamfuzz("run --cases 300 --seed 5 --jobs 2");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nrun: 300 cases, 0 findings, 0 distinct, 0 variants, "));
  EXPECT_EQ(NewFiles(), 0);
}

TEST_F(CommandLine, ARunWithAFaultFindsItAndReplayAgrees) {
  EXPECT_EQ(Seamfuzz("run --cases 600 --seed 1 --fault war-order --out found").status, 1);
  const Ran without = Seamfuzz("replay found");
  EXPECT_EQ(without.status, 0) << without.out;
  EXPECT_THAT(without.out,
              MatchesRegex("(.|\n)*\nreplay: [0-9]+ cases, [0-9]+ as expected, 0 not\n"));
}

TEST_F(CommandLine, ReplayWithAFaultThatNothingExpectsIsOne) {
  const Ran ran = Seamfuzz("replay in/good.seam --fault war-order");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("in/good.seam: monolithic: agree"),
                             HasSubstr("in/good.seam: segmented: differ"),
                             HasSubstr("replay: 1 cases, 0 as expected, 1 not\n")));
}

TEST_F(CommandLine, MinimizeVerifiesInAFreshProcess) {
  const Ran ran = Seamfuzz("minimize in/good.seam --fault war-order -o small.seam --verify");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("verified: sim.wrong.B1."));
  EXPECT_EQ(Seamfuzz("replay small.seam").status, 0);
}

TEST_F(CommandLine, MinimizeSaysWhatIsSoWhereNothingIsWrong) {
  const Ran ran = Seamfuzz("minimize in/good.seam -o small.seam");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out,
            "in/good.seam: monolithic: agree\nin/good.seam: segmented: agree\n"
            "in/good.seam: nothing to minimize on engine sim\n");
  EXPECT_EQ(NewFiles(), 0);
}

TEST_F(CommandLine, VerifyOfACaseThatIsNotMinimalIsOne) {
  const Ran ran = Seamfuzz("minimize in/good.seam --fault war-order --verify");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("not verified"));
}

TEST_F(CommandLine, CheckListsBothReadsWithLineClassAndRepair) {
  const std::string out = Seamfuzz("check in/good.seam").out;
  EXPECT_THAT(out, HasSubstr("T2 = relu(T0) (line 6)"));
  EXPECT_THAT(out, HasSubstr("monolithic A0"));
  EXPECT_THAT(out, HasSubstr("T4 = add(T3, T1) (line 8)"));
  EXPECT_THAT(out, HasSubstr("monolithic A1"));
  EXPECT_THAT(out, HasSubstr("segmented B1"));
  EXPECT_THAT(out, HasSubstr("repair: "));
  EXPECT_THAT(out, HasSubstr("ambiguous"));
}

TEST_F(CommandLine, ShowPrintsValuesPlanAndHazards) {
  EXPECT_THAT(Seamfuzz("show in/good.seam").out,
              AllOf(HasSubstr("reference values"), HasSubstr("plan, segmented"),
                    HasSubstr("hazards:"), HasSubstr("segment 1")));
}

TEST_F(CommandLine, FaultsAndEnginesAreListed) {
  EXPECT_THAT(Seamfuzz("faults").out, HasSubstr("war-order"));
  EXPECT_THAT(Seamfuzz("engines").out, HasSubstr("sim"));
}

// A lane's value is text of whoever wrote the case, and would be run with the script.
TEST_F(CommandLine, ExportPrintsNoLaneThatTheEngineDoesNotHave) {
  Put("in/lane.seam", "seamfuzz 1\n" + std::string(kSecondReader) + "lane enable=x\"];print(1)\n");
  const Ran ran = Seamfuzz("export in/lane.seam --to nvfuser");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("lane enable of nvfuser is one of none, "));
}

}  // namespace
}  // namespace seamfuzz
