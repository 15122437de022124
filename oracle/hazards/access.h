// Who reads a value, element by element: through cuts, copies and moves to the first op that
// computes, or to an effect.
#pragma once

#include <cstdint>
#include <vector>

#include "generator/ir/graph.h"

namespace seamfuzz {

bool IsCut(const Node& node);
bool IsCopy(const Node& node);         // set, clone, segment_set
bool IsPassThrough(const Node& node);  // a copy or a Move: it computes nothing

inline constexpr int32_t kNotRead = -1;

// One operand of a reader, or one effect, that a value reaches in one way: through each operand of
// a cat, say, it is another one.
struct AccessPath {
  ValueId source = kNoValue;
  std::vector<ValueId> chain;  // every pass-through node on the way, in order
  ValueId reader = kNoValue;   // kNoValue: an effect
  int operand = -1;
  int effect = -1;
  std::vector<int32_t>
      positions;  // for each element that is read the position in the source, or kNotRead
};

// By live nodes and effects, in text order of the readers. Accesses that reach no element are left
// out.
std::vector<AccessPath> AccessesOf(const Graph& graph, ValueId source);

// For each element of `v` the value and position it comes from through pass-through nodes. A fill
// comes from nowhere.
struct Root {
  ValueId value = kNoValue;
  int32_t position = 0;
  friend auto operator<=>(const Root&, const Root&) = default;
};
std::vector<Root> RootsOf(const Graph& graph, ValueId v);

// `v` and every node that it is computed from.
std::vector<bool> AncestorsOf(const Graph& graph, ValueId v);

// Byte offsets of an input's elements in its storage.
std::vector<int64_t> ByteOffsets(const Node& input);

// The iteration space in which the reader of an access runs, and the source position that each
// instance reads.
struct Reads {
  Shape space;
  std::vector<int32_t> positions;
  bool gathered = false;  // the place depends on data
};
Reads ReadsOf(const Graph& graph, const AccessPath& access);

}  // namespace seamfuzz
