// Child processes: spawn, exchange under poll(2), limits, and a full account of how one ended.
#include "engine/foreign/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

extern char** environ;

namespace seamfuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kErrorTailBytes = 8192;
// No wait status: the process was alive until we killed it.
constexpr int kKilledByUs = -1;
// How often memory is looked at while a worker works.
constexpr std::chrono::milliseconds kMemoryInterval{250};

void Close(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// The words of a wait status.
std::string HowItEnded(int status) {
  if (WIFEXITED(status)) return fmt::format("exited with status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("ended by signal {} ({})", signal, strsignal(signal));
}

std::vector<std::string> MergedEnvironment(const WorkerSpec& spec) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : spec.environment) replaced |= key == name;
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [key, value] : spec.environment) merged.push_back(key + "=" + value);
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::Start(const WorkerSpec& spec) {
  std::unique_ptr<Worker> worker(new Worker(spec));
  if (Status spawned = worker->Spawn(); !spawned.ok()) return spawned.error();
  Reply reply = worker->Exchange({}, {}, spec.start_limit);
  if (reply.kind != Reply::Kind::kMessage)
    return Error{.rule = "worker_start", .message = reply.text};
  Result<Hello> hello = DecodeHello(reply.message);
  if (!hello.ok()) return Error{.rule = "worker_start", .message = hello.error().message};
  if (!hello->absent.empty()) return Error{.rule = "absent", .message = hello->absent};
  worker->hello_ = std::move(*hello);
  return worker;
}

Worker::~Worker() {
  if (pid_ > 0) Kill();
  Close(to_);
  Close(from_);
  Close(errors_);
}

