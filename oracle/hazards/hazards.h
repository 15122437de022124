// Lists the hazards of a case for a mode by enumerating elements, and repairs them (design 2.4 and
// 9).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "generator/case/case.h"
#include "generator/case/pattern.h"
#include "generator/ir/segments.h"

namespace seamfuzz {

enum class RepairKind : uint8_t {
  kContiguousTarget,  // C5: the input gets a contiguous layout of its own with the same values
  kOwnStorage,        // C1, C2, C6: the reader reads a private input with the same values
  kPrivateInput,      // A*, B*, D1, D2: the reader reads a private input with the same values
  kPrivateBase,       // C4: the scatter's base becomes a private input with the same values
  kPrivateRounded,    // A6: the reader reads a private input that holds the rounded values
  kFreshOutput,       // last resort: the update becomes an output (E1, "the update, no reader")
};

// One early read that an update must respect (or a property of the target). `reader` is the first
// op behind the read that computes (cuts, copies and moves between are `chain`), or an effect when
// the value goes straight there.
struct Hazard {
  HazardClass id;
  Mode mode;
  int update = -1;           // index of the update among the effects, -1 for C4 and A6 without one
  ValueId input = kNoValue;  // the input that is read (it shares storage with the target, or is
                             // it); C5: the target; C4: the scatter's base; A6: the narrowed value
  std::vector<ValueId> chain;  // cuts, copies and moves from the input to the reader, in order
  ValueId reader = kNoValue;   // kNoValue when the reader is an effect
  std::string reader_op;  // the reader's name, of the op in its definition where it is a composite
  std::vector<int> reader_operands;  // those that read it in this way; empty for an effect
  int reader_effect = -1;
  RepairKind repair = RepairKind::kPrivateInput;
  Pattern pattern;
  std::string
      text;  // "T4 reads T0 (through T3) after T0 <- T2 may have been written, one segment later"
  std::string repair_text;  // "let T4 read a private copy of T0"
};

// In text order of the readers. Empty for a graph whose updates nobody can notice being early, for
// a trace, and for a graph that breaks a contract rule.
std::vector<Hazard> ListHazards(const Case& c, Mode mode);

// The case with these hazards (all from one ListHazards call) taken away and the same reference
// answer in both modes and both calls of every effect that stays. Private inputs hold literal data.
// Errors: the rule that stands in the way.
Result<Case> Repair(const Case& c, std::span<const Hazard> hazards);
// The last repair: the update at `effect` becomes an output.
Result<Case> RepairByFreshOutput(const Case& c, int effect);
// The control for a cause: the same change where there is no hazard (design 9): an unhazardous read
// of another input made private, else an unused private input that feeds one extra output.
Result<Case> Control(const Case& c, std::span<const Hazard> hazards);

// Reading the graph as a program in text order of some placement of its updates: which updates and
// reads make the answer depend on the order, by value; empty when it is not ambiguous. Decided with
// the case's own values.
struct Ambiguity {
  int update = -1;
  ValueId reader = kNoValue;  // the read whose answer changes when the update goes first
  int effect = -1;            // or the effect
};
std::vector<Ambiguity> AmbiguousAsProgram(const Case& c);

}  // namespace seamfuzz
