// Phases of each kernel, and for each update where it is stored: directly (L1), or behind the last
// reader.
#pragma once

#include <vector>

#include "engine/kernel/order.h"

namespace seamfuzz {

struct CommitPlan {
  KernelOrder order;  // drafts with their phases and the stores of commits; commit loops added
  std::vector<int> loop_of;       // FuseLoops of the drafts before commit loops were added
  std::vector<CommitFact> facts;  // in effect order; kernels by their position in order.kernels
};

// The draft whose home a load of `value` in `reader` means; -1: an input, where it is.
int ProducerOf(const KernelOrder& order, const PlanInput& input, const Draft& reader,
               ValueId value);

// For each draft the first one that it is fused with: pointwise loops of one phase, space and
// mapping are one loop.
std::vector<int> FuseLoops(const std::vector<Draft>& drafts);

// `input_buffers`: for each input its buffer in `program`.
CommitPlan PlanCommits(const PlanInput& input, KernelOrder order,
                       const std::vector<int>& input_buffers, Program& program);

}  // namespace seamfuzz
