// `seamfuzz faults` and `seamfuzz engines`: tables for people. Only here is the fault table's
// column of classes read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "engine/kernel/fault.h"
#include "fuzz/command.h"

namespace seamfuzz {

CommandAction DeclareFaults(CLI::App&) {
  return [] {
    for (const FaultRow& row : FaultRows()) {
      fmt::print("{:<22} {:<9} {}\n", row.name, Text(row.classes, ","), row.breaks);
      if (!row.modelled_on.empty()) fmt::print("{:<32} like {}\n", "", row.modelled_on);
    }
    return kExitGood;
  };
}

CommandAction DeclareEngines(CLI::App&) {
  return [] {
    for (const EngineRow& row : EngineRows()) {
      const std::string why = row.why_absent();
      const std::string version = why.empty() && row.version != nullptr ? row.version() : "";
      fmt::print("{:<10} {:<8} {}\n", row.name,
                 !why.empty()      ? "absent"
                 : version.empty() ? "here"
                                   : version,
                 row.description);
      if (!why.empty()) fmt::print("{:<19} {}\n", "", why);
    }
    return kExitGood;
  };
}

}  // namespace seamfuzz
