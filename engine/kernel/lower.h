// From values to loop drafts: one loop body for each value that is to live in memory, everything
// else inlined into it.
#pragma once

#include <vector>

#include "engine/kernel/partition.h"
#include "engine/kernel/plan_input.h"
#include "engine/kernel/program.h"

namespace seamfuzz {

// One path from an updated storage to the first op that computes: what an update of that storage
// must respect.
struct Read {
  ValueId input = kNoValue;
  int access =
      -1;  // from the draft's index, or from the position register, to a position in the input
  int position = kLoopIndex;
  ValueId reader =
      kNoValue;  // kNoValue: the draft's value is the input itself, through copies and moves
  int reader_operand = 0;
  bool copied = false;  // through set or clone
  int relation =
      -1;  // from the reader's own index to the input; only kept where a fault may ask for it
};

// One store of a draft's result.
struct StoreTo {
  int buffer = -1;
  int update = -1;  // position among the updates; -1: no update's storage
};

// A loop without memory and order: loads name values.
struct Draft {
  int kernel = 0;
  ValueId value =
      kNoValue;           // what it computes; a base copy computes operand 0 of the scatter `value`
  Loop loop;              // the body without its stores
  int result = -1;        // the register to store
  int store_access = -1;  // from the instance to the position in the stored value
  int store_position = kLoopIndex;
  std::vector<Read> reads;
  std::vector<int> after;  // earlier drafts that must have finished behind a barrier
  std::vector<StoreTo> stores;
  int home = -1;         // the buffer that other loops load the value from; -1: none yet
  bool finishes = true;  // the value is complete after this loop
  bool is_base_copy = false;
  bool is_snapshot = false;  // copies an input before anything is committed
  bool dropped = false;      // not needed after all
  int producer = -1;         // a copy: the draft whose home it loads; -1: by value
  int phase = 0;
  std::vector<int> snapshots;  // drafts whose copies it reads instead of the inputs

  bool Loads(ValueId v) const;  // from memory
};

// For each kernel and value the draft that completes it.
class DraftIndex {
 public:
  DraftIndex() = default;
  DraftIndex(int kernels, int values)
      : values_(values), draft_(static_cast<size_t>(kernels) * values, -1) {}
  int& at(int kernel, ValueId v) { return draft_[static_cast<size_t>(kernel) * values_ + v]; }
  int at(int kernel, ValueId v) const { return draft_[static_cast<size_t>(kernel) * values_ + v]; }

 private:
  int values_ = 0;
  std::vector<int> draft_;
};

struct Drafts {
  std::vector<Draft> list;  // producers first
  DraftIndex completes;     // -1: the value has no loop of its own in that kernel
};

// A loop that stores `value` (an input, or a value that another loop has stored) somewhere else,
// element by element. Threads take it as the schedule says for `mapped_as`.
Draft CopyDraft(const PlanInput& input, Program& program, int kernel, ValueId value,
                ValueId mapped_as);

// Adds to `program` accesses, place tables and the buffers of partial results. `program.graph` is
// input.graph.
Drafts LowerKernels(const PlanInput& input, const Partition& partition, Program& program);

}  // namespace seamfuzz
