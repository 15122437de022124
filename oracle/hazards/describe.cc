// Index relations by fitting an affine map to what was enumerated, and sentences by class.
#include "oracle/hazards/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "generator/case/pattern.h"
#include "generator/ir/check.h"
#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

// Extents of 1 say nothing about a layout.
Shape WithoutUnitDims(const Shape& shape) {
  Shape kept;
  for (const int64_t extent : shape) {
    if (extent != 1) kept.push_back(extent);
  }
  return kept;
}

bool ReadsTwice(std::span<const int32_t> positions) {
  std::vector<int32_t> read(positions.begin(), positions.end());
  std::erase(read, kNotRead);
  std::sort(read.begin(), read.end());
  return std::adjacent_find(read.begin(), read.end()) != read.end();
}

// The step along each dim of `space`, when every position is offset + sum of steps.
std::optional<IntList> AffineSteps(const Shape& space, std::span<const int32_t> positions) {
  IntList steps;
  const Strides strides = ContiguousStrides(space);
  for (int d = 0; d < space.size(); ++d) steps.push_back(positions[strides[d]] - positions[0]);
  IntList index = IntList::Filled(space.size(), 0);
  for (const int32_t position : positions) {
    if (position == kNotRead || position != positions[0] + Dot(index, steps)) return std::nullopt;
    NextIndex(index, space);
  }
  return steps;
}

// A cyclic shift (roll): every index moves by the same amount, modulo the extents.
bool IsRoll(const Shape& space, std::span<const int32_t> positions, const Shape& target) {
  if (space != target) return false;
  std::optional<IntList> shift;
  IntList index = IntList::Filled(space.size(), 0);
  for (const int32_t position : positions) {
    if (position == kNotRead) return false;
    IntList moved = Unravel(position, target);
    for (int d = 0; d < space.size(); ++d) moved[d] = (moved[d] - index[d] + space[d]) % space[d];
    if (shift && !(*shift == moved)) return false;
    shift = moved;
    NextIndex(index, space);
  }
  return true;
}

std::string PartialWord(std::span<const int32_t> positions) {
  std::optional<int64_t> shift;
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] == kNotRead) continue;
    const int64_t moved = positions[i] - static_cast<int64_t>(i);
    if (shift && *shift != moved) return "other";
    shift = moved;
  }
  if (!shift) return "other";
  return *shift == 0 ? "sliced" : "shifted";
}

std::string ReaderText(const Graph& graph, const Hazard& hazard) {
  if (hazard.reader != kNoValue) return graph.node(hazard.reader).name;
  return PrintEffect(graph, graph.effects()[hazard.reader_effect]);
}

std::string Names(const Graph& graph, const std::vector<ValueId>& values) {
  std::vector<std::string_view> names;
  for (const ValueId v : values) names.push_back(graph.node(v).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// What makes an early read wrong, after "T4 reads T0 after T0 <- T2 may have been written".
std::string_view Why(HazardClass id) {
  switch (id) {
    case HazardClass::kA0:
      return ", at the index that it reads itself";
    case HazardClass::kA1:
      return ", by several instances that need the same element";
    case HazardClass::kA2:
      return ", at another index than it writes";
    case HazardClass::kA3:
      return ", combined with other elements";
    case HazardClass::kA4:
      return ", by a scatter that writes some element twice";
    case HazardClass::kB1:
      return ", in another segment";
    case HazardClass::kB4:
      return ", and each of these updates overwrites what another one reads";
    case HazardClass::kC1:
      return ", under another name of the same memory";
    case HazardClass::kC2:
      return ", in memory that partly overlaps";
    case HazardClass::kC6:
      return ", in the same bytes under another dtype";
    case HazardClass::kD1:
      return ", as a snapshot";
    case HazardClass::kD2:
      return ", as the base of a scatter that must stay a copy";
    default:
      return "";
  }
}

}  // namespace

std::string FormWord(const Graph& graph, ValueId v) {
  const Node& node = graph.node(v);
  if (graph.is_input(v)) return "input";
  if (IsCopy(node)) return "copy";
  return std::string(PatternWord(node.row().form));
}

std::string IndexWord(const Shape& space, std::span<const int32_t> positions, const Shape& target) {
  const Shape from = WithoutUnitDims(space);
  const Shape to = WithoutUnitDims(target);
  const int64_t elements = NumElements(target);
  const bool whole = std::ssize(positions) == elements;
  bool identity = whole;
  for (size_t i = 0; identity && i < positions.size(); ++i)
    identity = positions[i] == static_cast<int32_t>(i);
  if (identity) return from == to ? "same" : "reshaped";
  if (ReadsTwice(positions)) return "broadcast";
  if (positions.empty()) return "other";
  const std::optional<IntList> steps = AffineSteps(from, positions);
  if (!steps) return IsRoll(from, positions, to) ? "shifted" : PartialWord(positions);
  if (std::any_of(steps->begin(), steps->end(), [](int64_t step) { return step < 0; }))
    return "flipped";
  if (!std::is_sorted(steps->begin(), steps->end(), std::greater<>())) return "permuted";
  if (whole) return "reshaped";
  return positions[0] > 0 ? "shifted" : "sliced";
}

std::string HazardText(const Graph& graph, const Hazard& hazard) {
  const auto name = [&](ValueId v) { return graph.node(v).name; };
  if (hazard.id == HazardClass::kC4) {
    return fmt::format("{} scatters into {}, whose elements stand for one another (broadcast)",
                       name(hazard.reader), name(hazard.input));
  }
  if (hazard.id == HazardClass::kA6) {
    return fmt::format("{} may read {} before it is rounded to {}", name(hazard.reader),
                       name(hazard.input), Row(graph.type(hazard.input).dtype).name);
  }
  CHECK(hazard.update >= 0);
  const std::string update = PrintEffect(graph, graph.effects()[hazard.update]);
  if (hazard.id == HazardClass::kC5) {
    return fmt::format("{} writes {}, whose layout (strides {}) is not contiguous", update,
                       name(hazard.input), graph.node(hazard.input).layout.strides.Text());
  }
  const std::string through =
      hazard.chain.empty() ? "" : fmt::format(" (through {})", Names(graph, hazard.chain));
  return fmt::format("{} reads {}{} after {} may have been written{}", ReaderText(graph, hazard),
                     name(hazard.input), through, update, Why(hazard.id));
}

std::string RepairText(const Graph& graph, const Hazard& hazard) {
  const std::string& input = graph.node(hazard.input).name;
  switch (hazard.repair) {
    case RepairKind::kContiguousTarget:
      return fmt::format("give {} a contiguous storage of its own", input);
    case RepairKind::kOwnStorage:
      return fmt::format("let {} read the values of {} in a storage of their own",
                         ReaderText(graph, hazard), input);
    case RepairKind::kPrivateInput:
      return fmt::format("let {} read a private input with the values of {}",
                         ReaderText(graph, hazard), input);
    case RepairKind::kPrivateBase:
      return fmt::format("let {} scatter into a private input with the values of {}",
                         ReaderText(graph, hazard), input);
    case RepairKind::kPrivateRounded:
      return fmt::format("let {} read a private input with the rounded values of {}",
                         ReaderText(graph, hazard), input);
    case RepairKind::kFreshOutput:
      return fmt::format("write {} to a fresh output", input);
  }
  return {};
}

}  // namespace seamfuzz
