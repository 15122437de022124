// Which kernel computes what: segments, merged and recomputed as the schedule says. Kernels have no
// order yet.
#pragma once

#include <utility>
#include <vector>

#include "engine/kernel/plan_input.h"
#include "engine/kernel/program.h"

namespace seamfuzz {

struct KernelDraft {
  KernelRole role = KernelRole::kSegment;
  std::vector<int> segments;    // of the case, ascending; empty for copies, snapshots and commits
  std::vector<ValueId> values;  // what it computes, ascending
  std::vector<int> effects;     // whose values it computes
};

struct Partition {
  std::vector<KernelDraft> kernels;
  std::vector<std::pair<int, int>> edges;  // producer, consumer of a stored value; each pair once
  std::vector<int>
      owner;  // for each value the kernel that stores it for other kernels; -1: nobody reads it
};

// Monolithic: one kernel. Segmented: one for each segment or merged group that anything needs, and
// one for each effect whose value is an input (nothing computes it, so no segment holds it).
Partition PartitionKernels(const PlanInput& input);

}  // namespace seamfuzz
