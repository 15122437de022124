// Each planted bug on its smallest shape: seen with the fault, not without.
#include "engine/kernel/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/sim/test_world.h"

namespace seamfuzz {
namespace {

constexpr std::string_view kScatterInputs = R"(
  A = input f32[4]
  I = input i64[2]
  V = input f32[2]
  R = scatter(A, I, V, dim=0))";

struct Smallest {
  std::string_view fault;
  Mode mode;
  std::string graph;
  std::string lines;
};

void PrintTo(const Smallest& shape, std::ostream* out) { *out << shape.fault; }

std::vector<Smallest> Shapes() {
  const std::string scatter(kScatterInputs);
  const auto mono = Mode::kMonolithic;
  const auto cut = Mode::kSegmented;
  return {
      {"early-store", mono,
       "A = input f32[4]\nB = input f32[4]\nC = neg(A)\nD = add(A, B)\nA <- C\noutput D", ""},
      {"broadcast-war", mono,
       "A = input f32[1]\nB = input f32[8]\nC = neg(A)\nD = mul(B, A)\nA <- C\noutput D", ""},
      {"in-kernel-war", mono, "A = input f32[8]\nB = flip(A, dims=[0])\nC = add(A, B)\nA <- C", ""},
      {"reduction-war", mono,
       "A = input f32[2]\nB = unsqueeze(A, dims=[0])\nC = expand(B, shape=[2, 2])\nD = sum(C, "
       "dims=[1])\nA <- D",
       ""},
      {"duplicate-scatter", mono,
       "A = input f32[4]\nI = input i64[2]\nG = gather(A, I, dim=0)\nS = sub(G, 1)\nR = scatter(A, "
       "I, S, dim=0)\nA <- R",
       "data I [1, 1]"},
      {"narrow-forward", mono,
       "A = input bf16[4]\nB = input f32[4]\nC = cast(B, dtype=bf16)\nD = cast(C, dtype=f32)\nA <- "
       "C\noutput D",
       "data B [1.001, 1.002, 1.003, 1.004]"},
      {"war-order", cut,
       "A = input f32[4]\nB = neg(A)\nC = segment_set(A)\nD = add(C, 1)\nA <- B\noutput D", ""},
      {"no-cycle-temp", cut, "A = input f32[4]\nB = input f32[4]\nA <- B\nB <- A", ""},
      {"no-cycle-temp", mono, "A = input f32[4]\nB = input f32[4]\nA <- B\nB <- A", ""},
      {"same-tensor-twice", mono,
       "A = input f32[4] in S\nB = input f32[4] in S\nC = neg(A)\nD = add(B, 1)\nA <- C\noutput D",
       ""},
      {"overlap-blind", mono,
       "A = input f32[4] in S\nB = input f32[4] in S at 2\nC = neg(A)\nD = add(B, 1)\nA <- "
       "C\noutput "
       "D",
       ""},
      {"scatter-into-expanded", mono,
       "X = input f32[1, 4]\nI = input i64[1, 1]\nV = input f32[1, 1]\nE = expand(X, shape=[3, "
       "4])\nR "
       "= scatter(E, I, V, dim=0)\noutput R",
       "data I [0]\ndata V [77]"},
      {"contiguous-target", mono, "A = input f32[2, 3] strides [1, 2]\nB = neg(A)\nA <- B", ""},
      {"drop-snapshot", mono, "A = input f32[4]\nB = clone(A)\nC = neg(A)\nA <- C\noutput B", ""},
      {"scatter-in-place", mono, scatter + "\nC = neg(A)\nA <- C\noutput R", "data I [0, 1]"},
      {"reuse-live-buffer", mono,
       "A = input f32[4]\nB = cumsum(A, dim=0)\nC = cumsum(B, dim=0)\nD = cumsum(C, dim=0)\n"
       "E = sub(D, B)\noutput E",
       ""},
      {"outputs-share-buffer", mono, "A = input f32[4]\nB = neg(A)\nC = abs(A)\noutput B\noutput C",
       ""},
      {"lost-copy-segment", mono, "A = input f32[4]\nB = input f32[4]\nA <- B", ""},
      {"phantom-write", mono, scatter + "\noutput R", "data I [0, 1]\ndata V [77, 78]"},
      {"output-is-target", mono, "A = input f32[4]\nB = neg(A)\nA <- B\noutput B", ""},
      {"stale-snapshot", mono, "A = input f32[8]\nB = flip(A, dims=[0])\nC = add(A, B)\nA <- C",
       "schedule A.commit=snapshot"},
      {"narrow-edge", cut, "A = input f32[4]\nB = neg(A)\nC = segment_set(B)\nD = abs(C)\noutput D",
       "data A [1.001, 2, 3, 4]"},
      {"wrong-rounding", mono, "A = input f32[1]\nB = cast(A, dtype=bf16)\noutput B",
       "data A [1.007]"},
      {"dropped-element", mono, "A = input f32[3]\nB = sum(A, dims=[0])\noutput B",
       "data A [1, 2, 3]"},
      {"truncating-cast", mono, "A = input f32[1]\nB = cast(A, dtype=bool)\noutput B",
       "data A [0.5]"},
  };
}

class EachFault : public testing::TestWithParam<Smallest> {};

TEST_P(EachFault, ShowsOnItsSmallestShape) {
  const Case c = World(GetParam().graph, GetParam().lines);
  const Outcome honest = RunSim(c, GetParam().mode);
  ASSERT_FALSE(honest.race) << honest.race->first.text << " / " << honest.race->second.text;
  const Outcome faulty = RunSim(c, GetParam().mode, Only(*FindFault(GetParam().fault)));
  EXPECT_TRUE(faulty.race || !SameEffects(honest, faulty));
}

INSTANTIATE_TEST_SUITE_P(Fault, EachFault, testing::ValuesIn(Shapes()));

TEST(Faults, HaveAShapeEach) {
  std::set<std::string_view> tested;
  for (const Smallest& shape : Shapes()) tested.insert(shape.fault);
  EXPECT_EQ(tested.size(), FaultRows().size());
}

TEST(Faults, StandInTheTableInTheOrderOfTheirIds) {
  for (size_t i = 0; i < FaultRows().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(FaultRows()[i].id), i);
    EXPECT_EQ(FindFault(FaultRows()[i].name), FaultRows()[i].id);
  }
}

}  // namespace
}  // namespace seamfuzz
