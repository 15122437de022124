// The hazard classes of design 2.4: one row each.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace seamfuzz {

enum class HazardClass : uint8_t {
  kA0,
  kA1,
  kA2,
  kA3,
  kA4,
  kA5,
  kA6,
  kB1,
  kB2,
  kB3,
  kB4,
  kB5,
  kC1,
  kC2,
  kC3,
  kC4,
  kC5,
  kC6,
  kD1,
  kD2,
  kD3,
  kD4,
  kE1,
  kE2,
  kE3,
  kF1,
  kF2,
  kF3,
  kF4,
  kS1,
  kX1,
  kX2,
};

enum class AssignedBy : uint8_t { kRepair, kObserved, kSwitch, kNothingLeft };

struct HazardClassRow {
  HazardClass id;
  std::string_view name;         // "A1"
  std::string_view description;  // one line for a person
  AssignedBy by;
};
std::span<const HazardClassRow> HazardClassRows();
const HazardClassRow& Row(HazardClass c);
std::optional<HazardClass> FindHazardClass(std::string_view name);

using HazardClasses = std::set<HazardClass>;
std::string Text(const HazardClasses& classes, std::string_view separator = " ");  // "A1 B1"

}  // namespace seamfuzz
