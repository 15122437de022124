// Evidence for hazards without asking the engine again: what the reference says if just these reads
// came after their updates.
#pragma once

#include <cstdint>
#include <span>

#include "generator/case/outcome.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {

// Whether the hazard is a read that may come late: layouts and roundings are none.
bool IsLateRead(const Hazard& hazard);

// Elements of call 1.
struct LateReads {
  int64_t wrong = 0;      // outside of the reference
  int64_t explained = 0;  // of them, those that the reference gives where these reads are late
  bool all() const { return wrong > 0 && explained == wrong; }
};

// The hazards (late reads, from one ListHazards call) see their inputs as their updates leave them;
// everything else is read at entry. Nothing is explained where that cannot be told: an outcome that
// does not show what it takes, a reference that does not know the values.
LateReads ExplainedByLateReads(const Case& c, std::span<const Hazard> hazards,
                               const Outcome& outcome);

}  // namespace seamfuzz
