// `seamfuzz replay`: do cases still do what they say?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "fuzz/command.h"
#include "fuzz/files.h"
#include "fuzz/replay.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

struct ReplayArguments {
  EngineArguments engine;
  std::vector<std::string> paths;
  std::string json;
};

struct NamedCase {
  std::string path;
  Case value;
};

void PrintMode(const std::string& path, const ReplayedMode& mode) {
  std::string line =
      fmt::format("{}: {}: {}", path, ModeName(mode.verdict.mode), Text(mode.verdict));
  if (!mode.faults.empty()) line += fmt::format(" (fault {})", fmt::join(mode.faults, ", "));
  if (!mode.as_expected) {
    line += mode.expected ? fmt::format(" - expected {}", Row(*mode.expected).name)
                          : std::string(" - nothing expects it");
  }
  fmt::print("{}\n", line);
}

nlohmann::ordered_json ModeJson(const std::string& path, const ReplayedMode& mode) {
  return {{"path", path},
          {"mode", ModeName(mode.verdict.mode)},
          {"faults", mode.faults},
          {"verdict", Row(mode.verdict.kind).name},
          {"text", Text(mode.verdict)},
          {"as_expected", mode.as_expected}};
}

int Run(const ReplayArguments& arguments) {
  if (Result<std::unique_ptr<Engine>> engine = MakeEngine(arguments.engine); !engine.ok()) {
    return UsageError(engine.error());
  }
  const Result<std::vector<std::string>> files = CollectFiles(arguments.paths, ".seam");
  if (!files.ok()) return UsageError(files.error());
  std::vector<NamedCase> cases;
  for (const std::string& file : *files) {
    Result<ParsedCase> loaded = LoadCase(file);
    if (!loaded.ok()) return UsageError(loaded.error());
    cases.push_back({file, std::move(loaded->value)});
  }
  Replayer replayer(arguments.engine);
  int as_expected = 0, not_expected = 0, skipped = 0;
  nlohmann::ordered_json modes = nlohmann::ordered_json::array();
  for (const NamedCase& c : cases) {
    const Result<ReplayedCase> replayed = replayer.Run(c.value);
    if (!replayed.ok()) return UsageError(replayed.error(), c.path);
    for (const ReplayedMode& mode : replayed->modes) {
      PrintMode(c.path, mode);
      modes.push_back(ModeJson(c.path, mode));
    }
    for (const std::string& why : replayed->skipped) {
      fmt::print("{}: skipped: {}\n", c.path, why);
    }
    skipped += static_cast<int>(replayed->skipped.size());
    if (!replayed->AsExpected()) {
      ++not_expected;
    } else if (replayed->Ran()) {
      ++as_expected;
    }
  }
  const int unable = static_cast<int>(cases.size()) - as_expected - not_expected;
  if (skipped > 0) {
    fmt::print("skipped: {} expectations that cannot run here; {} cases did not run at all\n",
               skipped, unable);
  }
  if (!arguments.json.empty()) {
    const nlohmann::ordered_json facts = {{"cases", cases.size()}, {"as_expected", as_expected},
                                          {"not", not_expected},   {"did_not_run", unable},
                                          {"skipped", skipped},    {"modes", modes}};
    const std::string text =
        facts.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (Status status = WriteFile(arguments.json, text + "\n"); !status.ok()) {
      return UsageError(status.error());
    }
  }
  fmt::print("replay: {} cases, {} as expected, {} not\n", cases.size(), as_expected, not_expected);
  return not_expected > 0 ? kExitBad : kExitGood;
}

}  // namespace

CommandAction DeclareReplay(CLI::App& app) {
  auto arguments = std::make_shared<ReplayArguments>();
  app.add_option("PATH", arguments->paths, "case files, and folders that hold some")->required();
  AddEngineOptions(app, arguments->engine);
  app.add_option("--json", arguments->json, "write the verdicts as JSON")->type_name("FILE");
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
