// Runs a Program on real, aliased storage, phase by phase, under an adversarial order of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/kernel/fault.h"
#include "engine/kernel/program.h"
#include "engine/sim/compile.h"
#include "engine/sim/lanes.h"
#include "engine/sim/shadow.h"
#include "generator/case/case.h"
#include "generator/case/outcome.h"

namespace seamfuzz {

// Keeps its scratch memory between programs.
class Simulator {
 public:
  // Two calls of the program, the second on the storages that the first left. Race detection is
  // part of every run; a run with a race goes on, so that its effects are complete.
  Outcome Run(const Case& c, const Program& program, Faults faults);

 private:
  const std::vector<StorageBytes>& Entry(const Case& c);
  Call RunCall(const Program& program, CompiledProgram& compiled, int call,
               std::vector<StorageBytes> storages);
  Call Effects(const Program& program, std::vector<StorageBytes> storages) const;

  void RunLoop(const CompiledLoop& loop);
  void RunInOrder(const CompiledPhase& phase, const Schedule& schedule);
  // Steps [begin, end) for these instances, in `registers`.
  void RunSteps(const CompiledLoop& loop, std::span<const int32_t> instances, int begin, int end,
                std::vector<Scalar>& registers);

  // What the storages hold at entry, kept for the other mode of the same case.
  std::optional<Case> entry_of_;
  std::vector<StorageBytes> entry_;
  Machine machine_;
  Shadow shadow_;
  const Schedule* schedule_ = nullptr;
  std::vector<std::vector<std::byte>> memories_;  // outputs and temporaries, by memory
  std::vector<Scalar> registers_;
  std::vector<int32_t> instances_;  // 0, 1, 2, ...
  std::vector<int32_t> lanes_, lane_threads_, starts_, instance_threads_;
};

}  // namespace seamfuzz
