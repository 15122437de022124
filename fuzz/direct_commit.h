// The property "a direct commit has no conflict": what the planner decides by closed forms (L1),
// looked at element by element.
#pragma once

#include <string>
#include <vector>

#include "engine/kernel/program.h"

namespace seamfuzz {

// For each update that the program commits directly: reads of the bytes that it writes, of an
// input's entry value, by another instance of its phase, by its own instance after the write, or in
// a later phase. One line each; empty when L1 was kept. A read whose place depends on data may
// touch every byte of its buffer.
std::vector<std::string> DirectCommitConflicts(const Program& program);

}  // namespace seamfuzz
