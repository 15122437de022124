// The simulated engine behind engine.h.
#include "engine/sim/sim.h"

#include "engine/kernel/planner.h"
#include "engine/sim/simulate.h"

namespace seamfuzz {
namespace {

class SimEngine : public Engine {
 public:
  explicit SimEngine(Faults faults) : faults_(faults) {}

  std::string_view name() const override { return "sim"; }

  std::string WhyNot(const Case& c) const override {
    return c.graph.reading() == Reading::kGraph ? ""
                                                : "runs graphs only: a trace needs functionalize";
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
