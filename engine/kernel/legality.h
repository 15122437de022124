// L1 of design 2.3: when a value may be stored into the storage that the same kernel reads.
// Symbolic and conservative.
#pragma once

#include <optional>
#include <span>

#include "engine/kernel/program.h"

namespace seamfuzz {

// One access to an updated storage by a loop of the kernel.
struct StorageAccess {
  int loop = 0;  // fused bodies share a number; instances of one loop read before they write
  std::optional<AffineMap>
      bytes;  // from the loop's index to the byte offset of the element; nullopt: no closed form
  DType dtype = DType::kF32;
};

// The closed form of `access` (an access of the program into `input`'s positions) in bytes of its
// storage.
std::optional<AffineMap> StorageMap(const Program& program, int access, const Node& input);

// True only if each read is in the loop of the write, at the same element of the same iteration
// space, and the write map is injective: then no instance can see what another one has written.
bool DirectIsLegal(const StorageAccess& write, std::span<const StorageAccess> reads);

}  // namespace seamfuzz
