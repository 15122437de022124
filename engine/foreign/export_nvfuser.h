// nvFuser scripts in the nvfuser_direct dialect: one definition with its segment_sets, one without.
#pragma once

#include <string>

#include "engine/foreign/script.h"

namespace seamfuzz {

// The whole script, or without an expectation what a worker runs. The graph must be one that the
// dialect can spell. Lanes read: shapes (symbolic, fixed), contiguity (declared, undeclared),
// outputs (given, reversed).
std::string ExportNvfuser(const Case& c, const ScriptExpectation* expectation);

// What nvFuser cannot express although it has the ops ("slices with a stride"), or empty.
std::string NvfuserLacks(const Graph& graph);

}  // namespace seamfuzz
