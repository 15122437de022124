// Attributes of a node whose operands changed shape.
#pragma once

#include <vector>

#include "fuzz/minimize/edit.h"

namespace seamfuzz {

// Which dim of `before` is gone in `after` (one dim less, the others equal); the one
// `prefer_from_right` from the innermost where several could be. -1 when `after` is not `before`
// without one dim.
int DroppedDim(const Shape& before, const Shape& after, int prefer_from_right);

// Attributes for `op` on `operands` of `built`, so that it does to them what `node` did to its own
// operands of `graph`: lists of extents follow the change, dims and lists with an entry for each
// dim lose the dropped one, ends are cut to the extents. `attrs` unchanged where nothing that is
// tried types.
Attrs AttrsFor(const Graph& graph, const Node& node, OpId op, const Attrs& attrs,
               const Graph& built, const std::vector<Operand>& operands, const ShapeChange& change);

}  // namespace seamfuzz
