// The command table of the command line: one row a command. main.cc parses and dispatches;
// fuzz/command_*.cc do the work.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "generator/ir/result.h"

namespace CLI {
class App;
}

namespace seamfuzz {

// Exit status (design 10).
inline constexpr int kExitGood = 0;
inline constexpr int kExitBad = 1;  // findings or unexpected verdicts
inline constexpr int kExitUsage =
    2;  // usage or input error: one `error: ...` line on stderr, nothing written
inline constexpr int kExitInternal =
    3;  // an error of seamfuzz itself: one `error: ...` line says where its case lies

// Runs the command with the options that CLI11 has filled in by then; returns the exit status.
using CommandAction = std::function<int()>;

struct Command {
  std::string_view name;
  std::string_view description;  // one line of `seamfuzz --help`
  // Adds the command's options to `app` and returns what runs it. Option variables live in the
  // returned action (a shared_ptr that it captures).
  CommandAction (*declare)(CLI::App& app);
};

CommandAction DeclareRun(CLI::App& app);
CommandAction DeclareReplay(CLI::App& app);
CommandAction DeclareMinimize(CLI::App& app);
CommandAction DeclareCheck(CLI::App& app);
CommandAction DeclareImport(CLI::App& app);
CommandAction DeclareExport(CLI::App& app);
CommandAction DeclareShow(CLI::App& app);
CommandAction DeclareFaults(CLI::App& app);
CommandAction DeclareEngines(CLI::App& app);
CommandAction DeclareBench(CLI::App& app);

// Prints "error: MESSAGE" as one line on stderr (control characters become spaces) and returns
// kExitUsage.
int UsageError(std::string_view message);
// The same for an error of a file: "error: PLACE: LINE:COLUMN: rule: message" without the parts
// that are empty.
int UsageError(const Error& error, std::string_view place = {});

// `--engine NAME` and `--fault NAME` (repeatable), shared by every command that runs cases.
struct EngineArguments {
  std::string engine = "sim";
  std::vector<std::string> faults;
};
void AddEngineOptions(CLI::App& app, EngineArguments& arguments);
Result<std::unique_ptr<Engine>> MakeEngine(const EngineArguments& arguments);

}  // namespace seamfuzz
