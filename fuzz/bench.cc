// See bench.h.
#include "fuzz/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/kernel/planner.h"
#include "engine/sim/sim.h"
#include "fuzz/evaluate.h"
#include "generator/draw/draw.h"

namespace seamfuzz {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Slices of one measurement; the median of them is what counts, so that a busy moment of the
// machine does not.
constexpr int kSlices = 5;
// Shares of the time for cases, graphs and stages.
constexpr double kCaseShare = 0.5, kGraphShare = 0.2, kStageShare = 0.3;
// Work between two looks at the clock.
constexpr int kBatch = 32;

template <typename T>
T Median(std::vector<T> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How often `work(index)` runs in a second: the median over the slices.
template <typename Work>
double Rate(double seconds, Work work) {
  std::vector<double> rates;
  uint64_t index = 0;
  for (int slice = 0; slice < kSlices; ++slice) {
    const Clock::time_point start = Clock::now();
    int64_t done = 0;
    double passed = 0;
    while (passed < seconds / kSlices) {
      for (int i = 0; i < kBatch; ++i) work(index++);
      done += kBatch;
      passed = SecondsSince(start);
    }
    rates.push_back(static_cast<double>(done) / passed);
  }
  return Median(rates);
}

// Where the time of a whole differential case goes: every moment of it falls in one stage, so that
// the stages add up to the case.
enum Stage { kDraw, kReference, kPlan, kSimulate, kCompare, kStageCount };
constexpr std::string_view kStageNames[kStageCount] = {"draw", "entry bytes, reference of call 1",
                                                       "plan", "simulate, both calls",
                                                       "compare, with the reference of call 2"};

std::vector<BenchStage> MeasureStages(Engine& engine, uint64_t seed, double seconds) {
  std::array<double, kStageCount> spent = {};
  Clock::time_point lap = Clock::now();
  const auto add = [&](Stage stage) {
    const Clock::time_point now = Clock::now();
    spent[stage] += std::chrono::duration<double>(now - lap).count();
    lap = now;
  };
  int64_t cases = 0;
  const Clock::time_point start = Clock::now();
  for (uint64_t index = 0; SecondsSince(start) < seconds; ++index, ++cases) {
    lap = Clock::now();
    const Case c = DrawCase(seed, index, DrawConfig{});
    add(kDraw);
    // The engine plans by itself: this second time tells its share and is taken off below.
    for (Mode mode : kModes) PlanProgram(c, mode);
    add(kPlan);
    Judge judge(c);
    add(kReference);
    for (Mode mode : kModes) {
      const Outcome outcome = engine.Run(c, mode);
      add(kSimulate);
      if (judge.status().ok()) judge.Of(mode, outcome);
      add(kCompare);
    }
  }
  spent[kSimulate] = std::max(0.0, spent[kSimulate] - spent[kPlan]);
  std::vector<BenchStage> stages;
  for (int stage = 0; stage < kStageCount; ++stage) {
    stages.push_back({kStageNames[stage],
                      1e6 * spent[stage] / static_cast<double>(std::max<int64_t>(1, cases))});
  }
  return stages;
}

}  // namespace

BenchReport RunBench(uint64_t seed, double seconds) {
  const std::unique_ptr<Engine> engine = MakeSimEngine();
  BenchReport report;
  std::vector<int64_t> ops, elements;
  int64_t exact = 0, cut = 0;
  const DrawConfig config;
  report.cases_per_second = Rate(seconds * kCaseShare, [&](uint64_t index) {
    const Case c = DrawCase(seed, index, config);
    RunDifferential(*engine, c);
    int64_t computed = 0;
    bool has_cut = false;
    for (const Node& node : c.graph.nodes()) {
      has_cut |= node.op == SegmentSetOp();
      computed += node.op != SegmentSetOp() && node.op != InputOp();
      elements.push_back(NumElements(node.type.shape));
    }
    ops.push_back(computed);
    exact += c.lane == Lane::kExact;
    cut += has_cut;
  });
  report.cases = static_cast<int64_t>(ops.size());
  report.exact_share = static_cast<double>(exact) / static_cast<double>(report.cases);
  report.cut_share = static_cast<double>(cut) / static_cast<double>(report.cases);
  report.median_ops = Median(std::move(ops));
  report.median_elements = Median(std::move(elements));
  report.graphs_per_second = Rate(seconds * kGraphShare, [&](uint64_t index) {
    Choices choices(seed, index);
    DrawGraph(choices, config);
  });
  report.stages = MeasureStages(*engine, seed, seconds * kStageShare);
  return report;
}

std::string Text(const BenchReport& report) {
  std::string text = fmt::format(
      "one core, {} cases of the campaign's own distribution: median {} ops, {} elements a "
      "tensor;\n"
      "  {:.0f} % in the exact lane, {:.0f} % with cuts; both modes, both calls, one drawn order a "
      "mode\n",
      report.cases, report.median_ops, report.median_elements, 100 * report.exact_share,
      100 * report.cut_share);
  text += fmt::format("cases/s   {:>9.0f}   target {:>7.0f}\n", report.cases_per_second,
                      kCasesPerSecondWanted);
  text += fmt::format("graphs/s  {:>9.0f}   target {:>7.0f}   (generated and typed)\n",
                      report.graphs_per_second, kGraphsPerSecondWanted);
  double sum = 0;
  for (const BenchStage& stage : report.stages) sum += stage.microseconds;
  text += "where the time of a case goes:\n";
  for (const BenchStage& stage : report.stages) {
    text += fmt::format("  {:<38} {:>8.1f} us {:>5.1f} %\n", stage.name, stage.microseconds,
                        sum > 0 ? 100 * stage.microseconds / sum : 0);
  }
  text += fmt::format("  {:<38} {:>8.1f} us\n", "sum", sum);
  return text;
}

std::string Json(const BenchReport& report) {
  nlohmann::ordered_json json = {{"cases", report.cases},
                                 {"cases_per_second", report.cases_per_second},
                                 {"cases_per_second_target", kCasesPerSecondWanted},
                                 {"graphs_per_second", report.graphs_per_second},
                                 {"graphs_per_second_target", kGraphsPerSecondWanted},
                                 {"median_ops", report.median_ops},
                                 {"median_elements", report.median_elements},
                                 {"exact_share", report.exact_share},
                                 {"cut_share", report.cut_share},
                                 {"microseconds", nlohmann::ordered_json::object()}};
  for (const BenchStage& stage : report.stages) {
    json["microseconds"][std::string(stage.name)] = stage.microseconds;
  }
  return json.dump(2) + "\n";
}

}  // namespace seamfuzz
