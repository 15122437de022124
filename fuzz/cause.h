// The cause of a divergence: the smallest set of hazards whose repair makes the case agree (design
// 9), asked of the engine itself. Nothing here knows which faults there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fuzz/evaluate.h"
#include "fuzz/known_causes.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {

// What became of the divergence when the same change was made where there is no hazard.
enum class ControlResult : uint8_t { kNone, kKept, kLost };
std::string_view Text(ControlResult control);  // "none", "kept", "lost"

struct Cause {
  HazardClasses classes;
  std::vector<Pattern> patterns;  // one for each part of the cause, in text order; never empty
  std::vector<std::string>
      texts;  // the same for a person: "T4 reads T0 (through T3) after T0 <- T2 ..."
  std::vector<std::string> repairs;  // what was changed to make it agree; empty where nothing was
  std::vector<Hazard> hazards;  // the smallest set; empty when no repair of hazards explains it
  // The case that the hazards are of, where it is not the divergence's own: a first call in place
  // of the second, composites in place of which their definitions stand.
  std::optional<Case> asked;
  ControlResult control = ControlResult::kNone;
  int runs = 0;  // of the engine, the control's included
};

// How a cause is looked for where a run of the engine takes a second and not a fraction of a
// millisecond.
struct CauseOptions {
  const KnownCauses* known = nullptr;  // not null: guesses first, few questions
  bool control = true;
};

// `found` is the bad evaluation of `c` in its mode. Only the second call is wrong and a first call
// from the same storages agrees: F2; when that is wrong too, its cause is the answer. Tried in this
// order: failure X2; wrong identity E3, shared outputs D4; memory reuse switched off D3; repairs of
// hazards; edges recomputed S1; phantom write E2; updates as fresh outputs E1; nothing left X1.
// Deterministic.
Cause FindCause(Engine& engine, const Case& c, const Evaluation& found,
                const CauseOptions& options = {});

}  // namespace seamfuzz
