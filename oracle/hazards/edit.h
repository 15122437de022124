// One change of a case that keeps its answer: private inputs, layouts, fresh outputs. Repairs and
// controls are made of these.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generator/case/case.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {

class CaseEdit {
 public:
  explicit CaseEdit(const Case& c) : case_(c) {}

  // The operand (or effect) reads a private input with the values of `source` instead, through
  // clones of its own of the nodes in `chain`. Nobody else's reads change.
  void MakePrivate(ValueId reader, int operand, ValueId source, const std::vector<ValueId>& chain);
  void MakePrivateEffect(int effect, ValueId source, const std::vector<ValueId>& chain);
  // These values for the private input of `source`; by default those that it has in the reference's
  // first call.
  void SetValues(ValueId source, std::vector<Scalar> values) {
    values_[source] = std::move(values);
  }
  // The input gets a contiguous layout, and a storage of its own if it shared one, with the values
  // it has at entry.
  void MakeContiguous(ValueId input) { contiguous_.insert(input); }
  // The update at `effect` becomes an output.
  void MakeOutput(int effect) { outputs_.insert(effect); }
  // One more output, of a copy of a private input with the values of `source` that nobody else
  // reads.
  void AddUnrelatedOutput(ValueId source) { unrelated_ = source; }

  // Nodes that nothing reads any more are dropped, and schedule keys with them; clones take over
  // the schedule of the node that they are clones of. Errors: `repair_value` where a private input
  // would have to hold a value that the reference does not know, index_range, and the typing rules
  // of Graph.
  Result<Case> Build();

 private:
  struct Read {
    std::set<ValueId> sources;
    std::set<ValueId> chain;
  };
  Result<std::vector<Scalar>> ValuesOf(ValueId source);
  Status AddPrivateInputs();
  Result<ValueId> Rewritten(ValueId v, const Read& read, std::map<ValueId, ValueId>& clones);
  Status AddInput(ValueId v);
  Status AddNode(ValueId v);
  Status AddEffects();
  Status DropUnread();
  void PinStorages();
  void FixSchedule();
  std::string FreshName() const;

  const Case& case_;
  std::map<std::pair<ValueId, int>, Read> reads_;
  std::map<int, Read> effects_;
  std::map<ValueId, std::vector<Scalar>> values_;
  std::set<ValueId> contiguous_;
  std::set<int> outputs_;
  ValueId unrelated_ = kNoValue;

  Case result_;
  std::vector<ValueId> image_;          // of the case's nodes
  std::map<ValueId, ValueId> private_;  // source -> its private input
  std::vector<StorageData> literal_;    // of storages made here
};

// The hazard's reader reads a private input.
void MakePrivate(CaseEdit& edit, const Hazard& hazard);

}  // namespace seamfuzz
