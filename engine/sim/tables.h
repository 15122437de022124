// A program's accesses as tables: computed once for each access and buffer that a program uses,
// shared by its loops.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kernel/program.h"

namespace seamfuzz {

// Where the elements that an instruction touches lie. For loads and stores bytes from the start of
// the memory, for others positions of the value.
struct Places {
  const int32_t* table =
      nullptr;  // by loop index or position register; -1: nowhere. nullptr: base + i * step
  int64_t base = 0;
  int64_t step = 1;
  int64_t size = 0;  // how many indices there are

  int64_t at(int64_t i) const { return table != nullptr ? table[i] : base + i * step; }
  friend bool operator==(const Places& a, const Places& b);  // the same places for the same indices
};

class AccessTables {
 public:
  explicit AccessTables(const Program& program);
  Places Positions(int access);
  Places Bytes(int access, int buffer);

 private:
  const std::vector<int32_t>& Table(int access);
  std::vector<int32_t> ByteOffsets(int access, const Buffer& buffer, bool contiguous);

  struct ByteTable {
    int access;
    int buffer;
    std::vector<int32_t> offsets;
  };

  const Program& program_;
  std::vector<std::vector<int32_t>> tables_;  // by access; empty until asked for
  std::vector<bool> made_;
  std::vector<std::unique_ptr<ByteTable>> bytes_;
};

}  // namespace seamfuzz
