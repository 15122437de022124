// Where the write-after-read faults live: each one makes the planner overlook the reads of one
// hazard class.
#pragma once

#include "engine/kernel/lower.h"
#include "engine/kernel/plan_input.h"
#include "engine/kernel/program.h"

namespace seamfuzz {

// True when a planted fault overlooks this read of the storage that `effect` (an update) writes.
// Always false without faults. An overlooked read orders nothing: the update commits as if it did
// not exist.
bool IsOverlooked(const PlanInput& input, const Program& program, const Draft& draft,
                  const Read& read, int effect);

}  // namespace seamfuzz
