// SplitMix64 and a byte reader behind one interface.
#include "generator/draw/choices.h"

#include <algorithm>

#include "generator/ir/check.h"

namespace seamfuzz {
// Mixed twice: streams that start a few increments apart would be shifted copies of each other.
Choices::Choices(uint64_t seed, uint64_t index)
    : from_bytes_(false), state_(Mix(Mix(seed + kGamma) + index)) {}

Choices::Choices(std::span<const std::byte> bytes) : from_bytes_(true), state_(0), bytes_(bytes) {}

uint64_t Choices::Take(int count) {
  uint64_t bits = 0;
  const size_t present = std::min(bytes_.size(), static_cast<size_t>(count));
  for (size_t i = 0; i < present; ++i) bits |= std::to_integer<uint64_t>(bytes_[i]) << (8 * i);
  bytes_ = bytes_.subspan(present);
  return bits;
}

// One byte a small choice, so that a fuzzer's mutations stay local.
int Choices::BelowFromBytes(int bound) {
  CHECK(bound >= 1);
  return static_cast<int>(Take(bound <= 256 ? 1 : 4) % static_cast<uint64_t>(bound));
}

int Choices::Weighted(std::span<const int> weights) {
  int sum = 0;
  for (int w : weights) sum += w;
  int left = Below(sum);
  int i = 0;
  while (left >= weights[i]) left -= weights[i++];
  return i;
}

}  // namespace seamfuzz
