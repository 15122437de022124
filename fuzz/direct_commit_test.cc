// Property: whenever the planner calls a commit direct, enumeration of elements finds no conflict.
#include "fuzz/direct_commit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/planner.h"
#include "fuzz/test_cases.h"
#include "generator/draw/draw.h"

namespace seamfuzz {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

constexpr uint64_t kSeeds = 3000;

TEST(DirectCommit, HasNoConflictByEnumerationOnAnyDrawnCase) {
  int64_t direct = 0;
  for (uint64_t index = 0; index < kSeeds; ++index) {
    const Case c = DrawCase(11, index, DrawConfig{});
    for (Mode mode : kModes) {
      const Program program = PlanProgram(c, mode);
      for (const CommitFact& fact : program.commits) {
        direct += fact.strategy == CommitStrategy::kDirect;
      }
      ASSERT_THAT(DirectCommitConflicts(program), IsEmpty()) << Print(c) << Text(program);
    }
  }
  // The property says nothing where no commit is direct.
  EXPECT_GT(direct, static_cast<int64_t>(kSeeds) / 10);
}

TEST(DirectCommit, OfAFaultyPlannerHasOne) {
  Faults faults;
  faults.set(static_cast<size_t>(Fault::kInKernelWar));
  const Case c = CaseFrom(R"(
graph {
  A = input f32[8]
  B = flip(A, dims=[0])
  C = add(A, B)
  A <- C
}
)");
  EXPECT_THAT(DirectCommitConflicts(PlanProgram(c, Mode::kMonolithic, faults)), Not(IsEmpty()));
}

TEST(DirectCommit, OfAReadBySameIndexHasNone) {
  const Case c = CaseFrom(R"(
graph {
  A = input f32[8]
  B = neg(A)
  A <- B
}
)");
  const Program program = PlanProgram(c, Mode::kMonolithic);
  ASSERT_EQ(program.commits.at(0).strategy, CommitStrategy::kDirect);
  EXPECT_THAT(DirectCommitConflicts(program), IsEmpty());
}

}  // namespace
}  // namespace seamfuzz
