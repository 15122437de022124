// From drafts to kernels: fused bodies with shared instructions, stores as early as the reads that
// are known allow.
#pragma once

#include <vector>

#include "engine/kernel/commit.h"

namespace seamfuzz {

// Fills program.kernels, in program order, without streams; accesses of buffers by value become
// accesses of `buffers`.
void AssembleKernels(const PlanInput& input, const CommitPlan& plan,
                     const std::vector<int>& input_buffers, Program& program);

}  // namespace seamfuzz
