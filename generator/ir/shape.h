// Shapes, strides and index arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace seamfuzz {

// Inputs have rank 0 to 5; importers need intermediate ranks up to 8.
inline constexpr int kMaxRank = 8;
// No tensor has more elements, no storage more bytes (256 MiB): both are checked before anything is
// allocated.
inline constexpr int64_t kMaxElements = int64_t{1} << 28;

// A short list of integers without heap memory: dims, strides, starts, permutations. Text form:
// "[2, 10, 2]".
class IntList {
 public:
  IntList() = default;
  IntList(std::initializer_list<int64_t> values) {
    for (int64_t v : values) push_back(v);
  }
  explicit IntList(std::span<const int64_t> values) {
    for (int64_t v : values) push_back(v);
  }
  static IntList Filled(int size, int64_t value) {
    IntList list;
    for (int i = 0; i < size; ++i) list.push_back(value);
    return list;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kMaxRank; }
  // The list must not be full: callers check the rank first.
  void push_back(int64_t value) { values_[size_++] = value; }
  void insert(int position, int64_t value);
  void erase(int position);
  int64_t& operator[](int i) { return values_[i]; }
  int64_t operator[](int i) const { return values_[i]; }
  int64_t* begin() { return values_.data(); }
  int64_t* end() { return values_.data() + size_; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + size_; }
  bool contains(int64_t value) const { return std::find(begin(), end(), value) != end(); }

  friend bool operator==(const IntList& a, const IntList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  std::string Text() const;

 private:
  std::array<int64_t, kMaxRank> values_ = {};
  int size_ = 0;
};

using Shape = IntList;    // extents, outermost first; a 0-dim tensor has the empty list
using Strides = IntList;  // in elements, one for each dim, never negative

// Product of the extents (1 for rank 0); saturates at INT64_MAX.
int64_t NumElements(const Shape& shape);
// Row-major strides.
Strides ContiguousStrides(const Shape& shape);
// The largest element offset that the view touches, plus one; 0 when the view is empty. Saturates
// at INT64_MAX.
int64_t Extent(const Shape& shape, const Strides& strides);
// True when two different indices share an offset (a stride 0 over an extent above 1, unfolded
// views). By enumeration for at most 2^20 elements, by sorted strides (conservative: true when not
// provably distinct) above.
bool OverlapsItself(const Shape& shape, const Strides& strides);

// Row-major position <-> index.
IntList Unravel(int64_t position, const Shape& shape);
int64_t Ravel(const IntList& index, const Shape& shape);
inline int64_t Dot(const IntList& index, const Strides& strides) {
  int64_t sum = 0;
  for (int d = 0; d < index.size(); ++d) sum += index[d] * strides[d];
  return sum;
}
// Advances a row-major index by one; false after the last (the index is then all zeros).
bool NextIndex(IntList& index, const Shape& shape);

}  // namespace seamfuzz
