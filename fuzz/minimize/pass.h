// The minimizer's passes: each proposes, none decides. One ordered table of (name, what it does,
// functions).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generator/case/case.h"

namespace seamfuzz {

// A pass sees a case as a row of units (effects to drop, nodes to replace, keys to reset) and gives
// the case after acting on a run of them. Both functions are pure and safe to ask of any case.
struct Pass {
  std::string_view name;         // "drop-effects"
  std::string_view description;  // "drop an output or an update"
  // How many units the case has.
  int (*units)(const Case& c);
  // The case after acting on units [first, first + count), those of them that can be; nullopt when
  // none can.
  std::optional<Case> (*propose)(const Case& c, int first, int count);
  // Runs of several units are worth a try: acting on many at once may work where it is quicker.
  bool chunks = true;
};

// In the order in which they are tried: what takes most away first.
std::span<const Pass> Passes();

// Parts of the table, by what they act on.
std::span<const Pass> GraphPasses();   // passes_graph.cc
std::span<const Pass> ShapePasses();   // passes_shape.cc
std::span<const Pass> DetailPasses();  // passes_detail.cc: schedule, values, dtypes, layouts, names

}  // namespace seamfuzz
