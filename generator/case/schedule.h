// Every choice an engine may make that must not change the answer (design 7). Keyed by value names;
// absent = default.
//   schedule T4.place=materialize T0.commit=deferred T5.reduce=shared_tree order=1,0 block=33
//   interleave=random:7
// Foreign lanes stand in `lane` lines as free NAME=VALUE pairs, validated by the engine that reads
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/ir/result.h"

namespace seamfuzz {

enum class PlaceChoice : uint8_t { kAuto, kInline, kMaterialize };
enum class CommitChoice : uint8_t { kAuto, kDirect, kDeferred, kSnapshot };
enum class ReduceChoice : uint8_t { kSerial, kWarpShuffle, kSharedTree, kTwoPass, kPersistent };
enum class EdgeChoice : uint8_t { kStore, kRecompute };
// How a loop's iterations fall on threads.
enum class MapChoice : uint8_t { kForward, kReversed, kBlocked, kVector2, kVector4, kVector8 };
enum class LoopChoice : uint8_t { kRowMajor, kColumnMajor };
// The order in which the simulator lets threads run between two barriers.
enum class Interleave : uint8_t {
  kForward,
  kReverse,
  kReadsFirst,
  kWritesFirst,
  kOneAhead,
  kRandom
};

// What is chosen for one value (`commit`: for the update of this input). Defaults are the first
// enumerators.
struct ValueChoice {
  PlaceChoice place = PlaceChoice::kAuto;
  CommitChoice commit = CommitChoice::kAuto;
  ReduceChoice reduce = ReduceChoice::kSerial;
  EdgeChoice edge = EdgeChoice::kStore;
  MapChoice map = MapChoice::kForward;
  LoopChoice loop = LoopChoice::kRowMajor;
  friend bool operator==(const ValueChoice&, const ValueChoice&) = default;
};

struct Schedule {
  std::map<std::string, ValueChoice, std::less<>>
      values;              // no entry equals ValueChoice{} (Normalize)
  std::vector<int> order;  // segments, most urgent first: the topological order takes the first
                           // ready one in this list; segments that are not listed follow by number
  std::vector<std::vector<int>>
      merge;          // groups of segments of one level that become one kernel: merge=0+1,3+4
  int block = 4;      // threads a block, 1 to 1024
  int grid = 0;       // blocks; 0: enough for one element a thread
  bool reuse = true;  // temporaries share memory by live range
  int streams = 1;    // 1 to 4; kernels without a path between them go to different streams
  Interleave interleave = Interleave::kForward;
  uint32_t interleave_seed = 0;  // kRandom: the seed; kOneAhead: the thread that runs ahead
  std::map<std::string, std::string, std::less<>> lanes;  // foreign engines
  friend bool operator==(const Schedule&, const Schedule&) = default;

  void Normalize();                                     // drops entries that equal the default
  const ValueChoice& of(std::string_view value) const;  // the default when there is no entry
};

// "T4.place=materialize ... block=33" without the word `schedule`; empty for the default.
// Canonical.
std::string ScheduleText(const Schedule& schedule);
// One KEY=VALUE pair into `schedule`. Rules: schedule_key, schedule_value.
Status SetScheduleKey(Schedule& schedule, std::string_view key, std::string_view value);

}  // namespace seamfuzz
