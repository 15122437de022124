// One worker: a child process in a group of its own that answers one request at a time, under a
// deadline and a memory limit.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/foreign/protocol.h"
#include "generator/ir/result.h"

namespace seamfuzz {

struct WorkerSpec {
  std::vector<std::string> command;                              // absolute program and arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's own
  std::chrono::milliseconds start_limit{600'000};                // until the hello
  std::chrono::milliseconds request_limit{120'000};
  int64_t memory_limit = int64_t{8} << 30;  // resident bytes of the process group
};

// What came of waiting for a message.
struct Reply {
  enum class Kind : uint8_t {
    kMessage,   // `message` is complete (its header is still unread)
    kDied,      // the process ended: `text` says how, `killed` whether by somebody's SIGKILL
    kTimeout,   // killed at the deadline
    kMemory,    // killed over the memory limit
    kNonsense,  // no message of the protocol: `text` says why
  };
  Kind kind = Kind::kMessage;
  Message message;
  std::string text;  // with the end of the worker's standard error
  bool killed = false;
};

class Worker {
 public:
  // Spawns and waits for the hello. Rules: spawn, worker_start (died, slow, or nonsense), absent.
  static Result<std::unique_ptr<Worker>> Start(const WorkerSpec& spec);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  // kills the whole group

  // Sends one message and waits for one. After any reply but kMessage the worker is dead.
  Reply Ask(const Message& request, std::vector<int64_t> frame_limits);
  const Hello& hello() const { return hello_; }
  pid_t pid() const { return pid_; }
  int requests() const { return requests_; }  // answered so far

 private:
  explicit Worker(const WorkerSpec& spec) : spec_(spec) {}
  Status Spawn();
  Reply Exchange(const std::vector<std::byte>& request, std::vector<int64_t> frame_limits,
                 std::chrono::milliseconds limit);
  void ReadErrors();              // what there is, without waiting
  int64_t ResidentBytes() const;  // of the process group
  int Kill();  // the group; the wait status if the process had ended by itself before
  Reply End(Reply::Kind kind, std::string text);  // kills, reaps, and tells
  std::string Errors() const;  // the end of standard error, as a sentence; empty for none

  WorkerSpec spec_;
  Hello hello_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1, errors_ = -1;
  std::string error_tail_;
  int requests_ = 0;
};

}  // namespace seamfuzz
