// What the reference permits, as plain data for a script: engines and oracle never meet.
#pragma once

#include "engine/foreign/script.h"
#include "generator/case/case.h"

namespace seamfuzz {

// Both modes. The second call is judged too where the first leaves no choice of what the updated
// storages hold. Rules: those of Interpret.
Result<ScriptExpectation> ExpectationOf(const Case& c);

}  // namespace seamfuzz
