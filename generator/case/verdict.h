// What the oracle says of an outcome (design 6).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generator/ir/segments.h"

namespace seamfuzz {

enum class VerdictKind : uint8_t {
  kAgree,
  kDiffer,
  kRace,
  kUnstable,
  kFailure,  // the last four are bad
  kRejected,
  kAcceptedIllFormed,
  kDocumented,
  kUnjudged,
  kCannot,  // counted only
};
struct VerdictRow {
  VerdictKind kind;
  std::string_view name;  // "accepted-ill-formed"
  bool bad;
};
std::span<const VerdictRow> VerdictRows();
const VerdictRow& Row(VerdictKind kind);
std::optional<VerdictKind> FindVerdict(std::string_view name);

// What the effects themselves show, for the classes that design 2.4 marks **o**.
struct Observed {
  bool lost_write = false;  // E1: an updated storage is unchanged although the reference changes it
  bool phantom_write =
      false;  // E2: a byte that no update may change is changed (gap, guard zone, other storage)
  bool wrong_identity = false;    // E3: an output shares storage with an input
  bool shared_outputs = false;    // D4: two outputs share storage
  bool second_call_only = false;  // F2: call 1 agrees, call 2 does not
  friend bool operator==(const Observed&, const Observed&) = default;
};

struct Verdict {
  VerdictKind kind = VerdictKind::kAgree;
  Mode mode = Mode::kMonolithic;
  int call = 0;       // 0 or 1
  int effect = -1;    // index of the graph's effect; -1 where none is meant
  std::string place;  // "T3[1, 4, 0]", "storage S byte 12", "guard zone after S"
  std::string got;
  std::string permitted;
  std::string text;  // race: both accesses; failure, rejected, cannot: the text
  Observed observed;
  int64_t wrong_elements = 0;
  bool bad() const { return Row(kind).bad; }
};
// One line for a person: "differ in call 1: T3[1, 0, 0] is 7, permitted 4".
std::string Text(const Verdict& verdict);

}  // namespace seamfuzz
