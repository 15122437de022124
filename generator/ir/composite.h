// The definition of one composite node, as a graph of its own.
#pragma once

#include <span>

#include "generator/ir/graph.h"

namespace seamfuzz {

// `graph` opens with one input for each operand that is no literal, in order; `result` is the value
// that the composite stands for.
struct Definition {
  Graph graph;
  ValueId result = kNoValue;
};
// `operands` are values of `graph`. Errors: the rule that a node of the definition breaks.
Result<Definition> Define(const Graph& graph, const OpRow& row, std::span<const Operand> operands,
                          const Attrs& attrs);

}  // namespace seamfuzz
