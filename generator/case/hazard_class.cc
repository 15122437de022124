// The table of design 2.4.
#include "generator/case/hazard_class.h"

namespace seamfuzz {
namespace {

using enum HazardClass;
using enum AssignedBy;

constexpr HazardClassRow kRows[] = {
    {kA0, "A0", "write-after-read, same index, one segment", kRepair},
    {kA1, "A1", "write-after-read in a kernel, broadcast read", kRepair},
    {kA2, "A2", "write-after-read in a kernel, other index", kRepair},
    {kA3, "A3", "write-after-read through a reduction or scan", kRepair},
    {kA4, "A4", "non-injective write", kRepair},
    {kA5, "A5", "no-alias assumption", kRepair},
    {kA6, "A6", "narrowing store forwarded", kRepair},
    {kB1, "B1", "write-after-read across segments", kRepair},
    {kB2, "B2", "stale read", kRepair},
    {kB3, "B3", "write order, two writes to one input", kRepair},
    {kB4, "B4", "swap, rotate", kRepair},
    {kB5, "B5", "effect after return, or dropped by reordering", kRepair},
    {kC1, "C1", "the same tensor passed twice", kRepair},
    {kC2, "C2", "partly overlapping inputs", kRepair},
    {kC3, "C3", "view and base not propagated", kRepair},
    {kC4, "C4", "destination overlaps itself", kRepair},
    {kC5, "C5", "layout differs inside the pair", kRepair},
    {kC6, "C6", "dtype differs, or a bit-view", kRepair},
    {kD1, "D1", "snapshot dropped", kRepair},
    {kD2, "D2", "functional op turned in-place wrongly", kRepair},
    {kD3, "D3", "memory plan reuses a live buffer", kSwitch},
    {kD4, "D4", "two outputs in one buffer", kObserved},
    {kE1, "E1", "lost write", kObserved},
    {kE2, "E2", "phantom write", kObserved},
    {kE3, "E3", "wrong identity: an output shares storage with an input", kObserved},
    {kF1, "F1", "donation pairing: answers depend on the order of outputs", kSwitch},
    {kF2, "F2", "only the second call is wrong", kObserved},
    {kF3, "F3", "alias facts missing from a cache key", kSwitch},
    {kF4, "F4", "kernel run more than once", kSwitch},
    {kS1, "S1", "segmentation-dependent numerics", kSwitch},
    {kX1, "X1", "arithmetic: no hazard explains it", kNothingLeft},
    {kX2, "X2", "failure: crash, abort, hang, memory, illegal address", kObserved},
};

constexpr bool RowsStandAtTheirIds() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<size_t>(kRows[i].id) != i) return false;
  }
  return std::size(kRows) == static_cast<size_t>(kX2) + 1;
}
static_assert(RowsStandAtTheirIds());

}  // namespace

std::span<const HazardClassRow> HazardClassRows() { return kRows; }

const HazardClassRow& Row(HazardClass c) { return kRows[static_cast<size_t>(c)]; }

std::optional<HazardClass> FindHazardClass(std::string_view name) {
  for (const HazardClassRow& row : kRows) {
    if (row.name == name) return row.id;
  }
  return std::nullopt;
}

std::string Text(const HazardClasses& classes, std::string_view separator) {
  std::string text;
  for (HazardClass c : classes) {
    if (!text.empty()) text += separator;
    text += Row(c).name;
  }
  return text;
}

}  // namespace seamfuzz
