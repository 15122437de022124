#include "oracle/hazards/late_read.h"

#include <gtest/gtest.h>

#include "generator/case/text.h"
#include "generator/case/values.h"

namespace seamfuzz {
namespace {

// y reads A although A <- B may be written: what an engine answers that writes first.
constexpr std::string_view kReader = R"(seamfuzz 1
graph {
  A = input f32[2]
  B = input f32[2]
  y = add(A, 1)
  A <- B
  output y
}
data A [1, 2]
data B [5, 6]
)";

Outcome Answering(const Case& c, float first, float second) {
  Outcome outcome;
  Call call{.outputs = std::vector<std::vector<std::byte>>(2),
            .identity = std::vector<Identity>(2),
            .storages = EntryBytes(c)};
  call.storages[0] = call.storages[1];  // A holds what B does
  call.outputs[1].resize(8);
  Store(call.outputs[1].data(), DType::kF32, FloatScalar(first));
  Store(call.outputs[1].data() + 4, DType::kF32, FloatScalar(second));
  outcome.calls = {call};
  return outcome;
}

LateReads Explained(float first, float second) {
  const Case c = ParseCase(kReader)->value;
  return ExplainedByLateReads(c, ListHazards(c, Mode::kMonolithic), Answering(c, first, second));
}

TEST(LateRead, ExplainsTheAnswerOfAReadAfterTheWrite) { EXPECT_TRUE(Explained(6, 7).all()); }

TEST(LateRead, ExplainsOneElementWhereOneReadWasLate) {
  EXPECT_EQ(Explained(2, 7).wrong, 1);
  EXPECT_TRUE(Explained(2, 7).all());
}

TEST(LateRead, DoesNotExplainAnythingElse) {
  EXPECT_EQ(Explained(6, 9).explained, 1);
  EXPECT_FALSE(Explained(6, 9).all());
}

}  // namespace
}  // namespace seamfuzz
