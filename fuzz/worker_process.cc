// See worker_process.h.
#include "fuzz/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "fuzz/isolated_engine.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

constexpr size_t kLastWords = 4096;

int WaitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

WorkerProcess::WorkerProcess(const CampaignConfig& config, WorkerPlace& place,
                             const std::function<void()>& close_others)
    : place_(place) {
  int requests[2], answers[2], errors[2];
  CHECK(pipe(requests) == 0 && pipe(answers) == 0 && pipe(errors) == 0);
  place_.started_ms = 0;
  child_ = fork();
  CHECK(child_ >= 0);
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_others();
    close(requests[1]);
    close(answers[0]);
    close(errors[0]);
    dup2(errors[1], STDERR_FILENO);
    close(errors[1]);
    _exit(ServeRequests(config, requests[0], answers[1], place_));
  }
  close(requests[0]);
  close(answers[1]);
  close(errors[1]);
  requests_ = requests[1];
  answers_ = answers[0];
  errors_ = errors[0];
  fcntl(errors_, F_SETFL, O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
  CloseInChild();
  if (child_ > 0) {
    kill(child_, SIGKILL);
    WaitFor(child_);
  }
}

void WorkerProcess::CloseInChild() const {
  for (int descriptor : {requests_, answers_, errors_}) close(descriptor);
}

bool WorkerProcess::Send(const Request& request) {
  request_ = request;
  return SendFrame(requests_, Encode(request));
}

std::optional<std::string> WorkerProcess::Receive() { return ReceiveFrame(answers_); }

void WorkerProcess::DrainErrors() {
  char buffer[kLastWords];
  ssize_t got = 0;
  while ((got = read(errors_, buffer, sizeof(buffer))) > 0) {
    last_words_.append(buffer, static_cast<size_t>(got));
    if (last_words_.size() > kLastWords) {
      last_words_.erase(0, last_words_.size() - kLastWords);
    }
  }
}

void WorkerProcess::Kill() { kill(child_, SIGKILL); }

std::string WorkerProcess::Death() {
  const int status = WaitFor(child_);
  child_ = -1;
  DrainErrors();
  return DeathText(WIFSIGNALED(status) ? WTERMSIG(status) : 0, last_words_);
}

}  // namespace seamfuzz
