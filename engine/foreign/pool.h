// A pool of workers: requests from any number of threads, one worker each; the dead are replaced.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/foreign/protocol.h"
#include "engine/foreign/worker.h"

namespace seamfuzz {

// What a pool did so far.
struct PoolTotals {
  int64_t runs = 0;
  int64_t restarts = 0;       // workers replaced because they died, hung or talked nonsense
  double engine_seconds = 0;  // inside the compiler and the first execution, as the workers tell
  double busy_seconds = 0;    // workers' wall time between request and answer
};

class Pool {
 public:
  // `spec(i)` describes worker i of `size` (each may have a scratch folder of its own). A worker
  // that has answered `max_requests` is replaced by a fresh one. Nothing is started before the
  // first request.
  Pool(std::function<WorkerSpec(int)> spec, int size, int max_requests);

  // Runs one request in an idle worker, waiting for one. A worker that ends with it is replaced and
  // the request is tried once more in a fresh one (three more times after a SIGKILL that was not
  // ours); if that ends too, the outcome is a failure. Nonsense twice, or a worker that does not
  // start, is `cannot`: no bug of the compiler. Thread-safe.
  Outcome Run(WorkRequest request);

  // The engine's version, starting a worker if none runs; empty when none starts.
  std::string Version();
  PoolTotals Totals() const;
  // The process of a slot's worker, -1 where none runs: for tests that kill it.
  pid_t WorkerProcess(int slot) const;

 private:
  struct Slot {
    std::unique_ptr<Worker> worker;
    bool busy = false;
  };
  int Acquire();  // the slot, marked busy; prefers one whose worker runs
  void Release(int slot);
  Status EnsureStarted(int slot);

  std::function<WorkerSpec(int)> spec_;
  int max_requests_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<Slot> slots_;
  PoolTotals totals_;
  int64_t next_id_ = 1;
};

}  // namespace seamfuzz
