// The SSA reference interpreter: slow and obvious, one function per form, a permitted set per
// element.
#pragma once

#include <array>
#include <vector>

#include "generator/case/values.h"
#include "generator/ir/graph.h"
#include "generator/ir/segments.h"
#include "oracle/permitted.h"

namespace seamfuzz {

// Elements by the form of the op that made the effect's value.
struct Tally {
  std::array<int64_t, kFormCount> judged = {};
  std::array<int64_t, kFormCount> weak = {};
  std::array<int64_t, kFormCount> unjudged = {};
  void Add(const Tally& other);
};

// By memcmp, which operator== of vectors of std::byte is not.
bool SameBytes(const StorageBytes& a, const StorageBytes& b);

struct Reference {
  std::vector<PermittedTensor>
      values;  // one for each node of the graph (composites by their definition's result)
  bool all_points = true;  // implies both_modes
  bool both_modes = true;  // no cut rounds anything: the other mode has the same reference
};

// Reads of inputs mean `entry`; nothing is written. Monolithic: every segment_set is the identity;
// segmented: it rounds. Rules: index_range (an index operand outside its dim: an input error),
// trace (not a graph).
Result<Reference> Interpret(const Graph& graph, Mode mode, const std::vector<StorageBytes>& entry);

// The same for a further call that starts from `before`, where `first` is the reference from
// `entry` (for this mode, or for both): values that no changed storage reaches are those of
// `first`.
Result<Reference> InterpretNext(const Graph& graph, Mode mode,
                                const std::vector<StorageBytes>& before,
                                const std::vector<StorageBytes>& entry, const Reference& first);

}  // namespace seamfuzz
