// The total order on cases: what the minimizer calls smaller (design 9: nodes, cuts, updates,
// elements, op rank, schedule, text).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "generator/case/case.h"

namespace seamfuzz {

// Counted in this order; the first that differs decides. Texts decide last, so that no two cases
// are equal.
enum class Measure : uint8_t {
  kOps,   // computing nodes: no inputs, no cuts
  kCuts,  // segment_set nodes
  kUpdates,
  kInputs,
  kOutputs,
  kElements,  // of all values together
  kRanks,     // dims of all values together
  kOpRanks,   // OpRow::rank of all computing nodes together
  kDTypes,    // values that are no f32
  kLayouts,   // inputs that are strided, offset or share storage
  kSchedule,  // keys
  kValues,    // literal elements, a lane that is not exact, a seed that is not 1
  kNames,     // values that are not named T<position>
  kTextLength,
};
inline constexpr int kMeasureCount = 14;

struct Size {
  std::array<int64_t, kMeasureCount> counts = {};
  std::string text;
  int64_t operator[](Measure m) const { return counts[static_cast<int>(m)]; }
  friend auto operator<=>(const Size&, const Size&) = default;
};

// Of a case without notes, classes, causes, origin and expectations: those are not part of what is
// minimized.
Size SizeOf(const Case& c);

}  // namespace seamfuzz
