// SplitMix64 and a byte reader behind one interface.
#include "generator/draw/choices.h"

#include <algorithm>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// The golden-ratio increment and the finalizer of the paper that choices.h names.
constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

// Mixed twice: streams that start a few increments apart would be shifted copies of each other.
Choices::Choices(uint64_t seed, uint64_t index)
    : from_bytes_(false), state_(Mix(Mix(seed + kGamma) + index)) {}

Choices::Choices(std::span<const std::byte> bytes) : from_bytes_(true), state_(0), bytes_(bytes) {}

uint64_t Choices::Bits() {
  if (!from_bytes_) return Mix(state_ += kGamma);
  return Take(8);
}

uint64_t Choices::Take(int count) {
  uint64_t bits = 0;
  const size_t present = std::min(bytes_.size(), static_cast<size_t>(count));
  for (size_t i = 0; i < present; ++i) bits |= std::to_integer<uint64_t>(bytes_[i]) << (8 * i);
  bytes_ = bytes_.subspan(present);
  return bits;
}

int Choices::Below(int bound) {
  CHECK(bound >= 1);
  // One byte a small choice, so that a fuzzer's mutations stay local.
  if (from_bytes_)
    return static_cast<int>(Take(bound <= 256 ? 1 : 4) % static_cast<uint64_t>(bound));
  // Multiply and shift; the bias is below bound / 2^32.
  return static_cast<int>(((Bits() >> 32) * static_cast<uint64_t>(bound)) >> 32);
}

int Choices::Between(int low, int high) { return low + Below(high - low + 1); }

int Choices::Weighted(std::span<const int> weights) {
  int sum = 0;
  for (int w : weights) sum += w;
  int left = Below(sum);
  int i = 0;
  while (left >= weights[i]) left -= weights[i++];
  return i;
}

}  // namespace seamfuzz
