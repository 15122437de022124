// The work of a campaign's worker process: run blocks of cases, find causes, minimize. Everything
// here is a function of the campaign's configuration and the request, so that any worker gives the
// same answer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "engine/engine.h"
#include "fuzz/command.h"
#include "fuzz/documented.h"
#include "fuzz/known_causes.h"
#include "fuzz/message.h"
#include "generator/draw/draw.h"

namespace seamfuzz {

// What every worker knows before the first request.
struct CampaignConfig {
  EngineArguments engine;
  DrawConfig draw;
  bool documented = true;  // what the compiler's authors have documented is counted only
  uint64_t seed = 1;
  // Cases handed out at a time, so that a worker of a fast engine is busy for some 20 ms and the
  // coordinator never is the bottleneck.
  uint64_t block = 128;
  // Minimized divergences of one ENGINE.KIND.CLASS; further patterns are only counted (design 9).
  int minimizations = 16;
  // A worker that is silent for so long over one case hangs; foreign engines keep deadlines of
  // their own, and this is beyond them.
  int64_t case_milliseconds = 60'000;
  int64_t minimize_milliseconds = 600'000;
  std::chrono::seconds minimize_limit = std::chrono::hours(24);  // see MinimizeOptions
};

// Where a worker is, in memory that the coordinator shares: read when the worker dies or is silent.
struct WorkerPlace {
  std::atomic<uint64_t> index{0};      // the case
  std::atomic<int64_t> started_ms{0};  // steady clock; 0 between requests
};

// What a worker keeps between requests. `known` saves runs of engines whose runs are dear; among
// several causes that would all do it prefers the one seen before.
struct WorkerMemory {
  Documented documented;
  KnownCauses known;
};

BlockAnswer RunBlock(const CampaignConfig& config, Engine& engine, uint64_t first, uint64_t count,
                     WorkerPlace& place, WorkerMemory& memory);
MinimizeAnswer RunMinimize(const CampaignConfig& config, Engine& engine, const Request& request,
                           WorkerPlace& place, const WorkerMemory& memory);

// Answers requests until the stream ends. Returns the exit status of the process.
int ServeRequests(const CampaignConfig& config, int requests, int answers, WorkerPlace& place);

int64_t SteadyMilliseconds();

}  // namespace seamfuzz
