// What the reference permits, as plain data for a script: engines and oracle never meet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/foreign/script.h"
#include "generator/case/case.h"

namespace seamfuzz {

// The case as a standalone script for the compiler that the engine drives; nullopt for an engine
// without scripts and for a case that the reference does not run.
std::optional<std::string> StandaloneScript(std::string_view engine, const Case& c);

// Both modes. The second call is judged too where the first leaves no choice of what the updated
// storages hold. Rules: those of Interpret.
Result<ScriptExpectation> ExpectationOf(const Case& c);

}  // namespace seamfuzz
