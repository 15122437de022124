// The names of verdicts, and a verdict in one line.
#include "generator/case/verdict.h"

#include <fmt/format.h>

namespace seamfuzz {
namespace {

using enum VerdictKind;

constexpr VerdictRow kRows[] = {
    {kAgree, "agree", false},
    {kDiffer, "differ", true},
    {kRace, "race", true},
    {kUnstable, "unstable", true},
    {kFailure, "failure", true},
    {kRejected, "rejected", false},
    {kAcceptedIllFormed, "accepted-ill-formed", false},
    {kDocumented, "documented", false},
    {kUnjudged, "unjudged", false},
    {kCannot, "cannot", false},
};

constexpr bool RowsStandAtTheirKinds() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<size_t>(kRows[i].kind) != i) return false;
  }
  return std::size(kRows) == static_cast<size_t>(kCannot) + 1;
}
static_assert(RowsStandAtTheirKinds());

}  // namespace

std::span<const VerdictRow> VerdictRows() { return kRows; }

const VerdictRow& Row(VerdictKind kind) { return kRows[static_cast<size_t>(kind)]; }

std::optional<VerdictKind> FindVerdict(std::string_view name) {
  for (const VerdictRow& row : kRows) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::string Text(const Verdict& verdict) {
  std::string text(Row(verdict.kind).name);
  if (verdict.kind == kDiffer) text += fmt::format(" in call {}", verdict.call + 1);
  if (!verdict.place.empty()) {
    text += fmt::format(": {} is {}, permitted {}", verdict.place, verdict.got, verdict.permitted);
  }
  if (!verdict.text.empty()) text += ": " + verdict.text;
  return text;
}

}  // namespace seamfuzz
