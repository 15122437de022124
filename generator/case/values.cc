// From a case's value lane to bytes: exact walks, bounded hashes, literal data, patterned guard
// zones.
#include "generator/case/values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace seamfuzz {
namespace {

// SplitMix64's output function. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
// Generators", OOPSLA 2014.
uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// FNV-1a. Source: Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv/
uint64_t HashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// One stream of 64-bit words for each (seed, storage); `stream` tells its uses apart.
class Words {
 public:
  Words(uint64_t seed, std::string_view storage, uint64_t stream)
      : key_(Mix(seed + 0x9e3779b97f4a7c15u * (stream + 1)) ^ HashName(storage)) {}
  uint64_t At(int64_t position) const {
    return Mix(key_ + 0x9e3779b97f4a7c15u * static_cast<uint64_t>(position));
  }

 private:
  uint64_t key_;
};
constexpr uint64_t kGuardStream = 0;
constexpr uint64_t kElementStream = 1;

// Exact lane, and integers in both: element k is ((a k + b) mod 17) - 8 with a != 0. 17 is prime,
// so any 17 neighbours are 17 different values, and a wrong index is readable in a report.
constexpr int kWalk = 2 * kExactMagnitude + 1;

void FillWalk(std::byte* bytes, int64_t count, DType dtype, const Words& words) {
  const int size = Row(dtype).bytes;
  const uint64_t word = words.At(0);
  const int step = 1 + static_cast<int>(word % (kWalk - 1));
  int place = static_cast<int>((word >> 32) % kWalk);
  std::array<std::array<std::byte, 8>, kWalk> encoded;
  for (int i = 0; i < kWalk; ++i) {
    const int value = i - static_cast<int>(kExactMagnitude);
    Store(encoded[i].data(), dtype, IsFloat(dtype) ? FloatScalar(value) : IntScalar(value));
  }
  const int64_t period = std::min<int64_t>(count, kWalk);
  for (int64_t k = 0; k < period; ++k) {
    std::memcpy(bytes + k * size, encoded[place].data(), size);
    place += step;
    if (place >= kWalk) place -= kWalk;
  }
  // Whole periods copied, twice as many each time.
  for (int64_t done = period * size; done < count * size; done *= 2) {
    std::memcpy(bytes + done, bytes, static_cast<size_t>(std::min(done, count * size - done)));
  }
}

// Hashed bits: an alternation would hide every shift by an even distance.
void FillBool(std::byte* bytes, int64_t count, const Words& words) {
  uint64_t word = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (k % 64 == 0) word = words.At(k / 64);
    bytes[k] = static_cast<std::byte>(word >> (k % 64) & 1);
  }
}

// One of the values that break careless arithmetic.
double SpecialValue(uint64_t word, DType dtype) {
  const DTypeRow& row = Row(dtype);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, 1 - row.digits), row.max_exponent);
  const double smallest = std::ldexp(1.0, row.min_exponent - row.digits + 1);
  const std::array<double, 8> values = {std::numeric_limits<double>::quiet_NaN(),
                                        kInfinity,
                                        -kInfinity,
                                        -0.0,
                                        0.0,
                                        smallest,
                                        -3 * smallest,
                                        largest};
  return values[word % values.size()];
}

// Multiples of 2^-18 with 0 < |value| <= 4 before rounding; one in eight special where asked for.
void FillBounded(std::byte* bytes, int64_t count, DType dtype, bool special, const Words& words) {
  const int size = Row(dtype).bytes;
  for (int64_t k = 0; k < count; ++k, bytes += size) {
    const uint64_t word = words.At(k);
    double value = static_cast<double>(1 + (word & 0xfffff)) / (1 << 18);
    if (word >> 63 != 0) value = -value;
    if (special && (word >> 32 & 7) == 0) value = SpecialValue(word >> 40 & 0xff, dtype);
    Store(bytes, dtype, FloatScalar(value));
  }
}

// `count` hash bytes, a function of their position from `begin` on, which is a multiple of 8.
void FillHash(std::byte* bytes, int64_t begin, int64_t count, const Words& words) {
  for (int64_t i = 0; i < count; i += 8) {
    const uint64_t word = words.At((begin + i) / 8);
    std::memcpy(bytes + i, &word, static_cast<size_t>(std::min<int64_t>(8, count - i)));
  }
}

const StorageData* FindData(const Case& c, std::string_view storage) {
  for (const StorageData& data : c.data) {
    if (data.storage == storage) return &data;
  }
  return nullptr;
}

StorageBytes BytesOf(const Case& c, const StorageInfo& storage) {
  static_assert(std::endian::native == std::endian::little);
  const DType dtype = c.graph.type(storage.inputs.front()).dtype;
  const int size = Row(dtype).bytes;
  const int64_t count = storage.bytes / size;
  StorageBytes bytes(static_cast<size_t>(storage.bytes + 2 * kGuardBytes));
  std::byte* start = bytes.data() + kGuardBytes;
  const Words guard(c.seed, storage.name, kGuardStream);
  const Words elements(c.seed, storage.name, kElementStream);
  FillHash(bytes.data(), -kGuardBytes, kGuardBytes, guard);
  if (dtype == DType::kBool) {
    FillBool(start, count, elements);
  } else if (IsFloat(dtype) && c.lane == Lane::kBounded) {
    FillBounded(start, count, dtype, c.special, elements);
  } else {
    FillWalk(start, count, dtype, elements);
  }
  if (const StorageData* data = FindData(c, storage.name)) {
    const auto given = std::min<int64_t>(count, static_cast<int64_t>(data->elements.size()));
    for (int64_t k = 0; k < given; ++k) Store(start + k * size, dtype, data->elements[k]);
  }
  // The guard behind starts with the last bytes that are no whole element; it is hashed from a
  // multiple of 8 on.
  const int64_t tail = count * size;
  std::array<std::byte, kGuardBytes + 24> behind;
  const int64_t aligned = tail / 8 * 8;
  const int64_t length = storage.bytes + kGuardBytes - tail;
  FillHash(behind.data(), aligned, tail - aligned + length, guard);
  std::memcpy(start + tail, behind.data() + (tail - aligned), static_cast<size_t>(length));
  return bytes;
}

}  // namespace

std::vector<StorageBytes> EntryBytes(const Case& c) {
  std::vector<StorageBytes> entry;
  for (const StorageInfo& storage : Storages(c.graph)) entry.push_back(BytesOf(c, storage));
  return entry;
}

}  // namespace seamfuzz
