// What is planned for small worlds: commits (L1), kernel order (L2, L3), snapshots (L4), shared
// memory (L5).
#include "engine/kernel/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sim/test_world.h"

namespace seamfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Mode kMono = Mode::kMonolithic;
constexpr Mode kCut = Mode::kSegmented;

CommitFact CommitOf(const Case& c, Mode mode) { return PlanProgram(c, mode).commits.at(0); }
int Slots(const Program& program) {
  return static_cast<int>(
      std::count_if(program.memories.begin(), program.memories.end(),
                    [](const Memory& m) { return m.kind == MemoryKind::kTemporary; }));
}

TEST(L1, ReadsAtTheSameIndexMayStoreDirectly) {
  const Case c = World("A = input f32[4]\nB = neg(A)\nC = add(A, 1)\nA <- B\noutput C");
  EXPECT_EQ(CommitOf(c, kMono).strategy, CommitStrategy::kDirect);
}

TEST(L1, OtherReadsWaitForABarrier) {
  for (const char* graph :
       {"A = input f32[4]\nB = flip(A, dims=[0])\nA <- B",
        "A = input f32[1]\nX = input f32[4]\nB = neg(A)\nC = add(X, A)\nA <- B\noutput C",
        "A = input f32[4, 4]\nB = permute(A, dims=[1, 0])\nA <- B",
        "A = input f32[4]\nB = cumsum(A, dim=0)\nA <- B",
        "A = input f32[4]\nI = input i64[4]\nB = gather(A, I, dim=0)\nA <- B",
        "A = input f32[4] in S\nX = input f32[4] in S at 2\nB = add(A, X)\nA <- B"}) {
    const CommitFact commit = CommitOf(World(graph), kMono);
    EXPECT_EQ(commit.strategy, CommitStrategy::kDeferred) << graph;
    EXPECT_EQ(commit.phase, 1) << graph;
  }
}

TEST(L1, AMoveThereAndBackIsTheSameIndex) {
  const Case c = World(
      "A = input f32[4, 3]\nB = permute(A, dims=[1, 0])\nC = neg(B)\nD = permute(C, dims=[1, "
      "0])\nA <- D");
  EXPECT_EQ(CommitOf(c, kMono).strategy, CommitStrategy::kDirect);
}

TEST(L1, AskingForDirectDoesNotMakeItLegal) {
  const Case c =
      World("A = input f32[4]\nB = flip(A, dims=[0])\nA <- B", "schedule A.commit=direct");
  EXPECT_EQ(CommitOf(c, kMono).strategy, CommitStrategy::kDeferred);
}

TEST(L1, AScatterIntoItsTargetRunsInPlace) {
  const std::string graph =
      "A = input f32[4]\nI = input i64[2]\nV = input f32[2]\nB = scatter(A, I, V, dim=0)\nA <- B";
  EXPECT_EQ(CommitOf(World(graph), kMono).strategy, CommitStrategy::kDirect);
  EXPECT_EQ(CommitOf(World(graph + "\noutput B"), kMono).strategy, CommitStrategy::kDeferred);
}

TEST(L2, TheOldValueIsReadBeforeItIsOverwritten) {
  const Case c =
      World("A = input f32[4]\nB = neg(A)\nC = segment_set(A)\nD = add(C, 1)\nA <- B\noutput D");
  const Program program = PlanProgram(c, kCut);
  EXPECT_EQ(program.commits[0].kernel, 1);
  EXPECT_EQ(program.kernels[0].segments, std::vector<int>{1});
}

TEST(L2, TheScheduleChoosesTheRestOfTheOrder) {
  const std::string graph =
      "A = input f32[4]\nB = input f32[4]\nC = neg(A)\nD = neg(B)\noutput C\noutput D";
  EXPECT_EQ(PlanProgram(World(graph), kCut).kernels[0].segments, std::vector<int>{0});
  EXPECT_EQ(PlanProgram(World(graph, "schedule order=1,0"), kCut).kernels[0].segments,
            std::vector<int>{1});
  EXPECT_EQ(PlanProgram(World(graph, "schedule merge=0+1"), kCut).kernels.size(), 1u);
}

