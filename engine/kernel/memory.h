// Memory for temporaries (shared by live range, L5), and streams with their waits.
#pragma once

#include <utility>
#include <vector>

#include "engine/kernel/plan_input.h"
#include "engine/kernel/program.h"

namespace seamfuzz {

// Gives each buffer of `program` that has no memory one: outputs their own, temporaries a slot.
// `edges` (positions in program.kernels) gains what sharing a slot between kernels requires.
void AllocateMemory(const PlanInput& input, std::vector<std::pair<int, int>>& edges,
                    Program& program);

// One stream: each kernel waits for the one before. Several: kernels without a path between them go
// to different streams, and a kernel waits for those that an edge names and for the one before it
// on its stream.
void AssignStreams(const PlanInput& input, const std::vector<std::pair<int, int>>& edges,
                   Program& program);

}  // namespace seamfuzz
