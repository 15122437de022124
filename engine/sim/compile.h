// A Program made ready to run: tables, threads, and where the order of threads can matter.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/kernel/program.h"
#include "engine/sim/lanes.h"
#include "engine/sim/overlap.h"
#include "engine/sim/tables.h"

namespace seamfuzz {

struct CompiledLoop {
  const Loop* loop = nullptr;
  std::vector<Step> steps;
  int combine = -1;              // position of kCombine among the steps; -1: none
  int first_store = 0;           // the steps before it are the first half of an instance
  bool logged = false;           // any of its steps is
  std::vector<int32_t> threads;  // by instance; empty where nothing is logged
};

struct CompiledPhase {
  int kernel = 0;
  int threads = 0;
  std::vector<CompiledLoop> loops;
  // A thread may see what another one stores in this phase, so the phase runs in the schedule's
  // order of threads. All other phases give the same for every order and run loop by loop.
  bool order_matters = false;
};

// Points into `program`, which must outlive it.
struct CompiledProgram {
  std::unique_ptr<AccessTables> tables;
  Overlap overlap;
  std::vector<CompiledPhase> phases;  // of all kernels, in program order
  std::vector<std::pair<const Loop*, const Instruction*>> sites;  // what Step::site numbers
};

CompiledProgram Compile(const Program& program);

}  // namespace seamfuzz
