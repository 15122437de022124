// The simulated engine behind engine.h.
#include "engine/sim/sim.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/kernel/planner.h"
#include "engine/sim/simulate.h"

namespace seamfuzz {
namespace {

// Elements that one op computes or reads; above, a run would take minutes and gigabytes.
constexpr int64_t kMaxIterations = int64_t{1} << 22;

int64_t Iterations(const Graph& graph, const Node& node) {
  int64_t iterations = NumElements(node.type.shape);
  if (node.row().form == Form::kContract) {
    const Shape& a = graph.type(node.operands[0].value).shape;
    const int64_t depth = a[a.size() - 1];
    iterations = iterations > kMaxIterations / std::max<int64_t>(1, depth) ? kMaxIterations + 1
                                                                           : iterations * depth;
  }
  return iterations;
}

class SimEngine : public Engine {
 public:
  explicit SimEngine(Faults faults) : faults_(faults) {}

  std::string_view name() const override { return "sim"; }

  std::string WhyNot(const Case& c) const override {
    if (c.graph.reading() == Reading::kTrace)
      return "runs graphs only: a trace needs functionalize";
    for (const Node& node : c.graph.nodes()) {
      if (Iterations(c.graph, node) <= kMaxIterations) continue;
      return fmt::format("simulates up to {} elements an op: {} has more", kMaxIterations,
                         node.name);
    }
    return "";
  }

  Outcome Run(const Case& c, Mode mode) override {
    if (std::string why = WhyNot(c); !why.empty())
      return {.kind = OutcomeKind::kCannot, .text = std::move(why)};
    if (const std::vector<Error> broken = BrokenContract(c.graph); !broken.empty()) {
      return {.kind = OutcomeKind::kRefusal,
              .text = "rejected: " + broken[0].rule + " " + broken[0].message};
    }
    return simulator_.Run(c, PlanProgram(c, mode, faults_), faults_);
  }

 private:
  Faults faults_;
  Simulator simulator_;
};

}  // namespace

std::unique_ptr<Engine> MakeSimEngine(Faults faults) { return std::make_unique<SimEngine>(faults); }

}  // namespace seamfuzz
