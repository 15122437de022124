// Changes of a case's graph as a value, and the case after them: every node is typed again through
// Graph::Add, so that shapes and dtypes follow from the changed inputs, and what nobody uses any
// more is gone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/case/case.h"

namespace seamfuzz {

// How extents change in the whole graph: attributes that list extents follow.
struct ShapeChange {
  int64_t from = -1, to = -1;  // each extent `from` becomes `to`; -1: none does
  bool larger_too = false;     // and each larger one gets smaller by as much
  int drop_from_right =
      -1;  // the dim of extent 1 that disappears, counted from the innermost, 0; -1: none does
  int64_t Of(int64_t extent) const;
};

// What happens to one node.
struct NodeEdit {
  ValueId read_instead = kNoValue;  // users and effects read this value, an earlier one
  std::optional<Operand> literal;   // users read this literal; effects still read the node
  bool as_input = false;  // becomes an input of its own type, contiguous, of its own storage
  std::optional<std::vector<Scalar>> data;  // as_input: its elements; else they come from the seed
  std::optional<OpId> op;  // computed by this op, attributes that it does not take dropped
  std::optional<Attrs> attrs;
  std::optional<TensorType> type;  // of an input
  std::optional<Layout> layout;    // of an input
};

struct GraphEdit {
  explicit GraphEdit(const Graph& graph)
      : nodes(graph.size()),
        drop_effect(graph.effects().size()),
        as_output(graph.effects().size()) {}
  std::vector<NodeEdit> nodes;
  std::vector<bool> drop_effect;
  std::vector<bool> as_output;             // an update becomes an output
  std::vector<ValueId> effect_value = {};  // what each effect takes instead; empty: as it was
  ShapeChange shapes;
};

// nullopt when the result does not type, breaks a contract rule that the case keeps, or has no
// effect left. Dead nodes, schedule entries and data of what is gone are dropped; the names of the
// rest stay.
std::optional<Case> Apply(const Case& c, const GraphEdit& edit);

// The case with values named T0, T1, ... in node order where `rename[v]`; schedule and data follow.
// Storages that are named as their input follow it.
// nullopt when a name is taken.
std::optional<Case> Rename(const Case& c, const std::vector<bool>& rename);

// Elements of a storage that literal data can hold.
int64_t DataCapacity(const Graph& graph, const StorageInfo& storage);

}  // namespace seamfuzz
