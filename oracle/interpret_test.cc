// Each rule of the reference against a third source: PyTorch's documentation, IEEE 754, or
// arithmetic by hand.
#include "oracle/interpret.h"

#include <gmock/gmock.h>

#include <cmath>

#include "oracle/test_case.h"

namespace seamfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One op on inputs with literal data.
std::vector<std::string> Answer(const std::string& body, const std::string& lines,
                                Mode mode = Mode::kMonolithic) {
  return Sets(MakeCase(body + "\noutput R", "values exact seed 1\n" + lines), "R", mode);
}

bool Permits(const std::string& body, const std::string& lines, double value,
             Mode mode = Mode::kMonolithic) {
  const Case c = MakeCase(body + "\noutput R", "values bounded seed 1\n" + lines);
  const Result<Reference> reference = Interpret(c.graph, mode, EntryBytes(c));
  return reference.ok() && c.graph.Find("R") != kNoValue &&
         reference->values[c.graph.Find("R")].Allows(0, FloatScalar(value));
}

// ---- Move: examples of https://pytorch.org/docs/stable/torch.html
// -----------------------------------------------------

TEST(Interpret, MoveFlipAsInTheDocumentationOfTorchFlip) {
  EXPECT_THAT(
      Answer("A = input f32[2, 2, 2]\nR = flip(A, dims=[0, 1])", "data A [0, 1, 2, 3, 4, 5, 6, 7]"),
      ElementsAre("6", "7", "4", "5", "2", "3", "0", "1"));
}

TEST(Interpret, MoveRollAsInTheDocumentationOfTorchRoll) {
  EXPECT_THAT(Answer("A = input f32[4, 2]\nR = roll(A, dims=[0], shift=[1])",
                     "data A [1, 2, 3, 4, 5, 6, 7, 8]"),
              ElementsAre("7", "8", "1", "2", "3", "4", "5", "6"));
}

TEST(Interpret, MovePadFillsWithItsValue) {
  EXPECT_THAT(Answer("A = input f32[2]\nR = pad(A, low=[1], high=[2], value=9)", "data A [1, 2]"),
              ElementsAre("9", "1", "2", "9", "9"));
}

TEST(Interpret, InputReadsThroughItsStridesAndOffset) {
  EXPECT_THAT(
      Answer("A = input f32[2, 2] strides [1, 2] in S at 1\nR = neg(A)", "data S [0, 1, 2, 3, 4]"),
      ElementsAre("-1", "-3", "-2", "-4"));
}

// ---- Index: examples of torch.gather, torch.index_select, torch.scatter
// -------------------------------------------------

TEST(Interpret, GatherAsInTheDocumentationOfTorchGather) {
  EXPECT_THAT(Answer("A = input f32[2, 2]\nI = input i64[2, 2]\nR = gather(A, I, dim=1)",
                     "data A [1, 2, 3, 4]\ndata I [0, 0, 1, 0]"),
              ElementsAre("1", "1", "4", "3"));
}

TEST(Interpret, ScatterAsInTheDocumentationOfTorchScatter) {
  EXPECT_THAT(
      Answer("A = input f32[3, 5]\nI = input i64[1, 4]\nS = input f32[1, 4]\nZ = mul(A, 0)\nR = "
             "scatter(Z, I, S, dim=0)",
             "data I [0, 1, 2, 0]\ndata S [1, 2, 3, 4]"),
      ElementsAre("1", "0", "0", "4", "0", "0", "2", "0", "0", "0", "0", "0", "3", "0", "0"));
}

TEST(Interpret, ScatterWithDuplicatesPermitsEitherSource) {
  EXPECT_THAT(
      Answer("A = input f32[2]\nI = input i64[2]\nS = input f32[2]\nR = scatter(A, I, S, dim=0)",
             "data A [7, 8]\ndata I [1, 1]\ndata S [3, 5]"),
      ElementsAre("7", "{3, 5}"));
}

