// Causes that a campaign has seen, tried before all else where a run of the engine is dear: the
// hundredth appearance of a bug costs a few runs and no search (design 9).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "generator/case/pattern.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {

class KnownCauses {
 public:
  // A cause by the pattern lines of its parts. One that comes again is guessed earlier.
  void Remember(std::vector<Pattern> patterns);
  // Groups of hazards (positions in `hazards`) that may explain a divergence, the likeliest first
  // and few of them: for each known cause its very patterns, then all hazards of its classes.
  std::vector<std::vector<int>> Guesses(const std::vector<Hazard>& hazards) const;

 private:
  struct Known {
    std::vector<Pattern> patterns;  // sorted
    int64_t times = 0;
  };
  std::vector<Known> known_;  // by times, the most frequent first
};

// Which hazards must be repaired, found with few questions: what is `evident` first (the answer
// itself tells; may be empty), then guesses, then classes as wholes and the members of those
// classes that are needed. `enough` says whether repairing these hazards makes the case agree.
// Empty when not even all of them do.
std::vector<int> NeededHazards(const std::vector<Hazard>& hazards, const std::vector<int>& evident,
                               const KnownCauses& known,
                               const std::function<bool(const std::vector<int>&)>& enough);

}  // namespace seamfuzz
