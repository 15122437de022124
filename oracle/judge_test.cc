// Outcomes of an honest engine, broken in one place each.
#include "oracle/judge.h"

#include <gmock/gmock.h>

#include <functional>

#include "oracle/test_case.h"
#include "oracle/value_set.h"

namespace seamfuzz {
namespace {

using ::testing::HasSubstr;
using enum VerdictKind;

// What the reference itself would do: outputs, then updates committed.
Call HonestCall(const Case& c, const std::vector<StorageBytes>& entry) {
  const Result<Reference> reference = Interpret(c.graph, Mode::kMonolithic, entry);
  EXPECT_TRUE(reference.ok());
  Call call;
  call.storages = entry;
  for (const Effect& effect : c.graph.effects()) {
    const PermittedTensor& values = reference->values[effect.value];
    const int size = Row(values.dtype).bytes;
    std::vector<std::byte> output;
    IntList index = IntList::Filled(values.shape.size(), 0);
    for (int64_t i = 0; i < std::ssize(values.elements); ++i, NextIndex(index, values.shape)) {
      const Scalar value = values.elements[i].any ? Scalar{.i = 0} : Representative(values, i);
      if (effect.is_update()) {
        const int64_t at = kGuardBytes + ByteOffset(c.graph.node(effect.target), index);
        Store(call.storages[StorageOf(c.graph)[effect.target]].data() + at, values.dtype, value);
      } else {
        output.resize(output.size() + size);
        Store(output.data() + i * size, values.dtype, value);
      }
    }
    call.outputs.push_back(std::move(output));
    call.identity.push_back({});
  }
  return call;
}

Outcome Honest(const Case& c) {
  Outcome outcome;
  outcome.calls.push_back(HonestCall(c, EntryBytes(c)));
  outcome.calls.push_back(HonestCall(c, outcome.calls[0].storages));
  return outcome;
}

// T0 has a gap behind each pair of elements; T1 is never written.
Case Example() {
  return MakeCase(
      "T0 = input f32[2, 2] strides [3, 1]\nT1 = input f32[2]\nT2 = add(T0, T1)\nT3 = mul(T0, "
      "2)\nT0 <- T2\noutput T3\noutput T3",
      "values exact seed 3\ndata T1 [1, 2]");
}

Verdict JudgeBroken(const std::function<void(Outcome&)>& damage, const Case& c = Example()) {
  Outcome outcome = Honest(c);
  damage(outcome);
  return Judge(c).Of(Mode::kMonolithic, outcome);
}

void Flip(std::byte& b) { b ^= std::byte{0x40}; }

TEST(Judge, AgreesWithAnHonestEngine) {
  const Verdict verdict = JudgeBroken([](Outcome&) {});
  EXPECT_EQ(verdict.kind, kAgree) << Text(verdict);
  EXPECT_EQ(verdict.observed, Observed());
}

TEST(Judge, CountsTheSameAnswerOfTheOtherModeAgain) {
  Judge judge(Example());
  judge.Of(Mode::kMonolithic, Honest(Example()));
  const Tally one = judge.tally();
  judge.Of(Mode::kSegmented, Honest(Example()));
  EXPECT_EQ(judge.tally().judged[static_cast<int>(Form::kElementwise)],
            2 * one.judged[static_cast<int>(Form::kElementwise)]);
}

TEST(Judge, FindsWhatOnlyTheOtherModeDoesWrong) {
  Judge judge(Example());
  judge.Of(Mode::kMonolithic, Honest(Example()));
  Outcome broken = Honest(Example());
  Flip(broken.calls[1].storages[0].back());
  EXPECT_TRUE(judge.Of(Mode::kSegmented, broken).observed.phantom_write);
}

TEST(Judge, NamesTheFirstWrongElementOfAnOutput) {
  const Verdict verdict = JudgeBroken(
      [](Outcome& o) { Store(o.calls[0].outputs[1].data() + 8, DType::kF32, FloatScalar(99)); });
  EXPECT_EQ(verdict.kind, kDiffer);
  EXPECT_EQ(verdict.effect, 1);
  EXPECT_EQ(verdict.place, "T3[1, 0]");
  EXPECT_EQ(verdict.got, "99");
  EXPECT_EQ(verdict.call, 0);
  EXPECT_EQ(verdict.wrong_elements, 1);
}

TEST(Judge, ChecksEveryUpdatedElement) {
  const Verdict verdict =
      JudgeBroken([](Outcome& o) { Flip(o.calls[0].storages[0][kGuardBytes + 3 * 4 + 3]); });
  EXPECT_EQ(verdict.kind, kDiffer);
  EXPECT_EQ(verdict.place, "T0[1, 0]");
  EXPECT_FALSE(verdict.observed.phantom_write);
}

TEST(Judge, AGapMustStayAsItWas) {
  const Verdict verdict =
      JudgeBroken([](Outcome& o) { Flip(o.calls[0].storages[0][kGuardBytes + 2 * 4]); });
  EXPECT_EQ(verdict.kind, kDiffer);
  EXPECT_EQ(verdict.place, "storage T0 byte 8");
  EXPECT_TRUE(verdict.observed.phantom_write);
}

TEST(Judge, AnInputThatNobodyUpdatesMustStayAsItWas) {
  const Verdict verdict =
      JudgeBroken([](Outcome& o) { Flip(o.calls[0].storages[1][kGuardBytes]); });
  EXPECT_EQ(verdict.place, "storage T1 byte 0");
  EXPECT_TRUE(verdict.observed.phantom_write);
}

TEST(Judge, GuardZonesMustStayAsTheyWere) {
  EXPECT_EQ(JudgeBroken([](Outcome& o) { Flip(o.calls[0].storages[1].front()); }).place,
            "guard zone before T1");
  EXPECT_EQ(JudgeBroken([](Outcome& o) { Flip(o.calls[0].storages[1].back()); }).place,
            "guard zone after T1");
}

TEST(Judge, ALostWriteIsObserved) {
  const Case c = Example();
  const Verdict verdict =
      JudgeBroken([&](Outcome& o) { o.calls[0].storages[0] = EntryBytes(c)[0]; });
  EXPECT_EQ(verdict.kind, kDiffer);
  EXPECT_TRUE(verdict.observed.lost_write);
}

TEST(Judge, AnOutputInTheMemoryOfAnInputIsObserved) {
  const Verdict verdict = JudgeBroken([](Outcome& o) { o.calls[0].identity[1].storage = 1; });
  EXPECT_EQ(verdict.kind, kDiffer);
  EXPECT_TRUE(verdict.observed.wrong_identity);
  EXPECT_THAT(Text(verdict), HasSubstr("storage T1"));
}

TEST(Judge, OutputsThatAreListedTwiceMayShareMemory) {
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.calls[0].identity[2].output = 1; }).kind, kAgree);
}

