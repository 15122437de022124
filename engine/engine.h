// The interface of everything that can run a case.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/case/case.h"
#include "generator/case/outcome.h"
#include "generator/ir/result.h"

namespace seamfuzz {

// What an engine's workers have spent so far.
struct EngineTimes {
  int64_t runs = 0;
  double busy_seconds = 0;      // wall time of all runs
  double compiler_seconds = 0;  // of it inside the compiler and the execution, as they tell
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string_view name() const = 0;
  // Empty, or the reason in words why this engine cannot take the case ("runs graphs only").
  virtual std::string WhyNot(const Case& c) const = 0;
  // Never throws and never ends the process: trouble is part of the outcome. Deterministic for our
  // own engines.
  virtual Outcome Run(const Case& c, Mode mode) = 0;
  // The same program without the compiler, op by op, where the engine can: a case whose answer is
  // wrong even so says nothing of the compiler.
  virtual std::optional<Outcome> RunUncompiled(const Case&, Mode) { return std::nullopt; }
  // Whether to ask for that before Run, and not only where Run is wrong.
  virtual bool UncompiledFirst(const Case&) const { return true; }
  // Whether Run works in another process anyway, so that nothing need be forked to survive a crash.
  virtual bool isolated() const { return false; }
  // Nothing for an engine without workers.
  virtual EngineTimes times() const { return {}; }
};

// What an engine needs to know; foreign engines add their own.
struct EngineOptions {
  std::vector<std::string> faults;  // names from `seamfuzz faults`
};

// One row of `seamfuzz engines`.
struct EngineRow {
  std::string_view name;
  std::string_view description;
  std::string (
      *why_absent)();  // empty when it can run here, else the reason and what would bring it
  Result<std::unique_ptr<Engine>> (*make)(const EngineOptions& options);
  std::string (*version)() = nullptr;  // of the compiler it drives, where it is no part of seamfuzz
};
std::vector<EngineRow> EngineRows();
// Rules: unknown_engine, unknown_fault, engine_absent, no_faults (an engine that is not ours).
Result<std::unique_ptr<Engine>> MakeEngine(std::string_view name, const EngineOptions& options);

}  // namespace seamfuzz
