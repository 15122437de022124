// See statistics.h.
#include "fuzz/statistics.h"

#include <algorithm>

namespace seamfuzz {

void Statistics::Count(const Case& c, const Differential& result) {
  ++cases;
  for (const Verdict& verdict : result.verdicts) ++verdicts[static_cast<int>(verdict.kind)];
  tallies[static_cast<int>(c.lane)].Add(result.tally);
  ops.resize(OpRows().size());
  bool cut = false;
  for (const Node& node : c.graph.nodes()) {
    ++ops[node.op];
    cut |= node.op == SegmentSetOp();
  }
  if (!cut) return;
  ++cut_cases;
  more_kernels += result.kernels[static_cast<int>(Mode::kSegmented)] >
                  result.kernels[static_cast<int>(Mode::kMonolithic)];
}

void Statistics::MoveToDocumented(VerdictKind counted) {
  --verdicts[static_cast<int>(counted)];
  ++verdicts[static_cast<int>(VerdictKind::kDocumented)];
}

void Statistics::CountTimes(const EngineTimes& before, const EngineTimes& after) {
  times.runs += after.runs - before.runs;
  times.busy_seconds += after.busy_seconds - before.busy_seconds;
  times.compiler_seconds += after.compiler_seconds - before.compiler_seconds;
}

void Statistics::Add(const Statistics& other) {
  cases += other.cases;
  for (int v = 0; v < kVerdictCount; ++v) verdicts[v] += other.verdicts[v];
  for (int lane = 0; lane < kLaneCount; ++lane) tallies[lane].Add(other.tallies[lane]);
  ops.resize(std::max(ops.size(), other.ops.size()));
  for (size_t op = 0; op < other.ops.size(); ++op) ops[op] += other.ops[op];
  cut_cases += other.cut_cases;
  more_kernels += other.more_kernels;
  CountTimes({}, other.times);
  for (const auto& [runs, count] : other.cause_runs) cause_runs[runs] += count;
}

}  // namespace seamfuzz