TEST(Judge, OtherOutputsMayNotShareMemory) {
  const Case c = MakeCase("T0 = input f32[2]\nT1 = neg(T0)\nT2 = abs(T0)\noutput T1\noutput T2");
  const Verdict verdict = JudgeBroken([](Outcome& o) { o.calls[0].identity[1].output = 0; }, c);
  EXPECT_TRUE(verdict.observed.shared_outputs);
}

TEST(Judge, TheSecondCallStartsFromTheStoragesOfTheFirst) {
  const Case c = Example();
  const Verdict verdict = JudgeBroken([&](Outcome& o) { o.calls[1] = o.calls[0]; }, c);
  EXPECT_EQ(verdict.kind, kDiffer);
  EXPECT_EQ(verdict.call, 1);
  EXPECT_TRUE(verdict.observed.second_call_only);
}

TEST(Judge, WhatIsNotObservedIsSkipped) {
  const auto damage = [](Outcome& o) {
    Flip(o.calls[0].storages[1].front());
    o.calls[0].identity[1].storage = 1;
    o.calls.pop_back();
    o.unobserved = {.storages = false, .guards = true, .identity = true, .second_call = true};
  };
  EXPECT_EQ(JudgeBroken(damage).kind, kAgree);
}

TEST(Judge, StoragesThatAreNotObservedNeedNotBeThere) {
  const auto damage = [](Outcome& o) {
    for (Call& call : o.calls) call.storages.clear();
    o.unobserved.storages = true;
  };
  EXPECT_EQ(JudgeBroken(damage).kind, kAgree);
}

