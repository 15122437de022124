// The order of kernels: data edges, L2 edges (old value read before it is overwritten), L3
// temporaries, snapshots.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/kernel/lower.h"
#include "engine/kernel/partition.h"
#include "engine/kernel/plan_input.h"
#include "engine/kernel/program.h"

namespace seamfuzz {

// What must come before what, closed under transitivity. No cycles: callers ask before they add.
class Precedence {
 public:
  void Resize(int size);
  bool Reaches(int from, int to) const { return cells_[from * size_ + to] != 0; }
  void Add(int from, int to);

 private:
  int size_ = 0;
  std::vector<char> cells_;  // row a, column b: a precedes b
};

// A read that an update must respect, or that a fault overlooks.
struct ReadOf {
  int draft = 0;
  int read = 0;  // in draft.reads
};

struct UpdatePlan {
  int effect = 0;
  int writer = -1;  // the draft that completes the value
  CommitStrategy strategy =
      CommitStrategy::kDirect;  // kDirect: to be decided by L1 in the writer's kernel
  int commit_kernel =
      -1;  // a kernel of its own: the commit waits for readers that cannot come first (L3)
  bool lost = false;            // planted: never committed
  std::vector<ReadOf> reads;    // live reads of bytes that it may write, snapshots taken off
  std::vector<int> overlooked;  // drafts with reads of them that a fault overlooks
};

struct KernelOrder {
  std::vector<KernelDraft> kernels;        // those of the partition, then snapshots and commits
  std::vector<int> owner;                  // as in Partition
  std::vector<int> sequence;               // of kernels: the program order
  std::vector<std::pair<int, int>> edges;  // data and L2: the second waits for the first
  Drafts drafts;                           // with snapshots added
  std::vector<UpdatePlan> updates;         // in effect order
};

KernelOrder OrderKernels(const PlanInput& input, Partition partition, Drafts drafts,
                         Program& program);

}  // namespace seamfuzz
