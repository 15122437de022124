// The table of passes.
#include <vector>

#include "fuzz/minimize/pass.h"

namespace seamfuzz {

std::span<const Pass> Passes() {
  static const std::vector<Pass> passes = [] {
    std::vector<Pass> all;
    for (std::span<const Pass> part : {GraphPasses(), ShapePasses(), DetailPasses()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return passes;
}

}  // namespace seamfuzz
