// See isolated_engine.h.
#include "fuzz/isolated_engine.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace seamfuzz {
namespace {

// Far beyond any run of a drawn case, which takes well under a second.
constexpr unsigned kSecondsPerRun = 20;

class IsolatedEngine : public Engine {
 public:
  explicit IsolatedEngine(Engine& engine) : engine_(engine) {}

  std::string_view name() const override { return engine_.name(); }
  std::string WhyNot(const Case& c) const override { return engine_.WhyNot(c); }

  Outcome Run(const Case& c, Mode mode) override {
    int output[2];
    if (pipe(output) != 0) return Failure(FailureKind::kCrash, "no pipe for a child process");
    const pid_t child = fork();
    if (child < 0) return Failure(FailureKind::kCrash, "no child process");
    if (child == 0) {
      dup2(output[1], STDERR_FILENO);
      alarm(kSecondsPerRun);
      engine_.Run(c, mode);
      _exit(0);
    }
    close(output[1]);
    std::string text;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = read(output[0], buffer, sizeof(buffer))) != 0) {
      if (got < 0 && errno != EINTR) break;
      if (got > 0) text.append(buffer, static_cast<size_t>(got));
    }
    close(output[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
      if (WTERMSIG(status) == SIGALRM) {
        return Failure(FailureKind::kTimeout, fmt::format("no answer in {} s", kSecondsPerRun));
      }
      return Failure(FailureKind::kCrash, DeathText(WTERMSIG(status), text));
    }
    if (WEXITSTATUS(status) != 0) {
      // A sanitizer ends its process with a status of its own.
      return Failure(FailureKind::kSanitizer, DeathText(0, text));
    }
    return engine_.Run(c, mode);
  }

 private:
  static Outcome Failure(FailureKind kind, std::string text) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kFailure;
    outcome.failure = kind;
    outcome.text = std::move(text);
    return outcome;
  }

  Engine& engine_;
};

}  // namespace

std::string DeathText(int signal, const std::string& stderr_text) {
  const size_t end = stderr_text.find_last_not_of('\n');
  const std::string trimmed =
      end == std::string::npos ? std::string() : stderr_text.substr(0, end + 1);
  const size_t line = trimmed.rfind('\n');
  const std::string last = line == std::string::npos ? trimmed : trimmed.substr(line + 1);
  const char* name = signal > 0 ? sigabbrev_np(signal) : nullptr;
  const std::string how = name ? fmt::format("SIG{}", name) : std::string("ended by itself");
  return last.empty() ? how : fmt::format("{}: {}", how, last);
}

std::unique_ptr<Engine> MakeIsolatedEngine(Engine& engine) {
  return std::make_unique<IsolatedEngine>(engine);
}

}  // namespace seamfuzz
