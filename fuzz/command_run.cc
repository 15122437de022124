// `seamfuzz run`: a campaign from the command line.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "engine/foreign/rows.h"
#include "fuzz/campaign.h"
#include "fuzz/command.h"
#include "fuzz/files.h"
#include "fuzz/narrow.h"
#include "fuzz/summary.h"

namespace seamfuzz {
namespace {

// Without --time and --cases a campaign is a short look.
constexpr int64_t kDefaultSeconds = 60;
constexpr int64_t kPlainLineSeconds = 10;
constexpr const char* kDefaultOut = "findings";

struct RunArguments {
  EngineArguments engine;
  std::string time;
  std::optional<uint64_t> cases;
  uint64_t seed = 1;
  int jobs = 0;
  bool ill_formed = false;
  bool no_documented = false;
  std::string out;
  std::string json;
};

// "90", "90s", "10m", "8h".
std::optional<int64_t> ParseSeconds(std::string_view text) {
  int64_t unit = 1;
  if (!text.empty()) {
    if (text.back() == 'm') unit = 60;
    if (text.back() == 'h') unit = 3600;
    if (text.back() == 's' || unit > 1) text.remove_suffix(1);
  }
  if (text.empty() || text.size() > 8) return std::nullopt;
  int64_t value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value * unit;
}

// One line that is overwritten on a terminal; elsewhere a line every ten seconds.
class ProgressLine {
 public:
  ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}
  void operator()(const CampaignState& state, const std::string& event) {
    if (!event.empty()) {
      Clear();
      fmt::print("{}\n", event);
      std::fflush(stdout);
      return;
    }
    const std::string line =
        fmt::format("{:.0f} s: {} cases, {} findings, {} distinct", state.seconds,
                    state.statistics.cases, state.findings, state.Distinct());
    if (terminal_) {
      fmt::print(stderr, "\r\033[K{}", line);
      shown_ = true;
    } else if (static_cast<int64_t>(state.seconds) >= next_) {
      next_ = static_cast<int64_t>(state.seconds) + kPlainLineSeconds;
      if (state.statistics.cases > 0) fmt::print(stderr, "{}\n", line);
    }
  }
  void Clear() {
    if (shown_) fmt::print(stderr, "\r\033[K");
    shown_ = false;
  }

 private:
  const bool terminal_;
  bool shown_ = false;
  int64_t next_ = kPlainLineSeconds;
};

int Run(const RunArguments& arguments) {
  CampaignOptions options;
  options.config.engine = arguments.engine;
  options.config.seed = arguments.seed;
  options.config.draw.ill_formed = arguments.ill_formed;
  options.config.documented = !arguments.no_documented;
  Narrow(arguments.engine.engine, options.config.draw);
  if (FindForeignRow(arguments.engine.engine) != nullptr) {
    // Somebody else's compiler takes a second for what ours does in a fraction of a millisecond.
    options.config.block = 2;
    options.config.minimizations = 3;
    options.config.minimize_limit = std::chrono::minutes(3);
    options.config.case_milliseconds = 30 * 60'000;
    options.config.minimize_milliseconds = 60 * 60'000;
  }
  options.cases = arguments.cases;
  options.jobs =
      arguments.jobs > 0 ? arguments.jobs : std::max(1u, std::thread::hardware_concurrency());
  options.out = arguments.out.empty() ? kDefaultOut : arguments.out;
  if (!arguments.time.empty()) {
    options.seconds = ParseSeconds(arguments.time);
    if (!options.seconds) {
      return UsageError(fmt::format("--time {}: expected a number with s, m or h", arguments.time));
    }
  } else if (!arguments.cases) {
    options.seconds = kDefaultSeconds;
  }
  if (Result<std::unique_ptr<Engine>> engine = MakeEngine(arguments.engine); !engine.ok()) {
    return UsageError(engine.error());
  }
  const std::filesystem::path out = options.out;
  const bool existed = std::filesystem::exists(out);
  if (Status ready = PrepareOutputFolder(out, kCampaignFile); !ready.ok()) {
    return UsageError(ready.error());
  }
  const std::filesystem::path marker = out / kCampaignFile;
  const bool known = std::filesystem::exists(marker);
  // From the start, so that a campaign that was killed can be told from other people's files.
  if (Status status = WriteFile(marker, CampaignJson(options, CampaignState{})); !status.ok()) {
    return UsageError(status.error());
  }
  if (!arguments.json.empty()) {
    if (Status status = WriteFile(arguments.json, CampaignJson(options, CampaignState{}));
        !status.ok()) {
      std::error_code ignored;
      if (!known) std::filesystem::remove(marker, ignored);
      if (!existed) std::filesystem::remove(out, ignored);
      return UsageError(status.error());
    }
  }
  ProgressLine progress;
  const Result<CampaignState> state = RunCampaign(options, std::ref(progress));
  progress.Clear();
  if (!state.ok()) return UsageError(state.error());
  const std::string facts = CampaignJson(options, *state);
  for (const std::filesystem::path& file : {marker, std::filesystem::path(arguments.json)}) {
    if (file.empty()) continue;
    if (Status status = WriteFile(file, facts); !status.ok()) return UsageError(status.error());
  }
  // A look that found nothing leaves nothing behind where nobody asked for a folder.
  if (arguments.out.empty() && !existed && state->signatures.empty() && !state->wrong_script) {
    std::error_code ignored;
    std::filesystem::remove_all(out, ignored);
  }
  fmt::print("{}", SummaryText(options, *state));
  if (state->wrong_script) {
    std::fflush(stdout);
    fmt::print(stderr,
               "error: the script of case {} is wrong without the compiler, which is an error of "
               "seamfuzz: {}; see {}\n",
               state->wrong_script->index, state->wrong_script->verdict,
               (out / kWrongScriptFolder).string());
    return kExitInternal;
  }
  return state->findings > 0 ? kExitBad : kExitGood;
}

// CLI11 reads "-3" as a very large number.
std::string NotNegative(const std::string& text) {
  return text.starts_with('-') ? fmt::format("{} is negative", text) : std::string();
}

}  // namespace

CommandAction DeclareRun(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();
  AddEngineOptions(app, arguments->engine);
  auto* time = app.add_option("--time", arguments->time,
                              "stop after so long: 30s, 10m, 8h (default 60s without --cases)")
                   ->type_name("TIME");
  app.add_option("--cases", arguments->cases, "stop after so many cases: always the same ones")
      ->type_name("N")
      ->check(NotNegative)
      ->excludes(time);
  app.add_option("--seed", arguments->seed, "where drawing starts")
      ->type_name("S")
      ->check(NotNegative)
      ->capture_default_str();
  app.add_option("--jobs", arguments->jobs, "worker processes (default: one a core)")
      ->type_name("J")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--ill-formed", arguments->ill_formed,
               "draw graphs that break the rules U1 to U4 too");
  app.add_flag("--no-documented", arguments->no_documented,
               "what a compiler's authors have documented is a finding too");
  app.add_option("--out", arguments->out, "folder for the findings (default: findings)")
      ->type_name("DIR");
  app.add_option("--json", arguments->json, "write the summary's facts as JSON")->type_name("FILE");
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
