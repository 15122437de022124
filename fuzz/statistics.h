// What a campaign counts about the cases it ran; added up block by block.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "fuzz/evaluate.h"
#include "generator/case/case.h"

namespace seamfuzz {

inline constexpr int kLaneCount = 2;      // Lane
inline constexpr int kVerdictCount = 10;  // VerdictKind

struct Statistics {
  int64_t cases = 0;
  std::array<int64_t, kVerdictCount> verdicts = {};  // of both modes
  std::array<Tally, kLaneCount> tallies;             // elements by lane and form
  std::vector<int64_t> ops;                          // nodes by OpId
  int64_t cut_cases = 0;                             // cases with a segment_set
  int64_t more_kernels = 0;                          // of them: segmented ran more than monolithic
  EngineTimes times;                                 // of the runs for cases, causes, minimizing
  std::map<int, int64_t> cause_runs;                 // divergences by engine runs to their cause

  void Count(const Case& c, const Differential& result);
  // A verdict that was counted turned out to be documented.
  void MoveToDocumented(VerdictKind counted);
  void CountTimes(const EngineTimes& before, const EngineTimes& after);
  void Add(const Statistics& other);
};

}  // namespace seamfuzz
