// See replay.h.
#include "fuzz/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/evaluate.h"

namespace seamfuzz {
namespace {

// What is to be run for one expectation or report.
struct Task {
  std::vector<std::string> faults;
  Mode mode;
  std::optional<VerdictKind> expected;
};

std::vector<Mode> ModesOf(const Expectation& expectation) {
  if (expectation.mode) return {*expectation.mode};
  return {std::begin(kModes), std::end(kModes)};
}

// Why the expectation cannot run on this engine; empty when it can.
std::string WhySkipped(const EngineArguments& arguments, const Expectation& expectation) {
  if (!expectation.engine.empty() && expectation.engine != arguments.engine) {
    return fmt::format("expects something of engine {}", expectation.engine);
  }
  if (!expectation.version.empty() && expectation.version != VersionOfEngine(arguments.engine)) {
    return fmt::format("expects something of {} {}", arguments.engine, expectation.version);
  }
  if (!expectation.fault.empty() && arguments.engine != kOurEngine) {
    return fmt::format("fault {} is one of engine {}", expectation.fault, kOurEngine);
  }
  return {};
}

std::vector<Task> TasksWithFaults(const EngineArguments& arguments, const Case& c) {
  std::vector<Task> tasks;
  for (const Expectation& expectation : c.expectations) {
    if (arguments.faults == std::vector{expectation.fault} &&
        WhySkipped(arguments, expectation).empty()) {
      for (Mode mode : ModesOf(expectation)) {
        tasks.push_back({arguments.faults, mode, expectation.verdict});
      }
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
  // A line for this very engine says more of a mode than one for any engine.
  const auto has_own = [&](Mode mode) {
    return std::any_of(expectations.begin(), expectations.end(), [&](const Expectation& e) {
      return e.engine == arguments.engine && (!e.mode || *e.mode == mode) &&
             WhySkipped(arguments, e).empty();
    });
  };
  for (const Expectation& expectation : expectations) {
    if (std::string why = WhySkipped(arguments, expectation); !why.empty()) {
      skipped.push_back(std::move(why));
      continue;
    }
    std::vector<std::string> faults;
    if (!expectation.fault.empty()) faults.push_back(expectation.fault);
    for (Mode mode : ModesOf(expectation)) {
      if (expectation.engine.empty() && faults.empty() && has_own(mode)) continue;
      tasks.push_back({faults, mode, expectation.verdict});
    }
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

Result<Engine*> Replayer::EngineWith(const std::vector<std::string>& faults) {
  std::unique_ptr<Engine>& known = engines_[faults];
  if (known == nullptr) {
    Result<std::unique_ptr<Engine>> made =
        MakeEngine(arguments_.engine, EngineOptions{.faults = faults});
    if (!made.ok()) return made.error();
    known = *std::move(made);
  }
  return known.get();
}

Result<ReplayedCase> Replayer::Run(const Case& c) {
  ReplayedCase replayed;
  const std::vector<Task> tasks = arguments_.faults.empty()
                                      ? AllTasks(arguments_, c, replayed.skipped)
                                      : TasksWithFaults(arguments_, c);
  for (const Task& task : tasks) {
    const Result<Engine*> engine = EngineWith(task.faults);
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
