// The table of engines.
#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/foreign/rows.h"
#include "engine/kernel/fault.h"
#include "engine/sim/sim.h"

namespace seamfuzz {
namespace {

Result<Faults> FaultsOf(const EngineOptions& options) {
  Faults faults;
  for (const std::string& name : options.faults) {
    const std::optional<Fault> fault = FindFault(name);
    if (!fault)
      return Error{"unknown_fault", fmt::format("no fault '{}' (see seamfuzz faults)", name)};
    faults.set(static_cast<size_t>(*fault));
  }
  return faults;
}

Result<std::unique_ptr<Engine>> MakeSim(const EngineOptions& options) {
  const Result<Faults> faults = FaultsOf(options);
  if (!faults.ok()) return faults.error();
  return MakeSimEngine(*faults);
}

std::string NothingMissing() { return ""; }

}  // namespace

std::vector<EngineRow> EngineRows() {
  std::vector<EngineRow> rows = {
      {.name = "sim",
       .description = "our engine, simulated on the CPU thread by thread with race detection",
       .why_absent = NothingMissing,
       .make = MakeSim}};
  for (const EngineRow& row : ForeignEngineRows()) rows.push_back(row);
  return rows;
}

Result<std::unique_ptr<Engine>> MakeEngine(std::string_view name, const EngineOptions& options) {
  const std::vector<EngineRow> rows = EngineRows();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [name](const EngineRow& r) { return r.name == name; });
  if (row == rows.end())
    return Error{"unknown_engine", fmt::format("no engine '{}' (see seamfuzz engines)", name)};
  if (const std::string why = row->why_absent(); !why.empty()) return Error{"engine_absent", why};
  return row->make(options);
}

}  // namespace seamfuzz
