// Which kernels of a program have no order between them, and in which memories they meet.
#pragma once

#include <utility>
#include <vector>

#include "engine/kernel/program.h"

namespace seamfuzz {

// Kernels that may run at the same time, and the memories where they meet.
struct Overlap {
  std::vector<std::pair<int, int>>
      kernels;                 // earlier in program order, later; neither waits for the other
  std::vector<char> memories;  // by memory: two of them touch it and one stores; empty: none
};

Overlap OverlapOf(const Program& program);

}  // namespace seamfuzz
