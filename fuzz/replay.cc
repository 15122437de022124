// See replay.h.
#include "fuzz/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/evaluate.h"

namespace seamfuzz {
namespace {

constexpr std::string_view kOurs = "sim";

// What is to be run for one expectation or report.
struct Task {
  std::vector<std::string> faults;
  Mode mode;
  std::optional<VerdictKind> expected;
};

void AddModes(std::vector<Task>& tasks, const std::vector<std::string>& faults,
              const Expectation& expectation) {
  for (Mode mode : kModes) {
    if (expectation.mode && *expectation.mode != mode) continue;
    tasks.push_back({faults, mode, expectation.verdict});
  }
}

// Why the expectation cannot run on this engine; empty when it can.
std::string WhySkipped(const EngineArguments& arguments, const Expectation& expectation) {
  if (!expectation.engine.empty() && expectation.engine != arguments.engine) {
    return fmt::format("expects something of engine {}", expectation.engine);
  }
  if (!expectation.version.empty()) {
    return fmt::format("expects something of version {}", expectation.version);
  }
  if (!expectation.fault.empty() && arguments.engine != kOurs) {
    return fmt::format("fault {} is one of engine {}", expectation.fault, kOurs);
  }
  return {};
}

std::vector<Task> TasksWithFaults(const EngineArguments& arguments, const Case& c) {
  std::vector<Task> tasks;
  for (const Expectation& expectation : c.expectations) {
    if (arguments.faults == std::vector{expectation.fault} &&
        WhySkipped(arguments, expectation).empty()) {
      AddModes(tasks, arguments.faults, expectation);
    }
  }
  if (!tasks.empty()) return tasks;
  for (Mode mode : kModes) tasks.push_back({arguments.faults, mode, std::nullopt});
  return tasks;
}

std::vector<Task> AllTasks(const EngineArguments& arguments, const Case& c,
                           std::vector<std::string>& skipped) {
  std::vector<Task> tasks;
  std::vector<Expectation> expectations = c.expectations;
  if (expectations.empty()) expectations.emplace_back();
  for (const Expectation& expectation : expectations) {
    if (std::string why = WhySkipped(arguments, expectation); !why.empty()) {
      skipped.push_back(std::move(why));
      continue;
    }
    std::vector<std::string> faults;
    if (!expectation.fault.empty()) faults.push_back(expectation.fault);
    AddModes(tasks, faults, expectation);
  }
  return tasks;
}

}  // namespace

bool ReplayedCase::AsExpected() const {
  return std::all_of(modes.begin(), modes.end(),
                     [](const ReplayedMode& mode) { return mode.as_expected; });
}

bool ReplayedCase::Ran() const {
  return std::any_of(modes.begin(), modes.end(), [](const ReplayedMode& mode) {
    return mode.verdict.kind != VerdictKind::kCannot;
  });
}

Result<ReplayedCase> Replay(const EngineArguments& arguments, const Case& c) {
  ReplayedCase replayed;
  const std::vector<Task> tasks = arguments.faults.empty()
                                      ? AllTasks(arguments, c, replayed.skipped)
                                      : TasksWithFaults(arguments, c);
  for (const Task& task : tasks) {
    Result<std::unique_ptr<Engine>> engine =
        MakeEngine(arguments.engine, EngineOptions{.faults = task.faults});
    if (!engine.ok()) return engine.error();
    if ((*engine)->WhyNot(c).empty()) {
      if (const Judge judge(c); !judge.status().ok()) return judge.status().error();
    }
    ReplayedMode mode{.faults = task.faults,
                      .verdict = Evaluate(**engine, c, task.mode).verdict,
                      .expected = task.expected};
    if (mode.verdict.kind == VerdictKind::kCannot && task.expected != VerdictKind::kCannot) {
      replayed.skipped.push_back(mode.verdict.text);
    } else {
      mode.as_expected = task.expected ? mode.verdict.kind == *task.expected : !mode.verdict.bad();
    }
    replayed.modes.push_back(std::move(mode));
  }
  return replayed;
}

}  // namespace seamfuzz
