// The simulated engine on small worlds: values, aliasing, races, and the schedules that must not
// matter.
#include "engine/sim/sim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/planner.h"
#include "engine/sim/simulate.h"
#include "engine/sim/test_world.h"

namespace seamfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Mode kMono = Mode::kMonolithic;
constexpr Mode kCut = Mode::kSegmented;

TEST(Sim, ReadsMeanTheValueAtEntry) {
  const Case c =
      World("A = input f32[3]\nB = neg(A)\nC = add(A, 1)\nA <- B\noutput C", "data A [1, 2, 3]");
  const Outcome outcome = RunSim(c, kMono);
  EXPECT_THAT(Storage(outcome, 0), ElementsAre(-1, -2, -3));
  EXPECT_THAT(Output(outcome, 1), ElementsAre(2, 3, 4));
}

TEST(Sim, RunsTheSecondCallOnWhatTheFirstLeft) {
  const Case c = World("A = input f32[2]\nB = add(A, 1)\nA <- B\noutput B", "data A [1, 5]");
  EXPECT_THAT(Output(RunSim(c, kMono), 1, DType::kF32, 1), ElementsAre(3, 7));
}

TEST(Sim, UpdatesAStridedTargetWhereItLies) {
  const Case c = World("A = input f32[2, 2] strides [1, 2]\nB = neg(A)\nA <- B\noutput B",
                       "data A [1, 2, 3, 4]");
  const Outcome outcome = RunSim(c, kMono);
  EXPECT_THAT(Storage(outcome, 0), ElementsAre(-1, -2, -3, -4));
  EXPECT_THAT(Output(outcome, 1), ElementsAre(-1, -3, -2, -4));
}

TEST(Sim, SwapsInBothModes) {
  const Case c =
      World("A = input f32[2]\nB = input f32[2]\nA <- B\nB <- A", "data A [1, 2]\ndata B [3, 4]");
  for (Mode mode : kModes) {
    EXPECT_THAT(Storage(RunSim(c, mode), 0), ElementsAre(3, 4));
    EXPECT_THAT(Storage(RunSim(c, mode), 1), ElementsAre(1, 2));
  }
}

TEST(Sim, ReducesEveryDim) {
  const Case c = World(
      "A = input f32[2, 3]\nB = sum(A, dims=[0])\nC = sum(A, dims=[1], keepdim=true)\noutput "
      "B\noutput C",
      "data A [1, 2, 3, 4, 5, 6]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(5, 7, 9));
  EXPECT_THAT(Output(RunSim(c, kMono), 1), ElementsAre(6, 15));
}

TEST(Sim, ReducesNothingToTheNeutralElement) {
  const Case c = World("A = input f32[2, 0]\nB = sum(A, dims=[1])\noutput B");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(0, 0));
}

