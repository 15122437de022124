// Sizes for the dims that a script leaves open (-1) and gives no inputs for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seamfuzz {

// Open dims are numbered in the order of their definition. At first each has a size of its own, so
// that two extents that an op wants equal name the dims to unify; a fusion is built again until its
// ops type. What ends up equal is what the script makes equal, and nothing more.
class OpenSizes {
 public:
  // The size of the next open dim.
  int64_t Next();
  // The next build starts at the first dim again.
  void Restart() { next_ = 0; }
  // Two extents that should be equal. False when no open dim can make them so.
  bool Unify(int64_t a, int64_t b);
  // Every dim gets this size: the last resort, for ops whose extents relate otherwise (reshape).
  void SetAll(int64_t size);
  // Sizes are taken anew, small ones first, after unifying has left few classes.
  void Compact();
  bool empty() const { return class_of_.empty(); }

 private:
  int64_t Unused(int64_t from) const;
  int OpenClassOf(int64_t size) const;

  struct Class {
    int64_t size;
    bool fixed;  // equal to a size that the script states
  };
  std::vector<int> class_of_;
  std::vector<Class> classes_;
  size_t next_ = 0;
};

}  // namespace seamfuzz
