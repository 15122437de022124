// The interpreter behind Interpret: one member for each form. Private to the oracle.
#pragma once

#include <utility>
#include <vector>

#include "oracle/accumulate.h"
#include "oracle/interpret.h"
#include "oracle/value_set.h"

namespace seamfuzz {

// `graph` has no composites. `known` holds a value for each node that need not be evaluated, and
// nullptr for the others.
class Interpreter {
 public:
  using Known = std::vector<const PermittedTensor*>;
  Interpreter(const Graph& graph, Mode mode, const std::vector<StorageBytes>& entry, Known known)
      : graph_(graph),
        mode_(mode),
        entry_(entry),
        known_(std::move(known)),
        storage_of_(StorageOf(graph)),
        values_(graph.size()) {}

  Status Run();
  std::vector<PermittedTensor>& values() { return values_; }
  bool all_points() const { return all_points_; }
  bool both_modes() const { return both_modes_; }

 private:
  std::vector<bool> Needed() const;
  Status Evaluate(ValueId v);
  void Input(ValueId v);
  void Copy(ValueId v);
  void Cast(ValueId v);
  void Source(ValueId v);
  void Elementwise(ValueId v);
  void Reduce(ValueId v);
  void Scan(ValueId v);
  void Move(ValueId v);
  void Contract(ValueId v);
  Status Gather(ValueId v);
  Status Scatter(ValueId v);

  const PermittedTensor& Operand(ValueId v, int k) const {
    return values_[graph_.node(v).operands[k].value];
  }
  void Put(PermittedTensor& tensor, int64_t i, const ValueSet& set) {
    StoreSet(tensor, i, set);
    all_points_ &= tensor.IsPoint(i);
  }
  // The index into operand 0 for one value of the index operand.
  Result<int64_t> Resolve(ValueId v, const IntList& at, int64_t index_position,
                          int64_t value) const;

  const Graph& graph_;
  Mode mode_;
  const std::vector<StorageBytes>& entry_;
  Known known_;
  std::vector<int> storage_of_;
  std::vector<PermittedTensor> values_;
  bool all_points_ = true;
  bool both_modes_ = true;
};

// Adds one element of `from` to an accumulator that computes in `compute`.
void Accumulate(const PermittedTensor& from, int64_t i, DType compute, Accumulator& accumulator);

}  // namespace seamfuzz