TEST(Interpret, IndexOutsideItsDimIsAnInputError) {
  EXPECT_THAT(Answer("A = input f32[2]\nI = input i64[1]\nR = gather(A, I, dim=0)", "data I [2]"),
              ElementsAre(HasSubstr("index_range: R: index 2 at I[0]")));
}

// ---- Reduce, Scan, Contract
// -----------------------------------------------------------------------------------------------

TEST(Interpret, ReduceSumOfIntegersIsExactAndWide) {
  EXPECT_THAT(Answer("A = input i8[3]\nR = sum(A)", "data A [100, 100, 100]"), ElementsAre("300"));
}

TEST(Interpret, ReduceKeepsTheOtherDims) {
  EXPECT_THAT(Answer("A = input f32[2, 3]\nR = sum(A, dims=[0])", "data A [1, 2, 3, 4, 5, 6]"),
              ElementsAre("5", "7", "9"));
  EXPECT_THAT(Answer("A = input f32[2, 3]\nR = amax(A, dims=[1], keepdim=true)",
                     "data A [1, 2, 3, 6, 5, 4]"),
              ElementsAre("3", "6"));
}

TEST(Interpret, ReduceAmaxPropagatesNan) {
  EXPECT_THAT(Answer("A = input f32[2]\nR = amax(A)", "data A [nan, 1]"), ElementsAre("nan"));
}

TEST(Interpret, CosineOfAnIntervalWiderThanAPeriodIsEverything) {
  EXPECT_THAT(Answer("A = input f32[3]\nS = sum(A)\nR = cos(S)", "data A [1e30, 3e29, 7e28]"),
              ElementsAre(testing::StartsWith("[-1")));
}

// A half accumulator would stop at 2048: 2048 + 1 = 2048 in f16. Source:
// torch.finfo(torch.float16).
TEST(Interpret, ReduceOfHalfAccumulatesInFloat) {
  EXPECT_THAT(Answer("A = input f16[1]\nB = expand(A, shape=[4096])\nR = sum(B)", "data A [1]"),
              ElementsAre("4096"));
}

// (1e8 + 1) - 1e8 is 0 in f32, (1e8 - 1e8) + 1 is 1.
TEST(Interpret, ReduceSumPermitsEveryOrder) {
  const std::string body = "A = input f32[3]\nR = sum(A)";
  const std::string data = "data A [1e8, 1, -1e8]";
  EXPECT_TRUE(Permits(body, data, 0));
  EXPECT_TRUE(Permits(body, data, 1));
  EXPECT_FALSE(Permits(body, data, 100));
}

TEST(Interpret, ReduceSumOfFractionsIsNoPoint) {
  const std::string body = "A = input f32[3]\nR = sum(A)";
  const float forward = (0.1f + 0.1f) + 0.7f;
  const float backward = 0.1f + (0.1f + 0.7f);
  ASSERT_NE(forward, backward);
  EXPECT_TRUE(Permits(body, "data A [0.1, 0.1, 0.7]", forward));
  EXPECT_TRUE(Permits(body, "data A [0.1, 0.1, 0.7]", backward));
}

TEST(Interpret, ReduceProductPermitsEveryOrder) {
  const std::string body = "A = input f32[3]\nR = prod(A)";
  const std::string data = "data A [1.1, 1.3, 1.7]";
  const float forward = 1.1f * 1.3f * 1.7f;
  const float backward = 1.7f * 1.3f * 1.1f;
  EXPECT_TRUE(Permits(body, data, forward));
  EXPECT_TRUE(Permits(body, data, backward));
  EXPECT_FALSE(Permits(body, data, forward * 1.00001f));
}

TEST(Interpret, ScanAsInTheDocumentationOfTorchCummax) {
  EXPECT_THAT(Answer("A = input f32[4]\nR = cummax(A, dim=0)", "data A [-3, 1, -2, 4]"),
              ElementsAre("-3", "1", "1", "4"));
  EXPECT_THAT(Answer("A = input f32[2, 2]\nR = cumsum(A, dim=0)", "data A [1, 2, 3, 4]"),
              ElementsAre("1", "2", "4", "6"));
}

