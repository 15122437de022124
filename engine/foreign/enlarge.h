// The same program on larger inputs.
#pragma once

#include <vector>

#include "generator/ir/graph.h"

namespace seamfuzz {

// Graphs with the same nodes, attributes and effects whose inputs have larger extents: first every
// extent above 1 doubled, then those of one value only, the largest first. Strides keep their order
// and are dense. Only what types is given; nothing where inputs share storage.
std::vector<Graph> Enlargements(const Graph& graph);

}  // namespace seamfuzz