Status Worker::Spawn() {
  // A socket toward the child: writing to a dead one must be an error and no SIGPIPE.
  std::array<int, 2> to{-1, -1}, from{-1, -1}, errors{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to.data()) != 0 ||
      pipe2(from.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0) {
    for (auto* pair : {&to, &from, &errors}) {
      Close((*pair)[0]);
      Close((*pair)[1]);
    }
    return Error{.rule = "spawn",
                 .message = fmt::format("no pipe for a worker: {}", strerror(errno))};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[1], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: compilers start compilers, and Ctrl-C is for the parent to handle.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::vector<std::string> command = spec_.command, environment = MergedEnvironment(spec_);
  std::vector<char*> argv = Pointers(command), envp = Pointers(environment);
  const int error = posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  Close(to[1]);
  Close(from[1]);
  Close(errors[1]);
  to_ = to[0];
  from_ = from[0];
  errors_ = errors[0];
  if (error != 0) {
    pid_ = -1;
    return Error{.rule = "spawn",
                 .message = fmt::format("cannot start {}: {}", spec_.command[0], strerror(error))};
  }
  for (int fd : {to_, from_, errors_}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return Done{};
}

Reply Worker::Ask(const Message& request, std::vector<int64_t> frame_limits) {
  if (pid_ <= 0) return {.kind = Reply::Kind::kDied, .message = {}, .text = "the worker is gone"};
  Reply reply = Exchange(Encode(request), std::move(frame_limits), spec_.request_limit);
  requests_ += reply.kind == Reply::Kind::kMessage;
  return reply;
}

Reply Worker::Exchange(const std::vector<std::byte>& request, std::vector<int64_t> frame_limits,
                       std::chrono::milliseconds limit) {
  MessageReader reader(std::move(frame_limits));
  const Clock::time_point deadline = Clock::now() + limit;
  Clock::time_point next_look = Clock::now() + kMemoryInterval;
  size_t sent = 0;
  std::array<std::byte, 65536> buffer;
  while (!reader.complete()) {
    const Clock::time_point now = Clock::now();
    if (now >= deadline)
      return End(Reply::Kind::kTimeout, fmt::format("no answer within {} ms", limit.count()));
    if (now >= next_look) {
      if (const int64_t bytes = ResidentBytes(); bytes > spec_.memory_limit) {
        return End(Reply::Kind::kMemory, fmt::format("{} MiB resident, over the limit of {} MiB",
                                                     bytes >> 20, spec_.memory_limit >> 20));
      }
      next_look = now + kMemoryInterval;
    }
    const auto wait =
        std::chrono::ceil<std::chrono::milliseconds>(std::min(deadline, next_look) - now);
    std::array<pollfd, 3> polled{
        {{from_, POLLIN, 0}, {errors_, POLLIN, 0}, {sent < request.size() ? to_ : -1, POLLOUT, 0}}};
    if (poll(polled.data(), polled.size(), static_cast<int>(wait.count())) < 0 && errno != EINTR) {
      return End(Reply::Kind::kDied, fmt::format("poll: {}", strerror(errno)));
    }
    if (polled[1].revents != 0) ReadErrors();
    if (polled[2].revents != 0) {
      const ssize_t n =
          send(to_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += static_cast<size_t>(n);
      // A worker that reads no more may still have answered; its end shows at `from_`.
      else if (n < 0 && errno != EAGAIN && errno != EINTR)
        sent = request.size();
    }
    if (polled[0].revents != 0) {
      const ssize_t n = read(from_, buffer.data(), std::min(buffer.size(), reader.wanted()));
      if (n == 0) return End(Reply::Kind::kDied, "");
      if (n < 0 && errno != EAGAIN && errno != EINTR)
        return End(Reply::Kind::kDied, fmt::format("read: {}", strerror(errno)));
      if (n > 0) {
        Status taken = reader.Take(std::span(buffer).first(static_cast<size_t>(n)));
        if (!taken.ok()) return End(Reply::Kind::kNonsense, taken.error().message);
      }
    }
  }
  ReadErrors();
  return {.kind = Reply::Kind::kMessage, .message = std::move(reader.message()), .text = {}};
}

void Worker::ReadErrors() {
  std::array<char, 4096> buffer;
  ssize_t n;
  while (errors_ >= 0 && (n = read(errors_, buffer.data(), buffer.size())) != -1) {
    if (n == 0) {
      // End of file would wake every poll from now on.
      Close(errors_);
      return;
    }
    error_tail_.append(buffer.data(), static_cast<size_t>(n));
    if (error_tail_.size() > kErrorTailBytes)
      error_tail_.erase(0, error_tail_.size() - kErrorTailBytes);
  }
}

int64_t Worker::ResidentBytes() const {
  // Compilers run as children; walk /proc for members of the group. Field 5 of stat is the group,
  // 24 the resident pages.
  const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t total = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text(1024, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(file.gcount()));
    // The command's name may hold anything; what follows its last parenthesis is regular.
    const size_t behind = text.rfind(')');
    if (behind == std::string::npos) continue;
    long group = 0, pages = 0;
    const char* form =
        " %*c %*d %ld %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u %*u %ld";
    if (sscanf(text.c_str() + behind + 1, form, &group, &pages) == 2 && group == pid_)
      total += pages * page;
  }
  return total;
}

std::string Worker::Errors() const {
  return error_tail_.empty() ? "" : fmt::format("; its last words: {}", error_tail_);
}

int Worker::Kill() {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  const bool ended = info.si_pid == pid_;
  kill(-pid_, SIGKILL);  // before it is reaped: until then the group's number is ours
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return ended ? status : kKilledByUs;
}

Reply Worker::End(Reply::Kind kind, std::string text) {
  Reply reply{.kind = kind, .message = {}, .text = std::move(text)};
  if (kind == Reply::Kind::kDied) {
    // Its output is closed: give the kernel a moment to say how it ended before we make it end.
    siginfo_t info{};
    for (int i = 0; i < 50 && info.si_pid == 0; ++i) {
      if (i > 0) usleep(2000);
      waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    }
  }
  const int status = Kill();
  ReadErrors();
  if (kind == Reply::Kind::kDied) {
    reply.killed = status != kKilledByUs && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const std::string how = status == kKilledByUs ? "closed its output" : HowItEnded(status);
    reply.text = fmt::format("the worker {}{}", how, reply.text.empty() ? "" : ": " + reply.text);
  }
  reply.text += Errors();
  return reply;
}

}  // namespace seamfuzz
