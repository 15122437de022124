// `seamfuzz import`: nvFuser scripts -> .seam files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>

#include "fuzz/command.h"
#include "fuzz/files.h"
#include "fuzz/import_nvfuser.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

struct Arguments {
  std::string path;
  std::string output;
};

// A lone definition at the top of a file is named after the file, further ones after its name and
// their number.
std::string CaseName(const std::filesystem::path& script, const std::string& name) {
  return name.empty() || name.front() == '_' ? script.stem().string() + name : name;
}

int Run(const Arguments& arguments) {
  const Result<std::string> source = ReadFile(arguments.path);
  if (!source.ok()) return UsageError(source.error());
  const Result<std::vector<ImportedCase>> cases = ImportNvfuser(*source);
  if (!cases.ok()) {
    const std::string extra = cases.error().rule == "no_fusion" ? "" : " (nothing was written)";
    return UsageError(Error{cases.error().rule, cases.error().message + extra, cases.error().line,
                            cases.error().column},
                      arguments.path);
  }
  const std::filesystem::path folder = arguments.output;
  if (!arguments.output.empty()) {
    std::vector<NamedText> files;
    for (const ImportedCase& imported : *cases) {
      files.push_back({CaseName(arguments.path, imported.name) + ".seam", Print(imported.value)});
    }
    if (Status written = WriteFiles(folder, files); !written.ok()) {
      return UsageError(written.error());
    }
    for (const NamedText& file : files) fmt::print("{}\n", (folder / file.name).string());
    return kExitGood;
  }
  for (const ImportedCase& imported : *cases) {
    if (cases->size() > 1) fmt::print("# {}\n", CaseName(arguments.path, imported.name));
    fmt::print("{}", Print(imported.value));
  }
  return kExitGood;
}

}  // namespace

CommandAction DeclareImport(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE", arguments->path,
                 "an nvFuser script or an issue text with one; it is read, never executed")
      ->required();
  app.add_option("-o,--out", arguments->output,
                 "folder for one NAME.seam each; without it they are printed");
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
