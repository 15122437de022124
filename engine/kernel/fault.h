// The planted bugs of our own engine: one row each, one small hook each, off unless asked for by
// name.
#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string_view>

#include "generator/case/hazard_class.h"

namespace seamfuzz {

enum class Fault : uint8_t {
  kEarlyStore,
  kBroadcastWar,
  kInKernelWar,
  kReductionWar,
  kDuplicateScatter,
  kNarrowForward,
  kWarOrder,
  kNoCycleTemp,
  kSameTensorTwice,
  kOverlapBlind,
  kScatterIntoExpanded,
  kContiguousTarget,
  kDropSnapshot,
  kScatterInPlace,
  kReuseLiveBuffer,
  kOutputsShareBuffer,
  kLostCopySegment,
  kPhantomWrite,
  kOutputIsTarget,
  kStaleSnapshot,
  kNarrowEdge,
  kWrongRounding,
  kDroppedElement,
  kTruncatingCast,
};
inline constexpr int kFaultCount = 24;
using Faults = std::bitset<kFaultCount>;

struct FaultRow {
  Fault id;
  std::string_view name;    // "war-order"
  HazardClasses classes;    // what a finding of it may be attributed to; read by fuzz/score and the
                            // command line only
  std::string_view breaks;  // one line
  std::string_view modelled_on;  // link of a public report, or empty
};
std::span<const FaultRow> FaultRows();
std::optional<Fault> FindFault(std::string_view name);

}  // namespace seamfuzz
