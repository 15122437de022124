// One worker process as the coordinator sees it: started by fork, asked over a pipe, its stderr
// kept for the last words.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "fuzz/message.h"
#include "fuzz/worker.h"

namespace seamfuzz {

class WorkerProcess {
 public:
  // Forks; the child serves requests and never returns. `place` is in shared memory. The calling
  // process must have one thread. Other workers' descriptors are closed in the child by
  // `close_others`, so that an end of stream is seen.
  WorkerProcess(const CampaignConfig& config, WorkerPlace& place,
                const std::function<void()>& close_others);
  ~WorkerProcess();  // ends the child
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  bool Send(const Request& request);
  std::optional<std::string> Receive();  // blocks; nullopt when the child is gone
  void DrainErrors();                    // keeps the last of what it wrote to stderr
  // Waits for a child that is gone (kill it first when it is only silent) and says how it ended.
  std::string Death();
  void Kill();
  void CloseInChild() const;

  int answers() const { return answers_; }  // to poll
  int errors() const { return errors_; }
  const std::optional<Request>& request() const { return request_; }  // being worked on
  void Finish() { request_.reset(); }
  const WorkerPlace& place() const { return place_; }

 private:
  WorkerPlace& place_;
  pid_t child_ = -1;
  int requests_ = -1, answers_ = -1, errors_ = -1;
  std::optional<Request> request_;
  std::string last_words_;
};

}  // namespace seamfuzz