TEST(Interpret, ContractByHand) {
  EXPECT_THAT(Answer("A = input f32[2, 2]\nB = input f32[2, 2]\nR = matmul(A, B)",
                     "data A [1, 2, 3, 4]\ndata B [5, 6, 7, 8]"),
              ElementsAre("19", "22", "43", "50"));
  EXPECT_THAT(Answer("A = input f32[2]\nB = input f32[2, 2]\nR = matmul(A, B)",
                     "data A [1, 2]\ndata B [5, 6, 7, 8]"),
              ElementsAre("19", "22"));
  EXPECT_THAT(Answer("A = input f32[2, 1, 2]\nB = input f32[2]\nR = matmul(A, B)",
                     "data A [1, 2, 3, 4]\ndata B [5, 6]"),
              ElementsAre("17", "39"));
}

// ---- Elementwise: IEEE 754 and two's complement
// ---------------------------------------------------------------------------

TEST(Interpret, IntegersWrap) {
  EXPECT_THAT(Answer("A = input i8[1]\nR = add(A, A)", "data A [127]"), ElementsAre("-2"));
}

TEST(Interpret, BroadcastsAsNumPy) {
  EXPECT_THAT(Answer("A = input f32[2, 1]\nB = input f32[3]\nR = add(A, B)",
                     "data A [10, 20]\ndata B [1, 2, 3]"),
              ElementsAre("11", "12", "13", "21", "22", "23"));
}

TEST(Interpret, AddIsCorrectlyRounded) {
  EXPECT_THAT(Answer("A = input f32[1]\nR = add(A, 1)", "data A [16777216]"),
              ElementsAre("16777216"));
}

// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24; f32 rounds the last bit away (a tie), an FMA keeps it.
TEST(Interpret, FmaContractionLeavesAProductUnrounded) {
  const std::string body = "A = input f32[1]\nB = mul(A, A)\nR = sub(B, 1.00048828125)";
  EXPECT_TRUE(Permits(body, "data A [1.000244140625]", 0));
  EXPECT_TRUE(Permits(body, "data A [1.000244140625]", std::ldexp(1.0, -24)));
  EXPECT_FALSE(Permits(body, "data A [1.000244140625]", std::ldexp(1.0, -22)));
}

// The same in f64: (1 + 2^-27)^2 = 1 + 2^-26 + 2^-54.
TEST(Interpret, FmaContractionLeavesAnF64ProductUnrounded) {
  const std::string body = "A = input f64[1]\nB = mul(A, A)\nR = sub(B, 1.0000000149011612)";
  EXPECT_TRUE(Permits(body, "data A [1.0000000074505806]", 0));
  EXPECT_TRUE(Permits(body, "data A [1.0000000074505806]", std::ldexp(1.0, -54)));
}

// fma(-a, b, c) is as good as fma(a, b, c): a negation in between does not round.
TEST(Interpret, FmaContractionReachesThroughNegation) {
  const std::string body = "A = input f32[1]\nB = mul(A, A)\nN = neg(B)\nR = add(N, 1.00048828125)";
  EXPECT_TRUE(Permits(body, "data A [1.000244140625]", -std::ldexp(1.0, -24)));
}

TEST(Interpret, AnExactProductIsAPoint) {
  EXPECT_THAT(Answer("A = input f64[1]\nR = mul(A, A)", "data A [3]"), ElementsAre("9"));
}

// 2048 + 1 = 2048 in f16 (a tie to even), 2049 in the f32 register that holds it.
constexpr char kExcess[] = "A = input f16[1]\nB = add(A, 1)\nR = sub(B, 2048)";
constexpr char kExcessCut[] =
    "A = input f16[1]\nB = add(A, 1)\nC = segment_set(B)\nR = sub(C, 2048)";
