// Compares an outcome with the reference, effect by effect and storage by storage (design 6).
#pragma once

#include <memory>

#include "generator/case/case.h"
#include "generator/case/outcome.h"
#include "generator/case/verdict.h"
#include "oracle/interpret.h"

namespace seamfuzz {

// Holds what can be shared between the two modes of one case. Call 2 is judged from the storages
// that the engine's own call 1 left.
class Judge {
 public:
  explicit Judge(const Case& c);
  ~Judge();
  // An input error of the case (index out of range); then Of must not be asked.
  const Status& status() const;
  Verdict Of(Mode mode, const Outcome& outcome);
  const Tally& tally() const;  // of everything judged so far
  // The reference of call 1, for `show` and for repairs.
  const Reference& reference(Mode mode);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace seamfuzz
