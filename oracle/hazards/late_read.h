// Evidence for a hazard without asking the engine again: what the reference says if that one read
// came after the update.
#pragma once

#include <cstdint>

#include "generator/case/outcome.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {

// How many elements of call 1 the outcome has wrong and would have right, by the reference, if the
// hazard's read saw the input as the update leaves it. 0 where that cannot be told: a hazard of a
// layout or a rounding, an outcome that does not show what it takes.
int64_t ExplainedByLateRead(const Case& c, const Hazard& hazard, const Outcome& outcome);

}  // namespace seamfuzz
