// What the commands share: errors as one line, the options of engines.
#include "fuzz/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

namespace seamfuzz {

int UsageError(std::string_view message) {
  std::string line(message);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", line);
  return kExitUsage;
}

int UsageError(const Error& error, std::string_view place) {
  // Error::Text writes an empty rule as one.
  const std::string text = error.rule.empty() ? error.message : error.Text();
  if (place.empty()) return UsageError(text);
  return UsageError(fmt::format("{}:{}{}", place, error.line > 0 ? "" : " ", text));
}

void AddEngineOptions(CLI::App& app, EngineArguments& arguments) {
  app.add_option("--engine", arguments.engine, "engine to run on (see `seamfuzz engines`)")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--fault", arguments.faults,
                 "switch on a planted bug of our engine (see `seamfuzz faults`); repeatable")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
}

Result<std::unique_ptr<Engine>> MakeEngine(const EngineArguments& arguments) {
  return MakeEngine(arguments.engine, EngineOptions{.faults = arguments.faults});
}

}  // namespace seamfuzz
