// Waits give the order: a kernel follows those that it waits for and all that they follow.
#include "engine/sim/overlap.h"

#include <algorithm>

namespace seamfuzz {
namespace {

std::vector<std::pair<int, int>> UnorderedKernels(const Program& program) {
  const size_t kernels = program.kernels.size();
  std::vector<std::pair<int, int>> unordered;
  if (std::all_of(program.kernels.begin(), program.kernels.end(),
                  [](const Kernel& k) { return k.stream == 0; })) {
    return unordered;
  }
  std::vector<char> precedes(kernels * kernels, 0);  // row: the later kernel
  for (size_t k = 0; k < kernels; ++k) {
    char* const row = precedes.data() + k * kernels;
    for (const int before : program.kernels[k].waits) {
      row[before] = 1;
      for (int b = 0; b < before; ++b) row[b] |= precedes[before * kernels + b];
    }
    for (size_t b = 0; b < k; ++b) {
      if (row[b] == 0) unordered.push_back({static_cast<int>(b), static_cast<int>(k)});
    }
  }
  return unordered;
}

// What each kernel does to each memory.
constexpr char kLoads = 1;
constexpr char kStores = 2;

}  // namespace

Overlap OverlapOf(const Program& program) {
  Overlap overlap{.kernels = UnorderedKernels(program), .memories = {}};
  if (overlap.kernels.empty()) return overlap;
  const size_t memories = program.memories.size();
  std::vector<char> uses(program.kernels.size() * memories, 0);
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    for (const Phase& phase : program.kernels[k].phases) {
      for (const Loop& loop : phase.loops) {
        for (const Instruction& instruction : loop.body) {
          if (instruction.buffer < 0) continue;
          uses[k * memories + program.buffers[instruction.buffer].memory] |=
              instruction.code == Opcode::kStore ? kStores : kLoads;
        }
      }
    }
  }
  for (const auto& [earlier, later] : overlap.kernels) {
    for (size_t m = 0; m < memories; ++m) {
      const char a = uses[earlier * memories + m];
      const char b = uses[later * memories + m];
      if (a == 0 || b == 0 || ((a | b) & kStores) == 0) continue;
      overlap.memories.resize(memories, 0);
      overlap.memories[m] = 1;
    }
  }
  return overlap;
}

}  // namespace seamfuzz
