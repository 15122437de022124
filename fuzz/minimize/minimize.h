// The minimizer's loop: the only place that decides. It takes a step when the case gets strictly
// smaller and keeps its distinct signature in its mode, and ends when no single step does
// (1-minimal).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "fuzz/cause.h"
#include "fuzz/documented.h"
#include "fuzz/minimize/size.h"
#include "fuzz/signature.h"

namespace seamfuzz {

// A divergence in one mode: what to minimize, and what a minimized case is.
struct Divergence {
  Case c;
  Verdict verdict;
  Cause cause;
  Signature signature;
};

// The divergence that a bad evaluation of the case is.
Divergence Explain(Engine& engine, const Case& c, const Evaluation& found,
                   const CauseOptions& options = {});
// Runs and judges the case; nullopt when its verdict in this mode is not bad.
std::optional<Divergence> Diverge(Engine& engine, const Case& c, Mode mode,
                                  const CauseOptions& options = {});

// The divergence with one part of its cause left: all other hazards of the cause are repaired, and
// by minimality it still fails. `d` itself where its cause is a single part or cannot be taken
// apart.
Divergence Part(Engine& engine, const Divergence& d, int part, const CauseOptions& options = {});

// One accepted candidate.
struct AcceptedStep {
  std::string_view pass;
  Size size;  // of the case after it
};

struct Minimized {
  Divergence divergence;            // of the smallest case found
  std::vector<AcceptedStep> steps;  // accepted, in order
  int tried = 0;                    // candidates that the engine was asked about
  int single_steps = 0;             // of the last round, all of which failed: the certificate
  bool cut_short = false;           // by its time limit: not 1-minimal
  std::vector<Divergence> others;   // one for each other distinct signature met on the way
};

// "1-minimal: 143 single steps tried, none keeps sim.wrong.B1".
std::string Certificate(const Minimized& m);

struct MinimizeOptions {
  // Where runs are dear the cause of a candidate is guessed to be that of the case before it, and
  // the control is asked of the last one.
  bool runs_are_dear = false;
  Documented documented;  // what no candidate may turn into
  // Then the smallest case so far is taken as it is. A slow compiler must not keep a campaign.
  std::chrono::seconds limit = std::chrono::hours(24);
};
// Deterministic. Only the verdict's mode is asked about.
Minimized Minimize(Engine& engine, const Divergence& start, const MinimizeOptions& options = {});

// Tries every single step of a case; the first that keeps the signature, or nullopt when the case
// is 1-minimal. `single_steps` receives how many were tried.
std::optional<AcceptedStep> FindSmallerStep(Engine& engine, const Divergence& d, int& single_steps);

}  // namespace seamfuzz
