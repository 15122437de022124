// Our engine simulated on the CPU: plans a case, runs the lowered program instance by instance on
// real aliased storage.
#pragma once

#include "engine/engine.h"
#include "engine/kernel/fault.h"

namespace seamfuzz {

// Runs graphs (WhyNot: traces, "runs graphs only: a trace needs functionalize"). A broken contract
// rule is a refusal "rejected: U1 ...".
std::unique_ptr<Engine> MakeSimEngine(Faults faults = {});

}  // namespace seamfuzz
