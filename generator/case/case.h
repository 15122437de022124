// A case: graph or trace, the storages with their values, the schedule, the expectation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/case/hazard_class.h"
#include "generator/case/schedule.h"
#include "generator/case/verdict.h"
#include "generator/ir/graph.h"

namespace seamfuzz {

// kExact: integer-valued data, so that every permitted evaluation gives the same value, compared
// bit for bit. kBounded: anything in the ops' domains; with `special` also NaN, infinities, -0 and
// denormals.
enum class Lane : uint8_t { kExact, kBounded };

// `data S [1, 2.5, nan]`: the elements of a storage in the dtype of the first input that views it,
// from its start. Fewer than the storage holds: the rest comes from the seed.
struct StorageData {
  std::string storage;
  std::vector<Scalar> elements;  // in the register of that dtype
  friend bool operator==(const StorageData& a, const StorageData& b);  // by bits of the register
};

// `expect [fault:NAME | engine:NAME[@VERSION]] VERDICT [monolithic|segmented]`
struct Expectation {
  std::string fault;    // empty: without faults
  std::string engine;   // empty: any of ours
  std::string version;  // empty: any
  VerdictKind verdict = VerdictKind::kAgree;
  std::optional<Mode> mode;  // absent: both
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct Case {
  std::vector<std::string>
      notes;  // comment lines between the version line and the graph, without "# "
  Graph graph;
  Lane lane = Lane::kExact;
  bool special = false;
  uint64_t seed = 1;
  std::vector<StorageData> data;  // sorted by the storages' order
  Schedule schedule;
  HazardClasses classes;
  std::vector<std::string> origin;  // free text, mostly links
  std::vector<std::string> causes;  // pattern lines (generator/case/pattern.h) of a minimized case
  std::vector<Expectation> expectations;  // none: `expect agree`
  friend bool operator==(const Case&, const Case&) = default;
};

}  // namespace seamfuzz
