// Pins what each pass achieves, not how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/minimize/pass.h"
#include "fuzz/minimize/size.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Pass& Named(std::string_view name) {
  const auto pass =
      std::find_if(Passes().begin(), Passes().end(), [&](const Pass& p) { return p.name == name; });
  EXPECT_NE(pass, Passes().end()) << name;
  return *pass;
}

std::string Graph(std::string_view lines) { return "graph {\n" + std::string(lines) + "\n}\n"; }

// The texts of all strictly smaller cases that single steps of the pass propose.
std::vector<std::string> Smaller(std::string_view pass, const std::string& text) {
  const Case c = CaseFrom(text);
  std::vector<std::string> smaller;
  for (int i = 0; i < Named(pass).units(c); ++i) {
    const std::optional<Case> proposed = Named(pass).propose(c, i, 1);
    if (proposed && SizeOf(*proposed) < SizeOf(c)) smaller.push_back(Print(*proposed));
  }
  return smaller;
}

TEST(Passes, DropAnEffectAndWhatOnlyItNeeds) {
  EXPECT_THAT(Smaller("drop-effects",
                      Graph("a = input f32[4]\nb = neg(a)\nc = abs(a)\noutput b\noutput c")),
              Contains(Not(HasSubstr("neg"))));
}

TEST(Passes, ReplaceANodeByAnInput) {
  EXPECT_THAT(Smaller("replace-by-input",
                      Graph("a = input f32[4, 2]\nb = sum(a, dims=[1])\nc = neg(b)\noutput c")),
              Contains(HasSubstr("b = input f32[4]\n  c = neg(b)")));
}

TEST(Passes, ReplaceANodeByAnInputThatHoldsItsValue) {
  EXPECT_THAT(
      Smaller("replace-by-value",
              Graph("a = input f32[2]\nb = neg(a)\nc = abs(b)\noutput c") + "data a [1, 2]\n"),
      Contains(HasSubstr("data b [-1, -2]")));
}

TEST(Passes, ReplaceANodeByItsOperand) {
  EXPECT_THAT(
      Smaller("replace-by-operand", Graph("a = input f32[4]\nb = neg(a)\nc = abs(b)\noutput c")),
      Contains(HasSubstr("c = abs(a)")));
}

TEST(Passes, LetAnOutputTakeAnOperandOfAnotherType) {
  EXPECT_THAT(Smaller("output-instead",
                      Graph("a = input f32[4, 2]\nb = neg(a)\nc = sum(b, dims=[1])\noutput c")),
              Contains(HasSubstr("output b")));
}

TEST(Passes, TurnAnUpdateIntoAnOutput) {
  EXPECT_THAT(Smaller("output-instead", Graph("a = input f32[4]\nb = neg(a)\na <- b")),
              Contains(HasSubstr("output b")));
}

TEST(Passes, RemoveACut) {
  EXPECT_THAT(
      Smaller("remove-cuts", Graph("a = input f32[4]\nb = segment_set(a)\nc = neg(b)\noutput c")),
      Each(Not(HasSubstr("segment_set"))));
}

TEST(Passes, NeverPutACutInPlaceOfAnOp) {
  EXPECT_THAT(Smaller("simpler-op", Graph("a = input f32[4]\nb = flip(a, dims=[0])\noutput b")),
              Each(Not(HasSubstr("segment_set"))));
}

TEST(Passes, LetTwoInputsBeOne) {
  EXPECT_THAT(
      Smaller("share-inputs", Graph("a = input f32[4]\nb = input f32[4]\nc = add(a, b)\noutput c")),
      Contains(HasSubstr("c = add(a, a)")));
}

TEST(Passes, PutALiteralInPlaceOfAnInput) {
  EXPECT_THAT(Smaller("inputs-to-literals",
                      Graph("a = input f32[4]\nb = input f32[4]\nc = add(a, b)\noutput c")),
              Contains(HasSubstr("c = add(a, 2)")));
}

TEST(Passes, ShrinkAnExtentEverywhere) {
  EXPECT_THAT(Smaller("shrink-extents", Graph("a = input f32[6, 5]\nb = permute(a, dims=[1, 0])\nc "
                                              "= input f32[5, 6]\nd = add(b, c)\noutput d")),
              Contains(HasSubstr("c = input f32[5, 2]")));
}

TEST(Passes, ShrinkListsOfExtentsToo) {
  EXPECT_THAT(Smaller("shrink-extents",
                      Graph("a = input f32[1, 6]\nb = expand(a, shape=[5, 6])\noutput b")),
              Contains(HasSubstr("shape=[5, 2]")));
}

TEST(Passes, ShrinkAReshapeByOneOfItsDims) {
  EXPECT_THAT(
      Smaller("shrink-extents", Graph("a = input f32[4, 6]\nb = reshape(a, shape=[24])\noutput b")),
      Contains(HasSubstr("shape=[4]")));
}

TEST(Passes, DropADimOfExtentOne) {
  EXPECT_THAT(Smaller("drop-dims",
                      Graph("a = input f32[1, 4]\nb = sum(a, dims=[1], keepdim=false)\noutput b")),
              Contains(HasSubstr("a = input f32[4]")));
}

TEST(Passes, MakeALayoutPlain) {
  EXPECT_THAT(Smaller("plain-layouts",
                      Graph("a = input f32[4, 3] strides [1, 4] in S at 2\nb = neg(a)\noutput b")),
              Contains(HasSubstr("a = input f32[4, 3]\n")));
}

TEST(Passes, ResetOneScheduleKey) {
  EXPECT_THAT(Smaller("reset-schedule", Graph("a = input f32[4]\nb = neg(a)\noutput b") +
                                            "schedule b.place=materialize block=33\n"),
              Contains(HasSubstr("schedule block=33")));
}

TEST(Passes, TurnInputsToF32) {
  EXPECT_THAT(Smaller("f32", Graph("a = input f16[4]\nb = neg(a)\noutput b")),
              Contains(HasSubstr("a = input f32[4]")));
}

TEST(Passes, TakeTheExactLane) {
  EXPECT_THAT(Smaller("plain-values",
                      Graph("a = input f32[4]\nb = neg(a)\noutput b") + "values bounded seed 7\n"),
              Contains(HasSubstr("values exact seed 7")));
}

TEST(Passes, DropLiteralData) {
  EXPECT_THAT(
      Smaller("drop-data", Graph("a = input f32[2]\nb = neg(a)\noutput b") + "data a [5, 6]\n"),
      Contains(Not(HasSubstr("data"))));
}

TEST(Passes, RenameAValueWithItsStorageAndSchedule) {
  EXPECT_THAT(
      Smaller("canonical-names",
              Graph("T0 = input f32[4]\nb = input f32[4]\nT2 = add(T0, b)\nb <- T2") +
                  "data b [1]\nschedule b.commit=deferred\n"),
      Contains(AllOf(HasSubstr("T1 <- T2"), HasSubstr("data T1 [1]"), HasSubstr("T1.commit"))));
}

TEST(Passes, ProposeNothingOfAMinimalGraph) {
  for (const Pass& pass : Passes()) {
    EXPECT_THAT(Smaller(pass.name, Graph("T0 = input f32[]\noutput T0")), IsEmpty()) << pass.name;
  }
}

}  // namespace
}  // namespace seamfuzz