constexpr char kExcessCast[] =
    "A = input f16[1]\nB = add(A, 1)\nC = cast(B, dtype=f16)\nR = sub(C, 2048)";

TEST(Interpret, ExcessPrecisionIsPermittedBetweenNarrowOps) {
  EXPECT_TRUE(Permits(kExcess, "data A [2048]", 0));
  EXPECT_TRUE(Permits(kExcess, "data A [2048]", 1));
  EXPECT_FALSE(Permits(kExcess, "data A [2048]", 2));
}

TEST(Interpret, ACutRoundsWhenSegmentedAndIsNothingWhenMonolithic) {
  EXPECT_TRUE(Permits(kExcessCut, "data A [2048]", 1, Mode::kMonolithic));
  EXPECT_FALSE(Permits(kExcessCut, "data A [2048]", 1, Mode::kSegmented));
  EXPECT_TRUE(Permits(kExcessCut, "data A [2048]", 0, Mode::kSegmented));
}

TEST(Interpret, ACastRounds) { EXPECT_FALSE(Permits(kExcessCast, "data A [2048]", 1)); }

TEST(Interpret, AnOutputRounds) {
  EXPECT_TRUE(Permits("A = input f16[1]\nR = add(A, 1)", "data A [2048]", 2048));
  EXPECT_FALSE(Permits("A = input f16[1]\nR = add(A, 1)", "data A [2048]", 2049));
}

// PyTorch: "0.9" is the f32 0.9 in a half kernel (opmath), jnp rounds it to f16 first.
TEST(Interpret, ALiteralOfANarrowOpMayKeepF32) {
  EXPECT_TRUE(Permits("A = input f16[1]\nB = mul(A, 0.1)\nR = cast(B, dtype=f32)", "data A [1]",
                      0.0999755859375));
}

// A 0-dim f32 beside an f16 tensor: converted to f16 (jnp), or kept in the f32 register (PyTorch's
// opmath).
TEST(Interpret, AWiderZeroDimOperandOfANarrowOpMayStayUnrounded) {
  const std::string body =
      "A = input f16[1]\nZ = input f32[]\nB = mul(A, Z)\nR = cast(B, dtype=f32)";
  EXPECT_TRUE(Permits(body, "data A [1]\ndata Z [0.1]", 0.1f));
  EXPECT_TRUE(Permits(body, "data A [1]\ndata Z [0.1]", 0.0999755859375));
}

// sin(1) = 0.84147098480789650665...; neighbours of its f32 lie 2^-24 apart.
TEST(Interpret, AMathFunctionIsPermittedItsUlps) {
  EXPECT_TRUE(Permits("A = input f32[1]\nR = sin(A)", "data A [1]", 0.84147098f));
  EXPECT_TRUE(
      Permits("A = input f32[1]\nR = sin(A)", "data A [1]", std::nextafterf(0.84147098f, 1)));
  EXPECT_FALSE(Permits("A = input f32[1]\nR = sin(A)", "data A [1]", 0.841472f));
}

// The sign of a negative base to a real power depends on the framework's algorithm; IEEE 754
// defines powr for x >= 0 only.
TEST(Interpret, OutsideTheDomainAnythingIsPermitted) {
  EXPECT_THAT(Answer("A = input f32[1]\nR = pow(A, 2)", "data A [-1]"), ElementsAre("any"));
}

// IEEE 754: sqrt(-1) is an invalid operation and gives NaN; sqrt is correctly rounded.
TEST(Interpret, AnInvalidOperationGivesNan) {
  EXPECT_THAT(Answer("A = input f32[2]\nR = sqrt(A)", "data A [-1, 4]"), ElementsAre("nan", "2"));
}

TEST(Interpret, AnOpThatSeesTheSignOfZeroIsUnjudgedThere) {
  EXPECT_THAT(Answer("A = input f32[2]\nR = signbit(A)", "data A [0, -1]"),
              ElementsAre("any", "true"));
}