TEST(Sim, ScansAlongADim) {
  const Case c =
      World("A = input f32[2, 2]\nB = cumsum(A, dim=0)\noutput B", "data A [1, 2, 3, 4]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(1, 2, 4, 6));
}

TEST(Sim, MultipliesMatrices) {
  const Case c = World("A = input f32[2, 2]\nB = input f32[2, 3]\nC = matmul(A, B)\noutput C",
                       "data A [1, 2, 3, 4]\ndata B [1, 0, 2, 0, 1, 3]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(1, 2, 8, 3, 4, 18));
}

TEST(Sim, MultipliesAMatrixWithAVector) {
  const Case c = World(
      "A = input f32[2, 2]\nB = input f32[2]\nC = matmul(A, B)\nD = matmul(B, A)\noutput C\noutput "
      "D",
      "data A [1, 2, 3, 4]\ndata B [1, 10]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(21, 43));
  EXPECT_THAT(Output(RunSim(c, kMono), 1), ElementsAre(31, 42));
}

TEST(Sim, TakesFillsAndOperandsOfAMove) {
  const Case c = World(
      "A = input f32[2]\nB = input f32[1]\nC = cat(A, B, dim=0)\nD = pad(C, low=[1], high=[1], "
      "value=7)\noutput D",
      "data A [1, 2]\ndata B [3]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(7, 1, 2, 3, 7));
}

TEST(Sim, GathersThroughAMove) {
  const Case c = World(
      "A = input f32[3]\nI = input i64[2]\nB = flip(A, dims=[0])\nC = gather(B, I, dim=0)\noutput "
      "C",
      "data A [1, 2, 3]\ndata I [0, 2]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(3, 1));
}

TEST(Sim, ScattersIntoACopy) {
  const Case c = World(
      "A = input f32[3]\nI = input i64[1]\nV = input f32[1]\nB = scatter(A, I, V, dim=0)\noutput B",
      "data A [1, 2, 3]\ndata I [1]\ndata V [9]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(1, 9, 3));
  EXPECT_THAT(Storage(RunSim(c, kMono), 0), ElementsAre(1, 2, 3));
}

TEST(Sim, ChainsScattersInOneTemporary) {
  const Case c = World(
      "A = input f32[3]\nI = input i64[1]\nJ = input i64[1]\nV = input f32[1]\n"
      "B = scatter(A, I, V, dim=0)\nC = scatter(B, J, V, dim=0)\nD = neg(C)\noutput D",
      "data A [1, 2, 3]\ndata I [1]\ndata J [0]\ndata V [9]");
  EXPECT_THAT(Output(RunSim(c, kMono), 0), ElementsAre(-9, -9, -3));
}

TEST(Sim, KeepsExcessPrecisionOnlyBetweenNarrowOps) {
  // 256 + 1 is no bf16; subtracting 256 from the register gives 1, from the rounded value 0.
  const std::string graph = "A = input bf16[1]\nB = add(A, 1)\nC = sub(B, 256)\noutput C";
  EXPECT_THAT(Output(RunSim(World(graph, "data A [256]"), kMono), 0, DType::kBF16), ElementsAre(1));
  const Case stored = World(graph, "data A [256]\nschedule B.place=materialize C.map=reversed");
  EXPECT_THAT(Output(RunSim(stored, kMono), 0, DType::kBF16), ElementsAre(0));
}

TEST(Sim, RoundsAtACutWhenSegmented) {
  const Case c =
      World("A = input bf16[1]\nB = add(A, 1)\nS = segment_set(B)\nC = sub(S, 256)\noutput C",
            "data A [256]\nschedule S.edge=recompute B.edge=recompute");
  EXPECT_THAT(Output(RunSim(c, kMono), 0, DType::kBF16), ElementsAre(1));
  EXPECT_THAT(Output(RunSim(c, kCut), 0, DType::kBF16), ElementsAre(0));
}

TEST(Sim, SharesNoMemoryBetweenOutputsAndInputs) {
  const Case c = World("A = input f32[2]\nB = neg(A)\nA <- B\noutput B\noutput A\noutput B");
  const Outcome outcome = RunSim(c, kMono);
  for (const Identity& identity : outcome.calls[0].identity) {
    EXPECT_EQ(identity.storage, -1);
    EXPECT_EQ(identity.output, -1);
  }
}

TEST(Sim, LeavesGuardZonesAndGapsAlone) {
  const Case c = World("A = input f32[2] strides [2] in S at 1\nB = neg(A)\nA <- B");
  const Outcome outcome = RunSim(c, kMono);
  const StorageBytes before = EntryBytes(c)[0];
  StorageBytes after = outcome.calls[0].storages[0];
  for (int element : {1, 3}) {
    std::copy_n(before.begin() + kGuardBytes + 4 * element, 4,
                after.begin() + kGuardBytes + 4 * element);
  }
  EXPECT_EQ(after, before);
}

TEST(Sim, RefusesIllFormedGraphs) {
  const Case c = World("A = input f32[2]\nB = neg(A)\nA <- B\nA <- B");
  EXPECT_EQ(RunSim(c, kMono).kind, OutcomeKind::kRefusal);
  EXPECT_THAT(RunSim(c, kMono).text, StartsWith("rejected: U1"));
}

TEST(Sim, AnswersAnIndexOutOfRangeWithAFailure) {
  const Case c =
      World("A = input f32[2]\nI = input i64[1]\nB = gather(A, I, dim=0)\noutput B", "data I [5]");
  EXPECT_EQ(RunSim(c, kMono).failure, FailureKind::kIllegalAddress);
}

// ---- Races ----

const char kFlipInPlace[] = "A = input f32[8]\nB = flip(A, dims=[0])\nC = add(A, B)\nA <- C";

TEST(Race, NamesTwoThreadsElementsAndOps) {
  const Outcome outcome = RunSim(World(kFlipInPlace), kMono, Only(Fault::kInKernelWar));
  ASSERT_TRUE(outcome.race);
  EXPECT_EQ(outcome.race->memory, "storage A");
  EXPECT_THAT(outcome.race->first.text, HasSubstr("writes A[3] for A <- C"));
  EXPECT_THAT(outcome.race->second.text, HasSubstr("reads A[3] for C = add(A, B)"));
  EXPECT_EQ(outcome.race->order, "interleave=forward, thread 3 before thread 4");
}

TEST(Race, IsFoundUnderEveryInterleaving) {
  for (const char* order :
       {"forward", "reverse", "reads_first", "writes_first", "one_ahead:3", "random:5"}) {
    const Case c = World(kFlipInPlace, std::string("schedule interleave=") + order);
    EXPECT_TRUE(RunSim(c, kMono, Only(Fault::kInKernelWar)).race) << order;
    EXPECT_FALSE(RunSim(c, kMono).race) << order;
  }
}

TEST(Race, ShowsInTheValuesWhenAThreadRunsAhead) {
  const Case c = World("A = input f32[2]\nB = flip(A, dims=[0])\nA <- B", "data A [1, 2]");
  EXPECT_THAT(Storage(RunSim(c, kMono, Only(Fault::kInKernelWar)), 0), ElementsAre(2, 2));
}

TEST(Race, IsNoneWhereOneThreadRunsEverything) {
  const Case c = World(kFlipInPlace, "schedule block=1 grid=1");
  const Outcome outcome = RunSim(c, kMono, Only(Fault::kInKernelWar));
  EXPECT_FALSE(outcome.race);
  EXPECT_FALSE(SameEffects(outcome, RunSim(c, kMono)));
}

TEST(Race, IsFoundBetweenKernelsWithoutAnOrder) {
  const Case c =
      World("A = input f32[4]\nB = neg(A)\nC = segment_set(A)\nD = add(C, 1)\nA <- B\noutput D",
            "schedule streams=2");
  Program program = PlanProgram(c, kCut);
  EXPECT_FALSE(Simulator().Run(c, program, {}).race);
  program.kernels[1].waits.clear();
  program.kernels[1].stream = 1;
  const Outcome outcome = Simulator().Run(c, program, {});
  ASSERT_TRUE(outcome.race);
  EXPECT_THAT(outcome.race->order, HasSubstr("on another stream"));
}

TEST(Race, IsNoneBetweenStoresOfOneScatter) {
  const Case c = World(
      "A = input f32[2]\nI = input i64[2]\nV = input f32[2]\nB = scatter(A, I, V, dim=0)\noutput B",
      "data I [1, 1]");
  EXPECT_FALSE(RunSim(c, kMono).race);
}

// ---- Schedules must not matter ----

std::vector<std::string> Graphs() {
  return {
      "A = input f32[5, 3]\nB = input f32[3]\nC = sum(A, dims=[0])\nD = mul(C, B)\nE = "
      "segment_set(D)\n"
      "F = add(A, E)\nB <- D\nA <- F\noutput C",
      "A = input f32[4, 4]\nB = permute(A, dims=[1, 0])\nC = add(A, B)\nD = cumsum(C, dim=1)\nS = "
      "segment_set(A)\n"
      "E = matmul(D, S)\nA <- C\noutput E\noutput D",
      "A = input f32[6] in S\nB = input f32[6] in S at 3\nI = input i64[3]\nC = neg(A)\nD = "
      "gather(B, I, dim=0)\n"
      "E = scatter(A, I, D, dim=0)\nK = segment_set(E)\nF = add(K, C)\nA <- F\noutput D\noutput E",
      "A = input f32[7]\nB = input f32[7]\nC = flip(B, dims=[0])\nD = segment_set(C)\nE = sub(D, "
      "A)\nF = clone(A)\n"
      "A <- C\nB <- E\noutput F\noutput E",
  };
}

std::vector<std::string> Schedules() {
  std::vector<std::string> all = {"block=1",   "block=3 grid=1",     "block=64",
                                  "reuse=off", "streams=2",          "streams=4 reuse=off",
                                  "order=1,0", "interleave=reverse", "interleave=random:3"};
  for (const char* value : {"A", "B", "C", "D", "E", "F"}) {
    for (const char* choice :
         {"place=materialize", "place=inline", "reduce=warp_shuffle", "reduce=shared_tree",
          "reduce=two_pass", "reduce=persistent", "edge=recompute", "map=reversed", "map=blocked",
          "map=vector2", "map=vector8", "loop=column_major"}) {
      all.push_back(std::string(value) + "." + choice);
    }
  }
  for (const char* commit : {"direct", "deferred", "snapshot"}) {
    for (const char* input : {"A", "B"}) all.push_back(std::string(input) + ".commit=" + commit);
    all.push_back(std::string("A.commit=") + commit + " B.commit=" + commit +
                  " C.place=materialize D.map=blocked block=2");
  }
  return all;
}

TEST(Schedule, NeverChangesABit) {
  int runs = 0;
  for (const std::string& graph : Graphs()) {
    for (Mode mode : kModes) {
      const bool indexed = graph.find("I =") != std::string::npos;
      const std::string data = indexed ? "data I [2, 0, 1]\n" : "";
      const Outcome plain = RunSim(World(graph, data), mode);
      for (const std::string& schedule : Schedules()) {
        const Result<ParsedCase> parsed = ParseCase("seamfuzz 1\ngraph {\n" + graph + "\n}\n" +
                                                    data + "schedule " + schedule + "\n");
        if (!parsed.ok()) continue;  // the key names no value of this graph
        const Outcome outcome = RunSim(parsed->value, mode);
        ++runs;
        EXPECT_FALSE(outcome.race)
            << graph << "\n"
            << schedule << "\n"
            << outcome.race->first.text << " / " << outcome.race->second.text;
        EXPECT_TRUE(SameEffects(plain, outcome)) << graph << "\n"
                                                 << schedule << "\n"
                                                 << ModeName(mode);
      }
    }
  }
  EXPECT_GT(runs, 300);
}

TEST(Schedule, ModesAgreeOnIntegers) {
  for (const std::string& graph : Graphs()) {
    const Case c = World(graph, graph.find("I =") != std::string::npos ? "data I [2, 0, 1]" : "");
    EXPECT_TRUE(SameEffects(RunSim(c, kMono), RunSim(c, kCut))) << graph;
  }
}

}  // namespace
}  // namespace seamfuzz
