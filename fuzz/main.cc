// The command line: a table of commands (design 10).
#include <CLI/CLI.hpp>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/command.h"

namespace {

using namespace seamfuzz;

constexpr Command kCommands[] = {
    {"run", "draw cases, run each one whole and cut, write down what differs", DeclareRun},
    {"replay", "run cases and check what they expect", DeclareReplay},
    {"minimize", "make a failing case as small as it gets", DeclareMinimize},
    {"check", "say what is delicate in a case, without running it", DeclareCheck},
    {"import", "read a fusion script into cases", DeclareImport},
    {"export", "write a case as a script or a picture", DeclareExport},
    {"show", "print a case's reference values, plan, kernels and hazards", DeclareShow},
    {"faults", "list the planted bugs of our engine", DeclareFaults},
    {"engines", "list what can run here, and why the rest cannot", DeclareEngines},
    {"bench", "measure cases per second, and where the time goes", DeclareBench},
};

constexpr const char* kFooter =
    "Exit status: 0 nothing bad, 1 findings or unexpected verdicts, 2 usage or input error.\n"
    "`seamfuzz COMMAND --help` says more.";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Seamfuzz draws random fusion graphs with in-place updates and forced segment boundaries, "
      "runs\n"
      "them on a GPU fusion compiler monolithically and segmented, and compares with a reference."};
  app.name("seamfuzz");
  app.footer(kFooter);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, CommandAction>> actions;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.description));
    actions.emplace_back(sub, command.declare(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    // CLI11 says only that a command is missing.
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      return UsageError("no command '" + std::string(argv[1]) + "' (see seamfuzz --help)");
    }
    return UsageError(error.what());
  }
  for (const auto& [sub, action] : actions) {
    if (sub->parsed()) return action();
  }
  return kExitUsage;
}
