// Who touched which bytes since the last barrier: finds accesses of two threads without an order
// between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/kernel/program.h"
#include "engine/sim/overlap.h"

namespace seamfuzz {

// One access: `site` numbers the loads and stores of the program, `index` is what its places were
// asked with.
struct Accessor {
  int32_t thread = -1;
  int32_t site = -1;
  int32_t index = 0;
};

struct Conflict {
  int memory = 0;
  int64_t byte = 0;
  Accessor first, second;  // in the order in which they ran
  bool first_stores = false, second_stores = false;
  int first_kernel = 0, second_kernel = 0;
};

class Shadow {
 public:
  // Keeps its cells between programs; nothing is cleared but the marks' epoch.
  void Bind(const Program& program);
  // For the kernels of `overlap` and the memories where they meet, accesses are kept until
  // CompareKernels.
  void TrackKernels(const Program& program, const Overlap& overlap);

  void BeginPhase(int kernel);
  void Load(int memory, int64_t byte, int bytes, Accessor by);
  // `repeats`: stores of the same site to one element have no order and need none (scatter).
  void Store(int memory, int64_t byte, int bytes, Accessor by, bool repeats);
  void CompareKernels(const Overlap& overlap);

  // The first one found since Bind.
  const std::optional<Conflict>& conflict() const { return conflict_; }

 private:
  struct Cell {
    uint32_t store_epoch = 0;
    uint32_t load_epoch = 0;
    Accessor store;
    Accessor load;
    Accessor other_load;  // of another thread than `load`; thread -1: none
  };
  struct Touch {
    bool loads = false, stores = false;
    Accessor load, store;
  };

  void Report(int memory, int64_t cell, Accessor first, bool first_stores, Accessor second,
              bool second_stores);
  void Track(int memory, int64_t cell, Accessor by, bool stores);

  uint32_t epoch_ = 0;
  int kernel_ = 0;
  std::vector<std::vector<Cell>> cells_;  // by memory, granule
  std::vector<int> granule_;              // by memory
  std::vector<std::vector<std::vector<Touch>>>
      touched_;  // by kernel, memory, granule; mostly empty
  std::optional<Conflict> conflict_;
};

}  // namespace seamfuzz
