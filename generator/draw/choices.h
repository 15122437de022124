// The only source of randomness: a seed, or bytes from a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace seamfuzz {

class Choices {
 public:
  // SplitMix64 from (seed, index): the same on every machine. Source: Steele, Lea, Flood, "Fast
  // Splittable Pseudorandom Number Generators", OOPSLA 2014.
  Choices(uint64_t seed, uint64_t index);
  // Consumes bytes; zeros after the end, so that fewer bytes mean simpler cases.
  explicit Choices(std::span<const std::byte> bytes);

  uint64_t Bits() { return from_bytes_ ? Take(8) : Mix(state_ += kGamma); }
  // 0 <= result < bound; bound >= 1. 0 is the simplest choice.
  int Below(int bound) {
    if (from_bytes_) return BelowFromBytes(bound);
    // Multiply and shift; the bias is below bound / 2^32.
    return static_cast<int>(((Bits() >> 32) * static_cast<uint64_t>(bound)) >> 32);
  }
  int Between(int low, int high) { return low + Below(high - low + 1); }  // inclusive
  // True is the rarer choice, so that zeros say no.
  bool OneIn(int n) { return Below(n) == n - 1; }
  bool Percent(int percent) { return Below(100) >= 100 - percent; }
  // Position drawn with probability weight/sum; the sum is at least 1.
  int Weighted(std::span<const int> weights);

 private:
  // The golden-ratio increment and the finalizer of the paper.
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t Take(int count);  // little endian, zeros after the end
  int BelowFromBytes(int bound);

  bool from_bytes_;
  uint64_t state_;
  std::span<const std::byte> bytes_;
};

}  // namespace seamfuzz
