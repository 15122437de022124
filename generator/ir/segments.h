// Segments as design 2.1 defines them; a property of the graph's own cuts, the same for every
// engine.
#pragma once

#include <cstdint>
#include <vector>

#include "generator/ir/graph.h"

namespace seamfuzz {

enum class Mode : uint8_t { kMonolithic, kSegmented };
std::string_view ModeName(Mode mode);
inline constexpr Mode kModes[] = {Mode::kMonolithic, Mode::kSegmented};

// For each node the number of its segment, -1 for inputs and for cuts of inputs (they are read
// where they are used). Segments are numbered by level, then by first node. Level = the most cuts
// on any path to the node; a segment_set belongs to its producer; nodes of one level are one
// segment when connected through computed values. Monolithic: all 0.
struct Segments {
  std::vector<int> of;
  int count = 0;
};
Segments SegmentsOf(const Graph& graph, Mode mode);

}  // namespace seamfuzz
