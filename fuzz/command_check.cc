// `seamfuzz check`: what is delicate in a case, said without running it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "fuzz/check.h"
#include "fuzz/command.h"
#include "oracle/judge.h"

namespace seamfuzz {
namespace {

int Run(const std::string& path) {
  const Result<ParsedCase> parsed = LoadCase(path);
  if (!parsed.ok()) return UsageError(parsed.error());
  if (parsed->value.graph.reading() == Reading::kGraph) {
    if (const Judge judge(parsed->value); !judge.status().ok()) {
      return UsageError(judge.status().error(), path);
    }
  }
  const CheckReport report = Check(*parsed);
  fmt::print("{}\n{}", path, report.text);
  return report.breaks_rules ? kExitBad : kExitGood;
}

}  // namespace

CommandAction DeclareCheck(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  app.add_option("CASE", *path, "a .seam file")->required();
  return [path] { return Run(*path); };
}

}  // namespace seamfuzz
