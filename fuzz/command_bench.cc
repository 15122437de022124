// `seamfuzz bench`: how fast, and where the time goes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "fuzz/bench.h"
#include "fuzz/command.h"
#include "fuzz/files.h"

namespace seamfuzz {
namespace {

struct BenchArguments {
  double seconds = 20;
  uint64_t seed = 1;
  std::string json;
};

int Run(const BenchArguments& arguments) {
  const BenchReport report = RunBench(arguments.seed, arguments.seconds);
  if (!arguments.json.empty()) {
    if (Status status = WriteFile(arguments.json, Json(report)); !status.ok()) {
      return UsageError(status.error());
    }
  }
  fmt::print("{}", Text(report));
  return kExitGood;
}

}  // namespace

CommandAction DeclareBench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  app.add_option("--seconds", arguments->seconds, "how long to measure")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_option("--seed", arguments->seed, "where drawing starts")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--json", arguments->json, "write the figures as JSON")->type_name("FILE");
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
