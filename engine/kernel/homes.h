// Memory for what loops leave to each other and to the caller: outputs, results of scatters, values
// loaded elsewhere.
#pragma once

#include <vector>

#include "engine/kernel/commit.h"

namespace seamfuzz {

// Gives every stored value its buffers and fills program.output_buffers. `loop_of` of the result is
// up to date.
CommitPlan PlaceHomes(const PlanInput& input, CommitPlan plan,
                      const std::vector<int>& input_buffers, Program& program);

}  // namespace seamfuzz
