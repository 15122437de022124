// JAX scripts: jax.jit of a pure function that gives one value for each effect; updated inputs are
// donated.
#pragma once

#include <string>

#include "engine/foreign/script.h"

namespace seamfuzz {

// The whole script, or without an expectation what a worker runs. The graph must be one that the
// dialect can spell, its inputs contiguous. Lanes read: donate, results, boundary.
std::string ExportJax(const Case& c, const ScriptExpectation* expectation);

}  // namespace seamfuzz
