// `seamfuzz export`: a case as a standalone script for a compiler's own bug tracker, or as a
// picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "engine/foreign/rows.h"
#include "fuzz/command.h"
#include "fuzz/files.h"
#include "fuzz/script_expectation.h"
#include "generator/case/dot.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

struct Target {
  std::string_view name;
  std::string_view engine;  // whose row has the script
  bool layouts;             // takes strides and shared storage
};
constexpr Target kTargets[] = {
    {"nvfuser", "nvfuser", true},
    {"torch", "inductor", true},
    {"jax", "xla", false},
    {"tinygrad", "tinygrad", false},
};
constexpr std::string_view kPicture = "dot";

bool HasLayouts(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op == InputOp() && (node.layout.storage != node.name || node.layout.offset != 0 ||
                                    node.layout.strides != ContiguousStrides(node.type.shape));
  });
}

Result<std::string> ScriptFor(const Target& target, const Case& c) {
  if (c.graph.reading() == Reading::kTrace) {
    return Error{"trace", fmt::format("{} scripts are made of graphs: a trace needs functionalize",
                                      target.name)};
  }
  const ForeignRow& row = *FindForeignRow(target.engine);
  if (const std::string why = UnknownLane(row, c); !why.empty()) return Error{"lane", why};
  if (const std::string why = Unspeakable(c.graph, *row.dialect); !why.empty()) {
    return Error{"unsupported_op", why};
  }
  if (const std::string why = row.lacks == nullptr ? "" : row.lacks(c); !why.empty()) {
    return Error{"unsupported_op", why};
  }
  if (!target.layouts && HasLayouts(c.graph)) {
    return Error{"unsupported_layout",
                 fmt::format("{} has no strides or shared storage of inputs", target.name)};
  }
  if (const std::vector<Error> broken = BrokenContract(c.graph); !broken.empty()) {
    return Error{broken.front().rule,
                 broken.front().message + ": such a graph has no answer to compare with"};
  }
  const Result<ScriptExpectation> expectation = ExpectationOf(c);
  if (!expectation.ok()) return expectation.error();
  return row.script(c, &*expectation);
}

struct Arguments {
  std::string path;
  std::string target;
  std::string output;
};

int Run(const Arguments& arguments) {
  const Result<ParsedCase> parsed = LoadCase(arguments.path);
  if (!parsed.ok()) return UsageError(parsed.error());
  Result<std::string> text = std::string();
  if (arguments.target == kPicture) {
    text = Dot(parsed->value);
  } else {
    const auto* target = std::ranges::find(kTargets, arguments.target, &Target::name);
    text = ScriptFor(*target, parsed->value);
  }
  if (!text.ok()) return UsageError(text.error(), arguments.path);
  if (arguments.output.empty()) {
    fmt::print("{}", *text);
    return kExitGood;
  }
  const Status written = WriteFile(arguments.output, *text);
  return written.ok() ? kExitGood : UsageError(written.error());
}

}  // namespace

CommandAction DeclareExport(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  std::vector<std::string> names = {std::string(kPicture)};
  for (const Target& target : kTargets) names.emplace_back(target.name);
  app.add_option("CASE", arguments->path, "a .seam file")->required();
  app.add_option(
         "--to", arguments->target,
         "what to write: a script that runs, compares and exits 1 if it differs, or a picture")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("-o,--out", arguments->output, "file to write; without it the text is printed");
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
