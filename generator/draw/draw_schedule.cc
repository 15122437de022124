// Draws choices for single values, then for the whole program.
#include "generator/draw/draw_schedule.h"

#include <algorithm>
#include <array>
#include <vector>

#include "generator/ir/segments.h"

namespace seamfuzz {
namespace {

template <typename Enum>
Enum Draw(Choices& choices, Enum last) {
  return static_cast<Enum>(choices.Below(static_cast<int>(last) + 1));
}

// A choice or two that mean something for the node.
ValueChoice DrawValueChoice(Choices& choices, const Graph& graph, ValueId v) {
  const Node& node = graph.node(v);
  ValueChoice choice;
  if (node.op == SegmentSetOp()) choice.edge = Draw(choices, EdgeChoice::kRecompute);
  const Form form = node.row().form;
  if ((form == Form::kReduce || form == Form::kComposite) && !choices.OneIn(3)) {
    choice.reduce = Draw(choices, ReduceChoice::kPersistent);
  }
  switch (choices.Below(3)) {
    case 0:
      choice.place = Draw(choices, PlaceChoice::kMaterialize);
      break;
    case 1:
      choice.map = Draw(choices, MapChoice::kVector8);
      break;
    default:
      choice.loop = Draw(choices, LoopChoice::kColumnMajor);
      break;
  }
  return choice;
}

std::vector<int> DrawOrder(Choices& choices, int segments) {
  std::vector<int> order(segments);
  for (int i = 0; i < segments; ++i) order[i] = i;
  for (int i = segments - 1; i > 0; --i) std::swap(order[i], order[choices.Below(i + 1)]);
  return order;
}

// The level of each segment: the most cuts on any path to its nodes.
std::vector<int> SegmentLevels(const Graph& graph, const Segments& segments) {
  std::vector<int> node_level(graph.size(), 0);
  std::vector<int> level(segments.count, 0);
  for (ValueId v = 0; v < graph.size(); ++v) {
    for (const Operand& operand : graph.node(v).operands) {
      if (operand.is_literal()) continue;
      const bool cut = graph.node(operand.value).op == SegmentSetOp();
      node_level[v] = std::max(node_level[v], node_level[operand.value] + (cut ? 1 : 0));
    }
    if (segments.of[v] >= 0) level[segments.of[v]] = std::max(level[segments.of[v]], node_level[v]);
  }
  return level;
}

// One or more groups of segments of one level.
std::vector<std::vector<int>> DrawMerge(Choices& choices, const Graph& graph,
                                        const Segments& segments) {
  const std::vector<int> level = SegmentLevels(graph, segments);
  std::vector<std::vector<int>> groups;
  for (int l = 0; l <= *std::max_element(level.begin(), level.end()); ++l) {
    std::vector<int> group;
    for (int s = 0; s < segments.count; ++s) {
      if (level[s] == l && !choices.OneIn(3)) group.push_back(s);
    }
    if (group.size() >= 2) groups.push_back(std::move(group));
  }
  return groups;
}

int DrawBlock(Choices& choices) {
  constexpr std::array kBlocks = {4, 1, 2, 3, 8, 32, 33};
  constexpr std::array kWeights = {24, 2, 2, 2, 2, 1, 1};
  return kBlocks[choices.Weighted(kWeights)];
}

}  // namespace

Schedule DrawSchedule(Choices& choices, const Graph& graph) {
  Schedule schedule;
  schedule.interleave = Draw(choices, Interleave::kRandom);
  if (schedule.interleave == Interleave::kRandom) schedule.interleave_seed = choices.Below(1000);
  if (schedule.interleave == Interleave::kOneAhead) schedule.interleave_seed = choices.Below(8);
  schedule.block = DrawBlock(choices);
  if (choices.OneIn(8)) schedule.grid = choices.Between(1, 4);
  if (choices.OneIn(6)) schedule.reuse = false;
  if (choices.OneIn(8)) schedule.streams = choices.Between(2, 4);

  const bool per_value = choices.OneIn(3);
  bool cuts = false;
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (graph.is_input(v)) continue;
    cuts = cuts || graph.node(v).op == SegmentSetOp();
    if (per_value && choices.OneIn(5))
      schedule.values[graph.node(v).name] = DrawValueChoice(choices, graph, v);
  }
  for (const Effect& effect : graph.effects()) {
    if (!effect.is_update() || !choices.OneIn(4)) continue;
    schedule.values[graph.node(effect.target).name].commit = Draw(choices, CommitChoice::kSnapshot);
  }
  if (cuts && choices.OneIn(2)) {
    const Segments segments = SegmentsOf(graph, Mode::kSegmented);
    if (segments.count >= 2) schedule.order = DrawOrder(choices, segments.count);
    if (segments.count >= 2 && choices.OneIn(4))
      schedule.merge = DrawMerge(choices, graph, segments);
  }
  schedule.Normalize();
  return schedule;
}

}  // namespace seamfuzz
