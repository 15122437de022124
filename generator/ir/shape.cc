// Shapes, strides and index arithmetic.
#include "generator/ir/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <vector>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

constexpr int64_t kSaturated = std::numeric_limits<int64_t>::max();
constexpr int64_t kEnumerated = int64_t{1} << 20;

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? kSaturated : product;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? kSaturated : sum;
}

// Sorted by stride, each dim steps over everything that the smaller ones reach.
bool ProvablyDistinct(const Shape& shape, const Strides& strides) {
  IntList dims;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] > 1) dims.push_back(d);
  }
  std::sort(dims.begin(), dims.end(),
            [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t reach = 0;
  for (int64_t d : dims) {
    if (strides[d] <= reach) return false;
    reach = SaturatingAdd(reach, SaturatingMultiply(strides[d], shape[d] - 1));
  }
  return true;
}

}  // namespace

void IntList::insert(int position, int64_t value) {
  CHECK(position >= 0 && position <= size_ && !full());
  std::copy_backward(begin() + position, end(), end() + 1);
  values_[position] = value;
  ++size_;
}

void IntList::erase(int position) {
  CHECK(position >= 0 && position < size_);
  std::copy(begin() + position + 1, end(), begin() + position);
  --size_;
}

std::string IntList::Text() const { return fmt::format("[{}]", fmt::join(begin(), end(), ", ")); }

int64_t NumElements(const Shape& shape) {
  if (shape.contains(0)) return 0;
  int64_t product = 1;
  for (int64_t extent : shape) product = SaturatingMultiply(product, extent);
  return product;
}

Strides ContiguousStrides(const Shape& shape) {
  Strides strides = IntList::Filled(shape.size(), 1);
  for (int d = shape.size() - 2; d >= 0; --d) {
    strides[d] = SaturatingMultiply(strides[d + 1], std::max<int64_t>(shape[d + 1], 1));
  }
  return strides;
}

int64_t Extent(const Shape& shape, const Strides& strides) {
  if (shape.contains(0)) return 0;
  int64_t last = 0;
  for (int d = 0; d < shape.size(); ++d) {
    last = SaturatingAdd(last, SaturatingMultiply(shape[d] - 1, strides[d]));
  }
  return SaturatingAdd(last, 1);
}

bool OverlapsItself(const Shape& shape, const Strides& strides) {
  const int64_t elements = NumElements(shape);
  if (elements <= 1 || ProvablyDistinct(shape, strides)) return false;
  const int64_t extent = Extent(shape, strides);
  if (elements > extent) return true;
  if (elements > kEnumerated) return true;
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(elements));
  IntList index = IntList::Filled(shape.size(), 0);
  do {
    offsets.push_back(Dot(index, strides));
  } while (NextIndex(index, shape));
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

IntList Unravel(int64_t position, const Shape& shape) {
  IntList index = IntList::Filled(shape.size(), 0);
  for (int d = shape.size() - 1; d >= 0; --d) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

int64_t Ravel(const IntList& index, const Shape& shape) {
  int64_t position = 0;
  for (int d = 0; d < shape.size(); ++d) position = position * shape[d] + index[d];
  return position;
}

bool NextIndex(IntList& index, const Shape& shape) {
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (++index[d] < shape[d]) return true;
    index[d] = 0;
  }
  return false;
}

}  // namespace seamfuzz
