// Replays cases: runs every expectation that can run here and says whether it holds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/command.h"
#include "generator/case/case.h"
#include "generator/case/verdict.h"

namespace seamfuzz {

// One mode of a case on the engine with some faults, and what was expected of it.
struct ReplayedMode {
  std::vector<std::string> faults;
  Verdict verdict;
  std::optional<VerdictKind> expected;  // absent: only reported
  bool as_expected = true;              // a bad verdict that nothing expects is not
};

struct ReplayedCase {
  std::vector<ReplayedMode> modes;
  std::vector<std::string> skipped;  // why an expectation could not run here, one for each
  bool AsExpected() const;
  bool Ran() const;  // at least one mode has a verdict other than `cannot`
};

// Without `faults`: every expectation of the case, fault lines with their fault (our own engine
// only), none = `expect agree`. With faults: the lines of that fault; where there are none both
// modes are reported and must not be bad. Errors: an engine that cannot be made, an index operand
// out of range.
Result<ReplayedCase> Replay(const EngineArguments& arguments, const Case& c);

}  // namespace seamfuzz
