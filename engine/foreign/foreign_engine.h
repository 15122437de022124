// An engine that asks workers: prints the script, sends it with the storages, reads what came of
// it.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/foreign/pool.h"
#include "engine/foreign/rows.h"

namespace seamfuzz {

// The Python that has the compilers: SEAMFUZZ_PYTHON, then .venv/bin/python in the working folder
// or above the binary, then python3 of the PATH. An absolute path, or empty.
std::string FindPython();

class ForeignEngine : public Engine {
 public:
  // `python`: absolute path. Rules: scratch (no temporary folder).
  static Result<std::unique_ptr<ForeignEngine>> Make(const ForeignRow& row, std::string python,
                                                     int workers);
  // With workers that the caller describes; for tests and for engines that are no Python.
  ForeignEngine(const ForeignRow& row, std::function<WorkerSpec(int)> spec, int workers);
  ~ForeignEngine() override;

  std::string_view name() const override { return row_.name; }
  std::string WhyNot(const Case& c) const override { return seamfuzz::WhyNot(row_, c); }
  Outcome Run(const Case& c, Mode mode) override;  // may be called from several threads

  std::optional<Outcome> RunUncompiled(const Case& c, Mode mode) override;
  bool UncompiledFirst(const Case& c) const override {
    return c.seed % static_cast<uint64_t>(row_.uncompiled_first_odds) == 0;
  }
  bool isolated() const override { return true; }
  EngineTimes times() const override;

  const ForeignRow& row() const { return row_; }
  Pool& pool() { return pool_; }

 private:
  const ForeignRow& row_;
  std::string folder_;  // of the Python files and the workers' scratch; removed at the end
  Pool pool_;
};

// The version of the compiler that this Python has, without loading it. Rules: absent (the message
// says what is missing), worker_start.
Result<std::string> ProbeVersion(const ForeignRow& row, const std::string& python);

}  // namespace seamfuzz
