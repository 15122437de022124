// A case in words and small pictures, for reports and for `show`.
#pragma once

#include <string>

#include "generator/case/case.h"
#include "generator/ir/segments.h"
#include "oracle/permitted.h"

namespace seamfuzz {

// The graph by segments, its inputs before and its effects behind:
//   inputs      T0 = input f32[4]
//   segment 0   T2 = relu(T0)
//   effects     T0 <- T2
// Each line is indented by `indent` blanks.
std::string SegmentsText(const Graph& graph, Mode mode, int indent);

// "[1, 2, 3, ...]": at most `limit` elements of a reference value, row-major, each as the set that
// is permitted.
std::string ElementsText(const PermittedTensor& value, int limit);

}  // namespace seamfuzz