TEST(Judge, KindsOfOutcomesAreVerdicts) {
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.kind = OutcomeKind::kFailure; }).kind, kFailure);
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.kind = OutcomeKind::kRefusal; }).kind, kRejected);
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.kind = OutcomeKind::kCannot; }).kind, kCannot);
}

TEST(Judge, ARaceIsToldWithBothAccesses) {
  const Verdict verdict = JudgeBroken([](Outcome& o) {
    o.race = Race{.memory = "storage T0",
                  .first = {.text = "thread 0 writes"},
                  .second = {.text = "thread 1 reads"}};
  });
  EXPECT_EQ(verdict.kind, kRace);
  EXPECT_THAT(verdict.text,
              testing::AllOf(HasSubstr("thread 0 writes"), HasSubstr("thread 1 reads")));
}

TEST(Judge, EffectsOfAnIllFormedGraphAreOnlyCounted) {
  const Case c = MakeCase("T0 = input f32[2]\nT1 = neg(T0)\nT0 <- T1\nT0 <- T1");
  EXPECT_EQ(JudgeBroken([](Outcome&) {}, c).kind, kAcceptedIllFormed);
}

TEST(Judge, NothingJudgedIsUnjudged) {
  const Case c = MakeCase("T0 = input f32[1]\nT1 = pow(T0, 2)\noutput T1",
                          "values exact seed 1\ndata T0 [-1]");
  EXPECT_EQ(JudgeBroken([](Outcome&) {}, c).kind, kUnjudged);
}

TEST(Judge, NothingToJudgeAgrees) {
  EXPECT_EQ(
      JudgeBroken([](Outcome&) {}, MakeCase("T0 = input f32[0]\nT1 = neg(T0)\noutput T1")).kind,
      kAgree);
}

TEST(Judge, AnOutputOfTheWrongSizeDiffers) {
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.calls[0].outputs[1].pop_back(); }).kind, kDiffer);
}

TEST(Judge, AnOutcomeWithoutItsCallsIsAFailure) {
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.calls.pop_back(); }).kind, kFailure);
  EXPECT_EQ(JudgeBroken([](Outcome& o) { o.calls[0].storages.pop_back(); }).kind, kFailure);
}

TEST(Judge, CountsElementsByForm) {
  const Case c = MakeCase("T0 = input f32[2]\nT1 = pow(T0, 2)\nT2 = sum(T0)\noutput T1\noutput T2",
                          "values exact seed 1\ndata T0 [-1, 4]");
  Judge judge(c);
  EXPECT_EQ(judge.Of(Mode::kMonolithic, Honest(c)).kind, kAgree);
  // Both calls: (-1)^2 is outside pow's domain, 4^2 and the sum are judged.
  EXPECT_EQ(judge.tally().unjudged[static_cast<int>(Form::kElementwise)], 2);
  EXPECT_EQ(judge.tally().judged[static_cast<int>(Form::kElementwise)], 2);
  EXPECT_EQ(judge.tally().judged[static_cast<int>(Form::kReduce)], 2);
}

TEST(Judge, AnIndexOutOfRangeIsAnErrorOfTheCase) {
  const Case c = MakeCase("A = input f32[2]\nI = input i64[1]\nR = gather(A, I, dim=0)\noutput R",
                          "values exact seed 1\ndata I [5]");
  EXPECT_EQ(Judge(c).status().error().rule, "index_range");
}

}  // namespace
}  // namespace seamfuzz
