// What an engine did with a case in one mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/case/values.h"

namespace seamfuzz {

enum class OutcomeKind : uint8_t { kEffects, kFailure, kRefusal, kCannot };
enum class FailureKind : uint8_t {
  kNone,
  kCompile,
  kCrash,
  kTimeout,
  kMemory,
  kSanitizer,
  kIllegalAddress
};

// One side of a race.
struct RaceAccess {
  bool writes = false;
  std::string text;                  // "thread 3 reads T0[1] for T4 = add(T3, T1)"
  std::string element;               // "T0[1]"
  std::string purpose;               // the value or the update behind it: "T4", "T0 <- T2"
  std::vector<std::string> through;  // moves between the memory and that, by name
};

// Two accesses of one byte without an order between them, at least one a write.
struct Race {
  int64_t byte = 0;    // in `memory`
  std::string memory;  // "storage T0", "temporary of T4"
  RaceAccess first, second;
  std::string
      order;  // the interleaving that shows it: "interleave=forward, thread 0 before thread 3"
};

// Where an output's memory lies: nothing special, inside an input's storage, or inside an earlier
// output's memory.
struct Identity {
  int storage = -1;  // position in Storages(graph)
  int output = -1;   // index of an earlier effect
};

struct Call {
  std::vector<std::vector<std::byte>>
      outputs;                         // one for each effect; row-major elements; empty for updates
  std::vector<Identity> identity;      // one for each effect
  std::vector<StorageBytes> storages;  // with guard zones
};

// What the engine cannot show is named here; compare skips it and counts it.
struct Unobserved {
  bool storages = false;
  bool guards = false;
  bool identity = false;
  bool second_call = false;
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kEffects;
  FailureKind failure = FailureKind::kNone;
  std::string text;         // failure, refusal or cannot, in the engine's words
  std::vector<Call> calls;  // two: the second starts from the storages that the first left
  std::optional<Race> race;
  Unobserved unobserved;
  int kernels = 0;  // really run in this mode; 0 where the engine does not tell
};

}  // namespace seamfuzz
