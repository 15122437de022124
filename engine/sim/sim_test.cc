// The engine on small worlds.
#include "engine/sim/sim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/planner.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

Case World(std::string_view body) {
  Result<ParsedCase> parsed = ParseCase("seamfuzz 1\n" + std::string(body));
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().Text());
  return parsed->value;
}

constexpr std::string_view kRelu = R"(graph {
  T0 = input f32[10, 2]
  T1 = input f32[2, 10, 2]
  T2 = relu(T0)
  T3 = segment_set(T0)
  T4 = add(T3, T1)
  T0 <- T2
  output T4
}
)";

TEST(Sim, RunsTheFirstReport) {
  const Case c = World(kRelu);
  for (Mode mode : kModes) {
    printf("%s\n", Text(PlanProgram(c, mode)).c_str());
    const Outcome outcome = MakeSimEngine()->Run(c, mode);
    EXPECT_EQ(outcome.kind, OutcomeKind::kEffects);
    EXPECT_FALSE(outcome.race) << outcome.race->first << " / " << outcome.race->second;
  }
}

}  // namespace
}  // namespace seamfuzz
