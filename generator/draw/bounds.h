// Static bounds of what a value may hold, over both calls: they keep the exact lane exact and the
// bounded lane in domain.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "generator/case/case.h"
#include "generator/ir/graph.h"

namespace seamfuzz {

// Every element lies in [low, high].
struct Range {
  double low = 0;
  double high = 0;
  double Magnitude() const { return std::max(std::abs(low), std::abs(high)); }
  bool Within(const Range& outer) const { return low >= outer.low && high <= outer.high; }
  friend bool operator==(const Range&, const Range&) = default;
};
inline Range Around(double magnitude) { return {-magnitude, magnitude}; }

// What is known of a value: in the first call, where every input holds its entry values, and in any
// call, where an updated input holds what its update wrote (UpdateRange).
struct Facts {
  Range first;
  Range any;
};

// What entry values lie in, as generator/case/values.h makes them.
Range EntryRange(DType dtype, Lane lane);
// What the value of an update must lie in in the first call, and what its target is taken to hold
// in any call. It leaves room for one multiplication and a small sum in the dtype's significand.
Range UpdateRange(DType dtype, Lane lane);

// Narrower and narrower ranges for the operands of an op that ResultRange forbids: step 0, 1, ...
// below kTameSteps. In the bounded lane they stay a quarter away from the ends of the row's domain
// and turn positive (log, rsqrt).
inline constexpr int kTameSteps = 4;
Range TameRange(const OpRow& row, Lane lane, int step);

// One op that is about to be added.
struct OpUse {
  const OpRow& row;
  OpDTypes dtypes;
  std::span<const DType> operand_dtypes;
  const Attrs& attrs;
  int64_t combined =
      1;  // elements that make one element of the result: reduced, scanned or contracted
};

// What the result lies in; nullopt where the lane forbids the op on such operands. Exact: some
// permitted evaluation could round, or the op keeps no integers. Bounded: an operand may leave the
// op's domain, or the result grows so large that later ops overflow.
std::optional<Range> ResultRange(const OpUse& use, std::span<const Range> operands, Lane lane);

}  // namespace seamfuzz
