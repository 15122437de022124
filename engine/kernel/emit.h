// Emits expressions into a draft's body: operands are inlined down to what is in memory.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "engine/kernel/lower.h"
#include "engine/kernel/plan_input.h"
#include "engine/kernel/program.h"

namespace seamfuzz {

// A place is an access and what it starts from: the loop's index, or a register that holds a
// position. Functions give the register of what they emit.
class Emitter {
 public:
  // `input.graph` is program.graph.
  Emitter(const PlanInput& input, Program& program)
      : input_(input), graph_(input.graph), program_(program) {}

  // The kernel computes these values, and stores those.
  void BeginKernel(std::vector<bool> computed, std::vector<bool> stored);
  void BeginBody() { emitted_.clear(); }

  int Emit(Draft& draft, Instruction instruction, std::span<const int> operands);
  int Emit(Draft& draft, Instruction instruction, std::initializer_list<int> operands = {}) {
    return Emit(draft, instruction, std::span(operands.begin(), operands.size()));
  }

  // `v`, loaded where it is in memory; the reads behind it are those of operand k of `reader`.
  int EmitOperand(Draft& draft, ValueId v, int access, int position, ValueId reader, int k);
  // The draft's own value, computed here and rounded to its dtype (an input is loaded).
  int EmitRoot(Draft& draft, ValueId v, int access);
  // The position in operand 0 of Index node `v`, at a place of its iteration space.
  int EmitPosition(Draft& draft, ValueId v, int access, int position);
  int EmitCombine(Draft& draft, ValueId v, int element);
  // A register with excess precision, rounded to its value's dtype.
  int Rounded(Draft& draft, int reg);
  int Converted(Draft& draft, int reg, DType from, DType to);

  // Narrow floats are combined in f32 and rounded once, where the result is stored.
  DType AccumulatorOf(ValueId v) const;

 private:
  struct Emitted {
    ValueId value;
    int access;
    int position;
    int result;
  };

  bool IsLoaded(ValueId v) const { return graph_.is_input(v) || !computed_[v] || stored_[v]; }
  bool ForwardsUnrounded(ValueId v) const;

  int EmitLoad(Draft& draft, ValueId v, int access, int position);
  int EmitValue(Draft& draft, ValueId v, int access, int position);
  int EmitComputed(Draft& draft, ValueId v, int access, int position);
  int EmitElementwise(Draft& draft, ValueId v, int access, int position);
  int EmitMove(Draft& draft, ValueId v, int access, int position);

  int OwnRelation(ValueId reader, int k);
  void RecordReads(Draft& draft, ValueId v, Read read);

  const PlanInput& input_;
  const Graph& graph_;
  Program& program_;
  std::vector<bool> computed_;  // of the kernel in work
  std::vector<bool> stored_;
  std::vector<Emitted> emitted_;  // of the body in work
};

}  // namespace seamfuzz
