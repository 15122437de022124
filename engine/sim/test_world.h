// Small worlds in text for the engine's tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/kernel/fault.h"
#include "engine/sim/sim.h"
#include "generator/case/text.h"
#include "generator/case/values.h"

namespace seamfuzz {

// "A = input f32[4]\n ..." inside `graph { }`, then lines after it ("values bounded seed 1",
// "schedule A.commit=deferred").
inline Case World(const std::string& graph, const std::string& lines = "") {
  const Result<ParsedCase> parsed =
      ParseCase("seamfuzz 1\ngraph {\n" + graph + "\n}\n" + lines + "\n");
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().Text()) << graph << lines;
  return parsed.ok() ? parsed->value : Case();
}

inline Outcome RunSim(const Case& c, Mode mode, Faults faults = {}) {
  return MakeSimEngine(faults)->Run(c, mode);
}

inline Faults Only(Fault fault) {
  Faults faults;
  faults.set(static_cast<size_t>(fault));
  return faults;
}

// The elements of an effect's output, or of a storage, in the dtype that is asked for.
inline std::vector<double> Elements(std::span<const std::byte> bytes, DType dtype) {
  std::vector<double> elements;
  for (size_t at = 0; at + Row(dtype).bytes <= bytes.size(); at += Row(dtype).bytes) {
    const Scalar value = Load(bytes.data() + at, dtype);
    elements.push_back(IsFloat(dtype) ? value.f : static_cast<double>(value.i));
  }
  return elements;
}
inline std::vector<double> Output(const Outcome& outcome, int effect, DType dtype = DType::kF32,
                                  int call = 0) {
  return Elements(outcome.calls.at(call).outputs.at(effect), dtype);
}
inline std::vector<double> Storage(const Outcome& outcome, int storage, DType dtype = DType::kF32,
                                   int call = 0) {
  const std::span<const std::byte> bytes = outcome.calls.at(call).storages.at(storage);
  return Elements(bytes.subspan(kGuardBytes, bytes.size() - 2 * kGuardBytes), dtype);
}

inline bool SameCall(const Call& a, const Call& b) {
  return a.outputs == b.outputs && a.storages == b.storages &&
         a.identity.size() == b.identity.size() &&
         std::equal(a.identity.begin(), a.identity.end(), b.identity.begin(),
                    [](const Identity& x, const Identity& y) {
                      return x.storage == y.storage && x.output == y.output;
                    });
}
inline bool SameEffects(const Outcome& a, const Outcome& b) {
  return a.calls.size() == b.calls.size() &&
         std::equal(a.calls.begin(), a.calls.end(), b.calls.begin(), SameCall);
}

}  // namespace seamfuzz
