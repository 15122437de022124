// From a case's value lane to bytes: the only place where a lane becomes data. Reference and
// engines all start from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generator/case/case.h"

namespace seamfuzz {

// Guard zone on either side of each storage, in bytes (design 6).
inline constexpr int64_t kGuardBytes = 256;
// Exact lane: |value| <= kExactMagnitude for floats and for i32, i64; <= 8 for i8; bool 0 or 1.
inline constexpr int64_t kExactMagnitude = 8;

// kGuardBytes + size + kGuardBytes.
using StorageBytes = std::vector<std::byte>;

// The entry bytes of every storage of the graph, in the order of Storages(graph). A function of
// (seed, lane, storage name, offset) only, gaps and guard zones included, so that deleting a node
// changes no other value. Neighbouring elements differ where the dtype allows. Exact lane:
// integer-valued; bounded: about [-4, 4] with fractions, never 0 unless special. Integer storages
// hold small integers in both lanes. Literal `data` overrides from the start.
std::vector<StorageBytes> EntryBytes(const Case& c);

}  // namespace seamfuzz
