// Replays cases: runs every expectation that can run here and says whether it holds.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

// Keeps the engines that it made: a compiler's workers take seconds to start.
class Replayer {
 public:
  explicit Replayer(EngineArguments arguments) : arguments_(std::move(arguments)) {}

  // Without faults: every expectation of the case, fault lines with their fault (our own engine
  // only), none = `expect agree`. With faults: the lines of that fault; where there are none both
  // modes are reported and must not be bad. Errors: an engine that cannot be made, an index operand
  // out of range.
  Result<ReplayedCase> Run(const Case& c);

 private:
  Result<Engine*> EngineWith(const std::vector<std::string>& faults);

  EngineArguments arguments_;
  std::map<std::vector<std::string>, std::unique_ptr<Engine>> engines_;  // by faults
};

}  // namespace seamfuzz
