// A conflict in words: which threads, which elements, which ops.
#pragma once

#include "engine/sim/compile.h"
#include "engine/sim/shadow.h"
#include "generator/case/outcome.h"
#include "generator/case/schedule.h"

namespace seamfuzz {

Race WitnessOf(const Conflict& conflict, const Program& program, const CompiledProgram& compiled,
               const Schedule& schedule);

}  // namespace seamfuzz
