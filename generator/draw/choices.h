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

  uint64_t Bits();
  // 0 <= result < bound; bound >= 1. 0 is the simplest choice.
  int Below(int bound);
  int Between(int low, int high);  // inclusive
  // True is the rarer choice, so that zeros say no.
  bool OneIn(int n) { return Below(n) == n - 1; }
  bool Percent(int percent) { return Below(100) >= 100 - percent; }
  // Position drawn with probability weight/sum; the sum is at least 1.
  int Weighted(std::span<const int> weights);

 private:
  uint64_t Take(int count);  // little endian, zeros after the end

  bool from_bytes_;
  uint64_t state_;
  std::span<const std::byte> bytes_;
};

}  // namespace seamfuzz
