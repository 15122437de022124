// tinygrad scripts: lazy tensors, updates by assign, everything realized at once.
#pragma once

#include <string>

#include "engine/foreign/script.h"

namespace seamfuzz {

// The whole script, or without an expectation what a worker runs. The graph must be one that the
// dialect can spell, its inputs contiguous. Lanes read: boundary, clone, realize.
std::string ExportTinygrad(const Case& c, const ScriptExpectation* expectation);

}  // namespace seamfuzz
