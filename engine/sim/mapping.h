// How the instances of a loop fall on threads, and in which order a thread takes its own.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernel/program.h"

namespace seamfuzz {

// Instances that one thread (or the team that it leads) runs together: loads of all, then stores of
// all.
struct Unit {
  int thread = 0;  // the first thread of the team
  int step = 0;    // its place among the units of that thread
  std::vector<int32_t> instances;
};

// For each instance of the loop, by row-major number, the first thread of the team that runs it.
std::vector<int32_t> ThreadsOf(const Loop& loop, int threads);
// All units of the loop, by step, then thread.
std::vector<Unit> UnitsOf(const Loop& loop, int threads);

// The place of a thread inside its team for element `e` of the `count` that an instance combines:
// persistent teams take runs, others every team-th element.
inline int MemberOf(const Loop& loop, int64_t e, int64_t count) {
  if (loop.team == 1) return 0;
  if (loop.strategy != ReduceChoice::kPersistent) return static_cast<int>(e % loop.team);
  const int64_t run = (count + loop.team - 1) / loop.team;
  return static_cast<int>(e / run);
}

}  // namespace seamfuzz
