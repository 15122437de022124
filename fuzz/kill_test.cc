// Workers that are killed by force all the time: nothing is lost, nothing is made up.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "engine/foreign/foreign_engine.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

// The example worker, with `from` in its program replaced by `to`.
std::unique_ptr<ForeignEngine> Example(const std::string& from, const std::string& to) {
  static const ForeignRow kRow = {
      .name = "example", .dialect = &kTorchDialect, .uncompiled = false};
  return std::make_unique<ForeignEngine>(
      kRow,
      [from, to](int) {
        WorkerSpec spec;
        spec.command = {"/usr/bin/env", "python3", "-ISc",
                        fmt::format("exec(open('{}/engine/foreign/example_worker.py').read()"
                                    ".replace('{}', '{}'))",
                                    SEAMFUZZ_SOURCE_DIR, from, to)};
        return spec;
      },
      1);
}

// Kills the engine's worker with SIGKILL, again and again, while it lives.
class Killer {
 public:
  Killer(ForeignEngine& engine, std::chrono::milliseconds every)
      : thread_([this, &engine, every] {
          while (!stop_) {
            const pid_t worker = engine.pool().WorkerProcess(0);
            if (worker > 0) kill(worker, SIGKILL);
            std::this_thread::sleep_for(every);
          }
        }) {}
  ~Killer() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// The distinct findings of a fixed number of cases, and what could not be judged.
std::multiset<std::string> Campaign(Engine& engine) {
  std::multiset<std::string> seen;
  for (int n = 1; n <= 120; ++n) {
    const Case c = CaseFrom(fmt::format(
        "graph {{\n T0 = input i32[{}]\n T1 = relu(T0)\n T2 = segment_set(T1)\n T3 = add(T2, T0)\n "
        "T0 <- T1\n output T3\n}}\nvalues exact seed {}\n",
        1 + n % 5, n));
    for (const Mode mode : kModes) {
      if (const std::optional<Divergence> d = Diverge(engine, c, mode)) {
        seen.insert(d->signature.Text());
      }
    }
  }
  return seen;
}

TEST(KilledWorkers, LoseNoFindingAndMakeNone) {
  const auto engine = Example("max(a, 0)", "max(a, 1)");
  const std::multiset<std::string> undisturbed = Campaign(*engine);
  ASSERT_FALSE(undisturbed.empty());
  const Killer killer(*engine, std::chrono::milliseconds(700));
  EXPECT_EQ(Campaign(*engine), undisturbed);
  EXPECT_GT(engine->pool().Totals().restarts, 0);
}

TEST(KilledWorkers, OfASoundEngineFindNothing) {
  const auto engine = Example("", "");
  const Killer killer(*engine, std::chrono::milliseconds(700));
  EXPECT_TRUE(Campaign(*engine).empty());
}

}  // namespace
}  // namespace seamfuzz