TEST(L3, ACycleOfCopiesGetsATemporary) {
  const Case c = World("A = input f32[4]\nB = input f32[4]\nA <- B\nB <- A");
  const Program program = PlanProgram(c, kCut);
  EXPECT_EQ(program.kernels.back().role, KernelRole::kCommit);
  EXPECT_EQ(Slots(program), 1);
}

TEST(L4, ASnapshotIsReadInsteadOfTheTarget) {
  const Case c =
      World("A = input f32[4]\nB = flip(A, dims=[0])\nA <- B", "schedule A.commit=snapshot");
  EXPECT_EQ(CommitOf(c, kMono).strategy, CommitStrategy::kSnapshot);
  EXPECT_THAT(Text(PlanProgram(c, kMono)), HasSubstr("old[A]"));
  EXPECT_EQ(PlanProgram(c, kCut).kernels[0].role, KernelRole::kSnapshot);
}

TEST(L5, DeadTemporariesGiveTheirMemoryAway) {
  const std::string graph =
      "A = input f32[4]\nB = cumsum(A, dim=0)\nC = cumsum(B, dim=0)\nD = cumsum(C, dim=0)\nE = "
      "cumsum(D, dim=0)\noutput E";
  EXPECT_EQ(Slots(PlanProgram(World(graph), kMono)), 2);
  EXPECT_EQ(Slots(PlanProgram(World(graph, "schedule reuse=off"), kMono)), 3);
}

TEST(L5, AScatterTakesOverADyingBase) {
  const std::string graph =
      "A = input f32[4]\nI = input i64[1]\nV = input f32[1]\nB = cumsum(A, dim=0)\nC = scatter(B, "
      "I, V, dim=0)\nD = neg(C)\n";
  EXPECT_EQ(Slots(PlanProgram(World(graph + "output D"), kMono)), 1);
  EXPECT_EQ(Slots(PlanProgram(World(graph + "E = add(D, B)\noutput E"), kMono)), 2);
}

TEST(Plan, IsOneKernelWhenMonolithic) {
  const Case c =
      World("A = input f32[4]\nB = sum(A, dims=[0])\nC = segment_set(B)\nD = add(A, C)\noutput D");
  EXPECT_EQ(PlanProgram(c, kMono).kernels.size(), 1u);
  EXPECT_EQ(PlanProgram(c, kMono).kernels[0].phases.size(), 2u);
  EXPECT_EQ(PlanProgram(c, kCut).kernels.size(), 2u);
}

TEST(Plan, RecomputesInsteadOfStoring) {
  const std::string graph =
      "A = input f32[4]\nB = neg(A)\nC = segment_set(B)\nD = add(A, C)\noutput D";
  EXPECT_THAT(Text(PlanProgram(World(graph), kCut)), HasSubstr("temp[C]"));
  EXPECT_THAT(Text(PlanProgram(World(graph, "schedule C.edge=recompute"), kCut)),
              Not(HasSubstr("temp[C]")));
}

TEST(Plan, LetsAThreadGoOnWithItsOwnSum) {
  const std::string graph = "A = input f32[4, 4]\nB = sum(A, dims=[1])\nC = neg(B)\noutput C";
  EXPECT_EQ(PlanProgram(World(graph), kMono).kernels[0].phases.size(), 1u);
  EXPECT_EQ(PlanProgram(World(graph, "schedule C.map=reversed"), kMono).kernels[0].phases.size(),
            2u);
}

TEST(Plan, TwoPassReductionsHaveABarrierBetween) {
  const Case c =
      World("A = input f32[9]\nB = sum(A, dims=[0])\noutput B", "schedule B.reduce=two_pass");
  EXPECT_EQ(PlanProgram(c, kMono).kernels[0].phases.size(), 2u);
}

}  // namespace
}  // namespace seamfuzz