// IEEE 754: 0 / 3 is a zero of some sign, and zeros compare equal.
TEST(Interpret, AZeroNumeratorIsJudged) {
  EXPECT_TRUE(Permits("A = input f32[1]\nR = div(A, 3)", "data A [0]", 0));
  EXPECT_FALSE(Permits("A = input f32[1]\nR = div(A, 3)", "data A [0]", 1));
}

TEST(Interpret, APredicateThatStraddlesPermitsBoth) {
  EXPECT_THAT(Answer("A = input f32[1]\nB = mul(A, A)\nR = gt(B, 1.00048828125)",
                     "data A [1.000244140625]"),
              ElementsAre("{false, true}"));
}

TEST(Interpret, NanInANumberOutIsCompared) {
  EXPECT_THAT(Answer("A = input f32[2]\nR = isnan(A)", "data A [nan, 1]"),
              ElementsAre("true", "false"));
  EXPECT_THAT(Answer("A = input f32[1]\nR = add(A, 1)", "data A [nan]"), ElementsAre("nan"));
}

TEST(Interpret, FloatToIntegerOutOfRangeIsUnjudged) {
  EXPECT_THAT(Answer("A = input f32[4]\nR = cast(A, dtype=i8)", "data A [127.9, 128, nan, -128.5]"),
              ElementsAre("127", "any", "any", "-128"));
}

TEST(Interpret, WhereTakesTheChosenBranchOnly) {
  EXPECT_THAT(
      Answer("A = input f32[1]\nP = gt(A, 0)\nL = pow(A, 2)\nR = where(P, L, A)", "data A [-1]"),
      ElementsAre("-1"));
}

// ---- Composite, liveness
// --------------------------------------------------------------------------------------------------

TEST(Interpret, SoftmaxOfEqualElementsIsUniform) {
  EXPECT_TRUE(Permits("A = input f32[2]\nR = softmax(A, dim=0)", "data A [3, 3]", 0.5));
  EXPECT_FALSE(Permits("A = input f32[2]\nR = softmax(A, dim=0)", "data A [3, 3]", 0.51));
}

TEST(Interpret, DeadNodesAreNotEvaluated) {
  EXPECT_THAT(Sets(MakeCase("A = input f32[2]\nB = neg(A)\noutput A"), "B"), ElementsAre());
}

// `first` has a stranger for what B alone gives, which shows that only the other two values are
// evaluated again.
TEST(InterpretNext, EvaluatesWhatAChangedStorageReachesAndNothingElse) {
  const std::string body =
      "A = input f32[1]\nB = input f32[1]\nC = neg(A)\nD = neg(B)\nE = addcmul(C, D, 2)\n"
      "output C\noutput D\noutput E";
  const Case c = MakeCase(body, "values exact seed 1\ndata A [1]\ndata B [2]");
  const Case changed = MakeCase(body, "values exact seed 1\ndata A [5]\ndata B [2]");
  Result<Reference> first = Interpret(c.graph, Mode::kMonolithic, EntryBytes(c));
  ASSERT_TRUE(first.ok());
  first->values[c.graph.Find("D")].elements[0] = {.low = FloatScalar(-3), .high = FloatScalar(-3)};
  const Result<Reference> next =
      InterpretNext(c.graph, Mode::kMonolithic, EntryBytes(changed), EntryBytes(c), *first);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->values[c.graph.Find("C")].Text(0), "-5");
  EXPECT_EQ(next->values[c.graph.Find("D")].Text(0), "-3");
  EXPECT_EQ(next->values[c.graph.Find("E")].Text(0), "-11");
}

TEST(Interpret, ATraceIsRefused) {
  EXPECT_EQ(Interpret(Graph(Reading::kTrace), Mode::kMonolithic, {}).error().rule, "trace");
}

}  // namespace
}  // namespace seamfuzz
