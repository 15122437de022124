// One case on one engine: run it, judge it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "generator/case/case.h"
#include "generator/case/verdict.h"
#include "oracle/judge.h"

namespace seamfuzz {

// A mode of a case, run and judged. `outcome` holds the effects of both calls.
struct Evaluation {
  Verdict verdict;
  Outcome outcome;
};

// The verdict is `cannot` with the reason when the engine does not take the case or the case itself
// is in error (an index operand out of range).
Evaluation Evaluate(Engine& engine, const Case& c, Mode mode);
// The same with a judge that the modes of one case share.
Evaluation Evaluate(Engine& engine, const Case& c, Mode mode, Judge& judge);

// The engine that is part of seamfuzz: the only one with faults, and never wrong without them.
inline constexpr std::string_view kOurEngine = "sim";
// The version of the compiler that an engine drives; empty for our own.
std::string VersionOfEngine(std::string_view name);

// A whole differential case: as drawn, both modes, both calls.
struct Differential {
  std::array<Verdict, 2> verdicts;  // by Mode
  std::array<int, 2> kernels = {};  // really run; 0 where the engine does not tell
  Tally tally;
  std::vector<Evaluation> bad;  // of the modes whose verdict is bad
  // The script of a mode is wrong without the compiler: an error of seamfuzz (design 8). Nothing
  // was compiled then.
  std::optional<Verdict> wrong_script;
};
Differential RunDifferential(Engine& engine, const Case& c);

}  // namespace seamfuzz
