// The casts that a frontend without 16-bit arithmetic wants in the text.
#pragma once

#include "generator/ir/graph.h"

namespace seamfuzz {

// The same graph as nvFuser takes it: f16 and bf16 operands of arithmetic are cast to f32 and the
// result back (its kernels have no arithmetic on 16-bit registers, and its results are float where
// PyTorch's are 16 bits); an operand that a scan promotes is cast before it; reducing a 0-dim
// tensor is a cast. Copies, moves, indexing and matmul take 16 bits as they are. Composites are
// expanded where one of their values has 16 bits. Names of old nodes stay.
Graph Widen(const Graph& graph);

}  // namespace seamfuzz
