// See size.h.
#include "fuzz/minimize/size.h"

#include <fmt/format.h>

#include "generator/case/text.h"

namespace seamfuzz {
namespace {

// KEY=VALUE pairs of the schedule line.
int64_t ScheduleKeys(const Schedule& schedule) {
  const std::string text = ScheduleText(schedule);
  int64_t keys = static_cast<int64_t>(schedule.lanes.size());
  for (char c : text) keys += c == '=';
  return keys;
}

bool HasPlainLayout(const Node& input) {
  return input.layout.strides == ContiguousStrides(input.type.shape) && input.layout.offset == 0 &&
         input.layout.storage == input.name && !input.layout.scalar;
}

}  // namespace

Size SizeOf(const Case& c) {
  Size size;
  const auto count = [&](Measure m) -> int64_t& { return size.counts[static_cast<int>(m)]; };
  for (ValueId v = 0; v < c.graph.size(); ++v) {
    const Node& node = c.graph.node(v);
    count(Measure::kElements) += NumElements(node.type.shape);
    count(Measure::kRanks) += node.type.shape.size();
    count(Measure::kDTypes) += node.type.dtype != DType::kF32;
    count(Measure::kNames) += node.name != fmt::format("T{}", v);
    if (c.graph.is_input(v)) {
      ++count(Measure::kInputs);
      count(Measure::kLayouts) += !HasPlainLayout(node);
    } else if (node.op == SegmentSetOp()) {
      ++count(Measure::kCuts);
    } else {
      ++count(Measure::kOps);
      count(Measure::kOpRanks) += node.row().rank;
    }
  }
  for (const Effect& effect : c.graph.effects()) {
    ++count(effect.is_update() ? Measure::kUpdates : Measure::kOutputs);
  }
  count(Measure::kSchedule) = ScheduleKeys(c.schedule);
  count(Measure::kValues) = (c.lane != Lane::kExact) + c.special + (c.seed != 1);
  for (const StorageData& data : c.data) {
    count(Measure::kValues) += 1 + static_cast<int64_t>(data.elements.size());
  }
  size.text = Print(c);
  count(Measure::kTextLength) = static_cast<int64_t>(size.text.size());
  return size;
}

}  // namespace seamfuzz
