// nvFuser scripts in the nvfuser_direct dialect: one definition with its segment_sets, one without.
#pragma once

#include <string>

#include "engine/foreign/script.h"

namespace seamfuzz {

// The whole script, or without an expectation what a worker runs. The graph must be one that the
// dialect can spell. Lanes read: shapes (symbolic, fixed), contiguity (declared, undeclared),
// outputs (given, reversed), enable and disable (one of nvFuser's switches, or none), first_call
// (same; other_sizes: the definition is called with larger inputs before the calls that are
// judged).
std::string ExportNvfuser(const Case& c, const ScriptExpectation* expectation);

// Why nvFuser cannot express the case although it has the ops ("slices with a stride"), or empty.
std::string NvfuserLacks(const Case& c);

}  // namespace seamfuzz
