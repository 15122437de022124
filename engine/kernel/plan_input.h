// What every planning stage reads and none changes: the graph without composites, the mode, the
// schedule, the faults.
#pragma once

#include <vector>

#include "engine/kernel/fault.h"
#include "generator/case/case.h"
#include "generator/ir/graph.h"
#include "generator/ir/segments.h"

namespace seamfuzz {

struct PlanInput {
  const Graph& graph;
  const Schedule& schedule;
  Mode mode;
  Faults faults;
  std::vector<const ValueChoice*>
      choices;  // of each node; nodes of a definition take those of their composite
  Segments segments;
  std::vector<StorageInfo> storages;
  std::vector<int> storage_of;

  const ValueChoice& choice(ValueId v) const { return *choices[v]; }
  bool Has(Fault fault) const { return faults.test(static_cast<size_t>(fault)); }
};

// set, clone and segment_set: the value itself, perhaps rounded.
inline bool CopiesOperand(const Node& node) {
  return node.op == SetOp() || node.op == CloneOp() || node.op == SegmentSetOp();
}

// Ops whose results always live in memory: their loop cannot be part of another one.
inline bool NeedsOwnLoop(const Node& node) {
  const OpRow& row = node.row();
  return row.form == Form::kReduce || row.form == Form::kScan || row.form == Form::kContract ||
         row.scatters;
}

}  // namespace seamfuzz
