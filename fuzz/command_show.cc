// `seamfuzz show`: a case, its reference values, how our engine would run it, and its hazards.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/kernel/planner.h"
#include "fuzz/check.h"
#include "fuzz/command.h"
#include "fuzz/describe.h"
#include "fuzz/evaluate.h"
#include "oracle/judge.h"

namespace seamfuzz {
namespace {

constexpr int kShownElements = 16;

struct ShowArguments {
  EngineArguments engine;
  std::string path;
};

std::string ValuesText(const Case& c, Judge& judge) {
  std::string text;
  for (Mode mode : kModes) {
    const Reference& reference = judge.reference(mode);
    // With one value for every element nothing depends on the mode.
    const bool same = reference.all_points;
    text += same ? std::string("reference values of call 1:\n")
                 : fmt::format("reference values of call 1, {}:\n", ModeName(mode));
    for (ValueId v = 0; v < c.graph.size(); ++v) {
      text += fmt::format("  {} = {}\n", c.graph.node(v).name,
                          ElementsText(reference.values[v], kShownElements));
    }
    if (same) break;
  }
  return text;
}

int Run(const ShowArguments& arguments) {
  const Result<ParsedCase> parsed = LoadCase(arguments.path);
  if (!parsed.ok()) return UsageError(parsed.error());
  const Case& c = parsed->value;
  Result<std::unique_ptr<Engine>> engine = MakeEngine(arguments.engine);
  if (!engine.ok()) return UsageError(engine.error());
  if (const std::string reason = (*engine)->WhyNot(c); !reason.empty()) {
    fmt::print("{}\n{}\ncannot be shown further: {}\n", arguments.path, Print(c.graph), reason);
    return kExitGood;
  }
  const std::vector<Error> broken = BrokenContract(c.graph);
  Judge judge(c);
  if (!judge.status().ok()) return UsageError(judge.status().error(), arguments.path);
  fmt::print("{}\n{}", arguments.path, SegmentsText(c.graph, Mode::kSegmented, 0));
  fmt::print("\n{}", ValuesText(c, judge));
  if (!broken.empty()) {
    for (const Error& error : broken) fmt::print("\nbroken rule {}\n", error.Text());
    return kExitGood;
  }
  Faults faults;
  for (const std::string& name : arguments.engine.faults) {
    if (const std::optional<Fault> fault = FindFault(name)) {
      faults.set(static_cast<size_t>(*fault));
    }
  }
  for (Mode mode : kModes) {
    fmt::print("\nplan, {}:\n{}", ModeName(mode), Text(PlanProgram(c, mode, faults)));
    fmt::print("verdict on engine {}: {}\n", (*engine)->name(),
               Text(Evaluate(**engine, c, mode).verdict));
  }
  fmt::print("\n{}", HazardsText(c, parsed->lines));
  return kExitGood;
}

}  // namespace

CommandAction DeclareShow(CLI::App& app) {
  auto arguments = std::make_shared<ShowArguments>();
  app.add_option("CASE", arguments->path, "a .seam file")->required();
  AddEngineOptions(app, arguments->engine);
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
