// Hands requests to workers and turns what comes back into outcomes.
#include "engine/foreign/pool.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace seamfuzz {
namespace {

constexpr int kTries = 2;
constexpr int kTriesAfterSigkill = 4;

Outcome Cannot(std::string text) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kCannot;
  outcome.text = std::move(text);
  return outcome;
}

// The outcome of a request whose last worker ended with it.
Outcome OutcomeOf(const Reply& reply) {
  if (reply.kind == Reply::Kind::kNonsense)
    return Cannot(fmt::format("engine broken: {}", reply.text));
  Outcome outcome;
  outcome.kind = OutcomeKind::kFailure;
  outcome.text = reply.text;
  switch (reply.kind) {
    case Reply::Kind::kTimeout:
      outcome.failure = FailureKind::kTimeout;
      break;
    case Reply::Kind::kMemory:
      outcome.failure = FailureKind::kMemory;
      break;
    default:
      // The kernel ends what takes too much memory by SIGKILL.
      outcome.failure = reply.killed ? FailureKind::kMemory : FailureKind::kCrash;
  }
  return outcome;
}

}  // namespace

Pool::Pool(std::function<WorkerSpec(int)> spec, int size, int max_requests)
    : spec_(std::move(spec)), max_requests_(max_requests), slots_(static_cast<size_t>(size)) {}

int Pool::Acquire() {
  std::unique_lock lock(mutex_);
  for (;;) {
    int best = -1;
    for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
      if (slots_[i].busy) continue;
      if (best < 0 || (slots_[i].worker && !slots_[best].worker)) best = i;
    }
    if (best >= 0) {
      slots_[best].busy = true;
      return best;
    }
    idle_.wait(lock);
  }
}

void Pool::Release(int slot) {
  {
    std::lock_guard lock(mutex_);
    slots_[slot].busy = false;
  }
  idle_.notify_one();
}

Status Pool::EnsureStarted(int slot) {
  std::unique_ptr<Worker>& worker = slots_[slot].worker;  // ours while the slot is busy
  if (worker && worker->pid() > 0 && worker->requests() < max_requests_) return Done{};
  worker.reset();
  Result<std::unique_ptr<Worker>> started = Worker::Start(spec_(slot));
  if (!started.ok() && started.error().rule == "worker_start") started = Worker::Start(spec_(slot));
  if (!started.ok()) return started.error();
  worker = std::move(*started);
  return Done{};
}

Outcome Pool::Run(WorkRequest request) {
  const int slot = Acquire();
  {
    std::lock_guard lock(mutex_);
    request.id = next_id_++;
    ++totals_.runs;
  }
  const Message message = EncodeRequest(request);
  Outcome outcome;
  for (int tries = 1;; ++tries) {
    if (Status started = EnsureStarted(slot); !started.ok()) {
      outcome = Cannot(fmt::format("no worker starts: {}", started.error().message));
      break;
    }
    Worker& worker = *slots_[slot].worker;
    const auto start = std::chrono::steady_clock::now();
    Reply reply = worker.Ask(message, AnswerLimits(request));
    const double busy =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double seconds = 0;
    if (reply.kind == Reply::Kind::kMessage) {
      Result<WorkAnswer> answer = DecodeAnswer(reply.message, request);
      if (answer.ok()) {
        outcome = std::move(answer->outcome);
        seconds = answer->seconds;
      } else {
        reply.kind = Reply::Kind::kNonsense;
        reply.text = answer.error().message;
      }
    }
    const bool answered = reply.kind == Reply::Kind::kMessage;
    if (!answered) slots_[slot].worker.reset();
    {
      std::lock_guard lock(mutex_);
      totals_.busy_seconds += busy;
      totals_.engine_seconds += seconds;
      totals_.restarts += !answered;
    }
    if (answered) break;
    if (tries >= (reply.killed ? kTriesAfterSigkill : kTries)) {
      outcome = OutcomeOf(reply);
      break;
    }
  }
  Release(slot);
  return outcome;
}

std::string Pool::Version() {
  const int slot = Acquire();
  const std::string version = EnsureStarted(slot).ok() ? slots_[slot].worker->hello().version : "";
  Release(slot);
  return version;
}

pid_t Pool::WorkerProcess(int slot) const {
  std::lock_guard lock(mutex_);
  return slots_[slot].worker ? slots_[slot].worker->pid() : -1;
}

PoolTotals Pool::Totals() const {
  std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace seamfuzz
