// The smallest shape of each hazard class of design 2.4, and what its repair must keep.
#include "oracle/hazards/hazards.h"

#include <gmock/gmock.h>

#include "oracle/test_case.h"

namespace seamfuzz {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string ReaderOf(const Case& c, const Hazard& hazard) {
  if (hazard.reader != kNoValue) return c.graph.node(hazard.reader).name;
  return hazard.reader_effect < 0 ? "-"
                                  : PrintEffect(c.graph, c.graph.effects()[hazard.reader_effect]);
}

// "T4 B1": reader and class, in order.
std::vector<std::string> List(const Case& c, Mode mode) {
  std::vector<std::string> list;
  for (const Hazard& hazard : ListHazards(c, mode))
    list.push_back(ReaderOf(c, hazard) + " " + std::string(Row(hazard.id).name));
  return list;
}
std::vector<std::string> Monolithic(const std::string& body,
                                    const std::string& lines = "values exact seed 1") {
  return List(MakeCase(body, lines), Mode::kMonolithic);
}
std::vector<std::string> Segmented(const std::string& body) {
  return List(MakeCase(body), Mode::kSegmented);
}

// nvFuser issue 2839, https://github.com/NVIDIA/Fuser/issues/2839.
constexpr char kIssue2839[] =
    "T0 = input f32[10, 2]\nT1 = input f32[2, 10, 2]\nT2 = relu(T0)\nT3 = segment_set(T0)\nT4 = "
    "add(T3, T1)\nT0 <- T2\noutput T4";

constexpr char kA0[] = "A = input f32[4]\nB = neg(A)\nY = abs(A)\nA <- B\noutput Y";
constexpr char kA1[] =
    "A = input f32[1]\nB = input f32[5]\nT = add(A, 1)\nX = expand(A, shape=[5])\nY = mul(B, X)\nA "
    "<- T\noutput Y";
constexpr char kA2[] = "A = input f32[4]\nF = flip(A, dims=[0])\nT = add(F, A)\nA <- T";
constexpr char kA3[] =
    "A = input f32[1]\nB = input f32[1, 5]\nX = expand(A, shape=[5])\nS = sum(X, keepdim=true)\nY "
    "= mul(B, X)\nA <- S\noutput Y";
constexpr char kA4[] =
    "A = input f32[3]\nI = input i64[2]\nG = gather(A, I, dim=0)\nU = add(G, 1)\nW = scatter(A, I, "
    "U, dim=0)\nA <- W";
constexpr char kA4Data[] = "values exact seed 1\ndata I [0, 0]";
constexpr char kA6[] =
    "A = input f16[4]\nB = input f32[4]\nT = cast(B, dtype=f16)\nY = mul(T, 3)\nA <- T\noutput Y";
constexpr char kB1[] =
    "A = input f32[4]\nC = segment_set(A)\nY = mul(C, 3)\nT = neg(A)\nA <- T\noutput Y";
constexpr char kB4[] = "A = input f32[4]\nB = input f32[4]\nA <- B\nB <- A";
constexpr char kC1[] =
    "A = input f32[4]\nB = input f32[4] in A\nT = neg(B)\nY = abs(A)\nB <- T\noutput Y";
constexpr char kC2[] =
    "A = input f32[4] in S\nB = input f32[4] in S at 2\nT = neg(B)\nY = abs(A)\nB <- T\noutput Y";
constexpr char kC4[] =
    "X = input f32[1, 2]\nI = input i64[1, 2]\nS = input f32[1, 2]\nE = expand(X, shape=[3, 2])\nR "
    "= "
    "scatter(E, I, S, dim=0)\noutput R";
constexpr char kC4Data[] = "values exact seed 1\ndata I [0, 1]";
constexpr char kC5[] = "A = input f32[2, 3] strides [1, 2]\nT = neg(A)\nA <- T";
constexpr char kC6[] =
    "A = input f32[4] in S\nB = input i32[4] in S\nT = neg(A)\nY = add(B, 1)\nA <- T\noutput Y";
constexpr char kD1[] = "A = input f32[4]\nY = clone(A)\nT = add(A, 1)\nA <- T\noutput Y";
constexpr char kD2[] =
    "A = input f32[4]\nI = input i64[2]\nS = input f32[2]\nY = scatter(A, I, S, dim=0)\nT = "
    "neg(A)\nA <- T\noutput Y";
constexpr char kD2Data[] = "values exact seed 1\ndata I [0, 2]";

TEST(Hazards, Issue2839HasAReadOfEachKind) {
  EXPECT_THAT(Monolithic(kIssue2839), ElementsAre("T2 A0", "T4 A1"));
  EXPECT_THAT(Segmented(kIssue2839), ElementsAre("T2 A0", "T4 B1"));
}

TEST(Hazards, Issue2839IsToldToAPerson) {
  const std::vector<Hazard> hazards = ListHazards(MakeCase(kIssue2839), Mode::kSegmented);
  EXPECT_EQ(hazards[1].text,
            "T4 reads T0 (through T3) after T0 <- T2 may have been written, in another segment");
  EXPECT_EQ(hazards[1].repair_text, "let T4 read a private input with the values of T0");
  EXPECT_EQ(Text(hazards[1].pattern),
            "B1 write=pointwise read=pointwise index=broadcast segment=other dtype=same");
}

TEST(Hazards, A0SameIndex) { EXPECT_THAT(Monolithic(kA0), ElementsAre("B A0", "Y A0")); }
TEST(Hazards, A1Broadcast) { EXPECT_THAT(Monolithic(kA1), ElementsAre("T A0", "Y A1")); }
TEST(Hazards, A2OtherIndex) { EXPECT_THAT(Monolithic(kA2), ElementsAre("T A2", "T A0")); }
TEST(Hazards, A3ThroughAReduction) { EXPECT_THAT(Monolithic(kA3), ElementsAre("S A3", "Y A1")); }
TEST(Hazards, A4DuplicateIndices) {
  EXPECT_THAT(Monolithic(kA4, kA4Data), ElementsAre("G A4", "W A0"));
  EXPECT_THAT(Monolithic(kA4, "values exact seed 1\ndata I [0, 1]"), ElementsAre("G A2", "W A0"));
}
TEST(Hazards, A6NarrowingStoreForwarded) { EXPECT_THAT(Monolithic(kA6), ElementsAre("Y A6")); }
TEST(Hazards, A6EndsAtACut) {
  const char* cut =
      "A = input f16[4]\nB = input f32[4]\nT = cast(B, dtype=f16)\nC = segment_set(T)\nY = mul(C, "
      "3)\nA <- T\noutput Y";
  EXPECT_THAT(Monolithic(cut), ElementsAre("Y A6"));
  EXPECT_THAT(Segmented(cut), IsEmpty());
}
TEST(Hazards, B1AcrossSegments) {
  EXPECT_THAT(Segmented(kB1), ElementsAre("Y B1", "T A0"));
  EXPECT_THAT(Monolithic(kB1), ElementsAre("Y A0", "T A0"));
}
TEST(Hazards, B4Swap) { EXPECT_THAT(Monolithic(kB4), ElementsAre("A <- B B4", "B <- A B4")); }
TEST(Hazards, B4Rotation) {
  EXPECT_THAT(
      Monolithic("A = input f32[2]\nB = input f32[2]\nC = input f32[2]\nA <- B\nB <- C\nC <- A"),
      ElementsAre("A <- B B4", "B <- C B4", "C <- A B4"));
}
TEST(Hazards, C1TheSameMemoryTwice) { EXPECT_THAT(Monolithic(kC1), ElementsAre("T A0", "Y C1")); }
TEST(Hazards, C2PartlyOverlapping) { EXPECT_THAT(Monolithic(kC2), ElementsAre("T A0", "Y C2")); }
TEST(Hazards, C2NeedsAnElementThatIsWritten) {
  EXPECT_THAT(Monolithic("A = input f32[4] in S\nB = input f32[4] in S at 2\nH = slice(A, "
                         "start=[0], end=[2])\nT = neg(B)\n"
                         "Y = abs(H)\nB <- T\noutput Y"),
              ElementsAre("T A0"));
}
TEST(Hazards, C4ScatterIntoExpanded) { EXPECT_THAT(Monolithic(kC4, kC4Data), ElementsAre("R C4")); }
TEST(Hazards, C5LayoutOfTheTarget) { EXPECT_THAT(Monolithic(kC5), ElementsAre("T A0", "- C5")); }
TEST(Hazards, C6AnotherDType) { EXPECT_THAT(Monolithic(kC6), ElementsAre("T A0", "Y C6")); }
TEST(Hazards, D1Snapshot) { EXPECT_THAT(Monolithic(kD1), ElementsAre("T A0", "output Y D1")); }
TEST(Hazards, D1SnapshotThatIsComputedWith) {
  EXPECT_THAT(
      Monolithic("A = input f32[4]\nC = clone(A)\nY = abs(C)\nT = neg(A)\nA <- T\noutput Y"),
      ElementsAre("Y D1", "T A0"));
}
TEST(Hazards, D1UpdateThatCopiesWithoutACycle) {
  EXPECT_THAT(Monolithic("A = input f32[4]\nB = input f32[4]\nT = neg(A)\nA <- T\nB <- A"),
              ElementsAre("T A0", "B <- A D1"));
}
TEST(Hazards, D2FunctionalScatter) {
  EXPECT_THAT(Monolithic(kD2, kD2Data), ElementsAre("Y D2", "T A0"));
}

TEST(Hazards, AFlipOntoItselfIsItsOwnReader) {
  EXPECT_THAT(Monolithic("A = input f32[4]\nF = flip(A, dims=[0])\nA <- F"),
              ElementsAre("A <- F A2"));
}
TEST(Hazards, ACompositeIsTheReaderOfWhatItsDefinitionReads) {
  EXPECT_THAT(Monolithic("A = input f32[4]\nY = softmax(A, dim=0)\nT = neg(A)\nA <- T\noutput Y"),
              ElementsAre("Y A0", "Y A3", "T A0"));
}
TEST(Hazards, WithoutAnUpdateThereIsNone) {
  EXPECT_THAT(Monolithic("A = input f32[4]\nB = flip(A, dims=[0])\noutput B"), IsEmpty());
}
TEST(Hazards, DeadReadersAreNone) {
  EXPECT_THAT(Monolithic("A = input f32[4]\nD = flip(A, dims=[0])\nX = abs(D)\nT = neg(A)\nA <- T"),
              ElementsAre("T A0"));
}
TEST(Hazards, AnIllFormedGraphHasNone) {
  EXPECT_THAT(Monolithic("A = input f32[4]\nT = neg(A)\nA <- T\nA <- T"), IsEmpty());
}

std::string IndexOf(const std::string& move) {
  const Case c =
      MakeCase("A = input f32[2, 3]\nM = " + move + "\nR = neg(M)\nT = neg(A)\nA <- T\noutput R");
  for (const Hazard& hazard : ListHazards(c, Mode::kMonolithic)) {
    if (ReaderOf(c, hazard) == "R") return hazard.pattern.index;
  }
  return "none";
}

TEST(Hazards, PatternsNameTheIndex) {
  EXPECT_EQ(IndexOf("reshape(A, shape=[6])"), "reshaped");
  EXPECT_EQ(IndexOf("permute(A, dims=[1, 0])"), "permuted");
  EXPECT_EQ(IndexOf("flip(A, dims=[1])"), "flipped");
  EXPECT_EQ(IndexOf("roll(A, dims=[1], shift=[1])"), "shifted");
  EXPECT_EQ(IndexOf("slice(A, start=[1, 0], end=[2, 3])"), "shifted");
  EXPECT_EQ(IndexOf("slice(A, start=[0, 0], end=[1, 3])"), "sliced");
  EXPECT_EQ(IndexOf("broadcast_in_dim(A, shape=[4, 2, 3], dims=[1, 2])"), "broadcast");
}

// ---- Repairs
// --------------------------------------------------------------------------------------------------------------

struct Shape24 {
  const char* name;
  const char* body;
  const char* lines;
};
void PrintTo(const Shape24& shape, std::ostream* os) { *os << shape.name; }
constexpr char kPlain[] = "values exact seed 1";
constexpr char kSchedule[] =
    "values exact seed 1\nschedule T3.place=materialize T4.place=materialize";

class Repairs : public testing::TestWithParam<Shape24> {
 protected:
  Case Get() const { return MakeCase(GetParam().body, GetParam().lines); }
};

std::vector<std::vector<std::string>> Answer(const Case& c, Mode mode) {
  std::vector<std::vector<std::string>> answer;
  for (const Effect& effect : c.graph.effects())
    answer.push_back(Sets(c, c.graph.node(effect.value).name, mode));
  return answer;
}

TEST_P(Repairs, OfOneHazardKeepTheAnswerAndTakeItAway) {
  const Case c = Get();
  for (const Mode mode : kModes) {
    const std::vector<Hazard> hazards = ListHazards(c, mode);
    ASSERT_FALSE(hazards.empty());
    for (const Hazard& hazard : hazards) {
      const Result<Case> repaired = Repair(c, {&hazard, 1});
      ASSERT_TRUE(repaired.ok()) << repaired.error().Text();
      for (const Mode other : kModes)
        EXPECT_EQ(Answer(*repaired, other), Answer(c, other)) << hazard.text << Print(*repaired);
      EXPECT_EQ(repaired->graph.effects().size(), c.graph.effects().size());
      EXPECT_THAT(BrokenContract(repaired->graph), IsEmpty());
      for (const Hazard& left : ListHazards(*repaired, mode))
        EXPECT_NE(left.text, hazard.text) << Print(*repaired);
    }
  }
}

TEST_P(Repairs, OfAllHazardsLeaveNone) {
  const Case c = Get();
  for (const Mode mode : kModes) {
    const Result<Case> repaired = Repair(c, ListHazards(c, mode));
    ASSERT_TRUE(repaired.ok()) << repaired.error().Text();
    EXPECT_THAT(List(*repaired, mode), IsEmpty()) << Print(*repaired);
  }
}

TEST_P(Repairs, GiveCasesThatReadBack) {
  const Case c = Get();
  const Result<Case> repaired = Repair(c, ListHazards(c, Mode::kSegmented));
  ASSERT_TRUE(repaired.ok());
  const Result<ParsedCase> parsed = ParseCase(Print(*repaired));
  ASSERT_TRUE(parsed.ok()) << parsed.error().Text() << Print(*repaired);
  EXPECT_EQ(parsed->value, *repaired);
}

TEST_P(Repairs, ControlsKeepEveryHazardAndTheAnswer) {
  const Case c = Get();
  const Result<Case> control = Control(c, ListHazards(c, Mode::kSegmented));
  ASSERT_TRUE(control.ok()) << control.error().Text();
  EXPECT_EQ(List(*control, Mode::kSegmented), List(c, Mode::kSegmented));
  const auto answer = Answer(c, Mode::kMonolithic);
  auto with_control = Answer(*control, Mode::kMonolithic);
  with_control.resize(answer.size());
  EXPECT_EQ(with_control, answer);
  EXPECT_NE(control->graph, c.graph);
}

INSTANTIATE_TEST_SUITE_P(Design24, Repairs,
                         testing::Values(Shape24{"A0", kA0, kPlain}, Shape24{"A1", kA1, kPlain},
                                         Shape24{"A2", kA2, kPlain}, Shape24{"A3", kA3, kPlain},
                                         Shape24{"A4", kA4, kA4Data}, Shape24{"A6", kA6, kPlain},
                                         Shape24{"B1", kB1, kPlain}, Shape24{"B4", kB4, kPlain},
                                         Shape24{"C1", kC1, kPlain}, Shape24{"C2", kC2, kPlain},
                                         Shape24{"C4", kC4, kC4Data}, Shape24{"C5", kC5, kPlain},
                                         Shape24{"C6", kC6, kPlain}, Shape24{"D1", kD1, kPlain},
                                         Shape24{"D2", kD2, kD2Data},
                                         Shape24{"Issue2839", kIssue2839, kSchedule}),
                         [](const testing::TestParamInfo<Shape24>& info) {
                           return info.param.name;
                         });

TEST(Repair, ClonesTheChainForItsReaderOnly) {
  const Case c = MakeCase(
      "A = input f32[4]\nF = flip(A, dims=[0])\nX = abs(F)\nY = neg(F)\nT = neg(A)\nA <- T\noutput "
      "X\noutput Y");
  const Result<Case> repaired =
      Repair(c, std::vector<Hazard>{ListHazards(c, Mode::kMonolithic)[0]});
  ASSERT_TRUE(repaired.ok());
  EXPECT_THAT(List(*repaired, Mode::kMonolithic), ElementsAre("Y A2", "T A0"));
}

TEST(Repair, DropsNodesAndScheduleKeysThatNobodyReadsAnyMore) {
  const Case c = MakeCase(kIssue2839, kSchedule);
  const Result<Case> repaired = Repair(c, ListHazards(c, Mode::kSegmented));
  ASSERT_TRUE(repaired.ok());
  EXPECT_EQ(repaired->graph.Find("T3"), kNoValue);
  EXPECT_FALSE(repaired->schedule.values.contains("T3"));
  EXPECT_TRUE(repaired->schedule.values.contains("T4"));
}

TEST(Repair, MovesASharedTargetToAStorageOfItsOwn) {
  const Case c = MakeCase(
      "A = input f32[2, 2] strides [1, 2] in S\nB = input f32[4] in S at 4\nT = neg(A)\nA <- "
      "T\noutput B");
  const std::vector<Hazard> hazards = ListHazards(c, Mode::kMonolithic);
  const Result<Case> repaired = Repair(c, {&hazards.back(), 1});
  ASSERT_TRUE(repaired.ok());
  EXPECT_EQ(Storages(repaired->graph).size(), 2u);
  EXPECT_EQ(Answer(*repaired, Mode::kMonolithic), Answer(c, Mode::kMonolithic));
}

TEST(Repair, AControlTakesAnotherInput) {
  const Case c = MakeCase(
      "A = input f32[4] in S\nB = input f32[4] in S at 2\nZ = input f32[4]\nY = abs(A)\n"
      "H = slice(A, start=[0], end=[2])\nX = abs(H)\nW = neg(Z)\nT = neg(B)\nB <- T\noutput "
      "Y\noutput X\noutput W");
  const Result<Case> control = Control(c, ListHazards(c, Mode::kMonolithic));
  ASSERT_TRUE(control.ok());
  EXPECT_EQ(PrintNode(control->graph, control->graph.Find("W")), "W = neg(P0)");
}

TEST(Repair, ByFreshOutputWritesNothing) {
  const Result<Case> repaired = RepairByFreshOutput(MakeCase(kA0), 0);
  ASSERT_TRUE(repaired.ok());
  EXPECT_EQ(PrintEffect(repaired->graph, repaired->graph.effects()[0]), "output B");
}

TEST(Repair, TellsWhereAValueIsNotKnown) {
  const Case c = MakeCase(
      "X = input f32[1, 2]\nI = input i64[1, 2]\nS = input f32[1, 2]\nL = pow(X, 2)\nE = expand(L, "
      "shape=[3, 2])\nR = scatter(E, I, S, dim=0)\n"
      "output R",
      "values exact seed 1\ndata X [-1, -2]\ndata I [0, 1]");
  EXPECT_EQ(Repair(c, ListHazards(c, Mode::kMonolithic)).error().rule, "repair_value");
}

// ---- Reading a graph as a program
// -------------------------------------------------------------------------------------------

std::vector<std::string> Ambiguous(const std::string& body, const std::string& lines = kPlain) {
  const Case c = MakeCase(body, lines);
  std::vector<std::string> list;
  for (const Ambiguity& a : AmbiguousAsProgram(c)) {
    const std::string reader = a.reader != kNoValue
                                   ? c.graph.node(a.reader).name
                                   : PrintEffect(c.graph, c.graph.effects()[a.effect]);
    list.push_back(PrintEffect(c.graph, c.graph.effects()[a.update]) + ": " + reader);
  }
  return list;
}

TEST(Ambiguity, Issue2839IsAmbiguous) {
  EXPECT_THAT(Ambiguous(kIssue2839), ElementsAre("T0 <- T2: T4"));
}
TEST(Ambiguity, AReadThatTheUpdateNeedsCannotComeLater) {
  EXPECT_THAT(Ambiguous("A = input f32[4]\nT = neg(A)\nA <- T\noutput T"), IsEmpty());
}
TEST(Ambiguity, ASwapIsAmbiguousBothWays) {
  EXPECT_THAT(Ambiguous(kB4), ElementsAre("A <- B: B <- A", "B <- A: A <- B"));
}
TEST(Ambiguity, AnOutputOfTheTargetIsAmbiguous) {
  EXPECT_THAT(Ambiguous("A = input f32[4]\nT = add(A, 1)\nA <- T\noutput A"),
              ElementsAre("A <- T: output A"));
}
TEST(Ambiguity, DependsOnTheValues) {
  EXPECT_THAT(Ambiguous("A = input f32[2]\nT = relu(A)\nY = neg(A)\nA <- T\noutput Y",
                        "values exact seed 1\ndata A [1, 2]"),
              IsEmpty());
  EXPECT_THAT(Ambiguous("A = input f32[2]\nT = relu(A)\nY = neg(A)\nA <- T\noutput Y",
                        "values exact seed 1\ndata A [1, -2]"),
              ElementsAre("A <- T: Y"));
}

}  // namespace
}  // namespace seamfuzz
