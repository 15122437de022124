// Runs instructions over many instances at once: one dispatch for each instruction, a plain loop
// over lanes inside.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/kernel/fault.h"
#include "engine/kernel/program.h"
#include "engine/sim/shadow.h"
#include "engine/sim/tables.h"

namespace seamfuzz {

// An instruction with everything looked up that does not depend on the lane.
struct Step {
  Opcode code = Opcode::kLoad;
  DType dtype = DType::kF32;
  DType value_dtype = DType::kF32;
  DType evaluated = DType::kF32;
  const Node* node = nullptr;
  Places places;
  int position = kLoopIndex;
  int target = -1;  // its register
  int arity = 0;
  std::array<int, kMaxArity> operands = {};
  std::array<DType, kMaxArity> from =
      {};                 // the dtype of each operand; converted where it is not the computing one
  bool converts = false;  // any operand is converted
  int buffer = -1;
  int memory = -1;
  int site = -1;                                // number among the loads and stores of the program
  bool logged = false;                          // the phase stores to this memory
  bool repeats = false;                         // a scatter's store
  bool skipped = false;                         // planted: not done in this call
  const std::vector<int32_t>* taken = nullptr;  // kSelect: the operand for each position
  const Shape* space = nullptr;  // kPosition: the iteration space and the shape that it indexes
  const Shape* data = nullptr;
  Scalar constant = {.i = 0};
};

// Lanes of one dispatch. Register r of lane j is registers[r * stride + j].
struct Lanes {
  const int32_t* index = nullptr;   // loop index of each lane
  const int32_t* thread = nullptr;  // null where nothing is logged
  int count = 0;
  Scalar* registers = nullptr;
  int stride = 0;
};

// What lanes act on.
struct Machine {
  std::vector<std::byte*> memory;  // first byte of each memory
  Shadow* shadow = nullptr;
  Faults faults;
  bool illegal_address = false;  // an index operand was out of range

  bool Has(Fault fault) const { return faults.test(static_cast<size_t>(fault)); }
};

// All but kCombine.
void RunStep(const Step& step, const Lanes& lanes, Machine& machine);

// Combines the values as the loop's team of threads does: each thread its own ones, then a tree; a
// team of one in order. Every step is rounded to `accumulator`.
Scalar CombineTeam(const Loop& loop, const OpRow& row, DType accumulator,
                   std::span<const Scalar> values, const Machine& machine);
// The running combination, in place.
void CombineScan(const OpRow& row, DType accumulator, std::span<Scalar> values,
                 const Machine& machine);

}  // namespace seamfuzz
