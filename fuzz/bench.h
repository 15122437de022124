// Measures what design 11 asks for: cases and graphs per second on one core, on the campaign's own
// distribution.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seamfuzz {

// Targets of design 11, a core.
inline constexpr double kCasesPerSecondWanted = 5'000;
inline constexpr double kGraphsPerSecondWanted = 100'000;

struct BenchStage {
  std::string_view name;    // "plan"
  double microseconds = 0;  // a case, on average, both modes
};

struct BenchReport {
  int64_t cases = 0;
  double cases_per_second = 0;   // median of the slices
  double graphs_per_second = 0;  // generated and typed; median of the slices
  int64_t median_ops = 0;        // computing nodes of a case
  int64_t median_elements = 0;   // of a tensor
  double exact_share = 0;        // of cases in the exact lane
  double cut_share = 0;          // of cases with a segment_set
  std::vector<BenchStage> stages;
};

// Takes about `seconds` in all.
BenchReport RunBench(uint64_t seed, double seconds);

std::string Text(const BenchReport& report);
std::string Json(const BenchReport& report);

}  // namespace seamfuzz
