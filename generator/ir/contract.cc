// What follows from a graph: its storages, its live nodes, and the contract rules it breaks.
#include <fmt/format.h>

#include <algorithm>

#include "generator/ir/graph.h"

namespace seamfuzz {
namespace {

// Above this many elements two targets of one storage are taken to overlap as soon as their byte
// ranges do.
constexpr int64_t kEnumerated = int64_t{1} << 20;

struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
};

ByteRange Range(const Node& input) {
  const int64_t bytes = Row(input.type.dtype).bytes;
  const int64_t begin = input.layout.offset * bytes;
  return {begin, begin + Extent(input.type.shape, input.layout.strides) * bytes};
}

// Calls `visit(first byte)` for each element of an input that is not empty.
template <typename Visit>
void ForEachElement(const Node& input, const Visit& visit) {
  IntList index = IntList::Filled(input.type.shape.size(), 0);
  do {
    visit(ByteOffset(input, index));
  } while (NextIndex(index, input.type.shape));
}

bool BytesOverlap(const Node& a, const Node& b) {
  if (a.layout.storage != b.layout.storage) return false;
  const ByteRange range_a = Range(a), range_b = Range(b);
  if (NumElements(a.type.shape) == 0 || NumElements(b.type.shape) == 0) return false;
  if (range_a.end <= range_b.begin || range_b.end <= range_a.begin) return false;
  if (NumElements(a.type.shape) > kEnumerated || NumElements(b.type.shape) > kEnumerated)
    return true;
  std::vector<bool> covered(static_cast<size_t>(range_a.end - range_a.begin), false);
  ForEachElement(a, [&](int64_t byte) {
    const auto begin = covered.begin() + (byte - range_a.begin);
    std::fill(begin, begin + Row(a.type.dtype).bytes, true);
  });
  bool overlap = false;
  ForEachElement(b, [&](int64_t byte) {
    for (int64_t i = byte; i < byte + Row(b.type.dtype).bytes; ++i) {
      overlap |=
          i >= range_a.begin && i < range_a.end && covered[static_cast<size_t>(i - range_a.begin)];
    }
  });
  return overlap;
}

std::string TypeText(const TensorType& type) {
  return fmt::format("{}{}", Row(type.dtype).name, type.shape.Text());
}

}  // namespace

std::vector<StorageInfo> Storages(const Graph& graph) {
  std::vector<StorageInfo> storages;
  const std::vector<int> of = StorageOf(graph);
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (of[v] < 0) continue;
    const Node& input = graph.node(v);
    const auto position = static_cast<size_t>(of[v]);
    if (position == storages.size()) storages.push_back({.name = input.layout.storage});
    storages[position].inputs.push_back(v);
    storages[position].bytes = std::max(storages[position].bytes, Range(input).end);
  }
  for (const Effect& effect : graph.effects()) {
    if (effect.is_update() && of[effect.target] >= 0) storages[of[effect.target]].updated = true;
  }
  return storages;
}

std::vector<int> StorageOf(const Graph& graph) {
  std::vector<int> of(graph.nodes().size(), -1);
  std::vector<ValueId> firsts;
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (!graph.is_input(v)) continue;
    const std::string& storage = graph.node(v).layout.storage;
    const auto first = std::find_if(firsts.begin(), firsts.end(), [&](ValueId first_input) {
      return graph.node(first_input).layout.storage == storage;
    });
    of[v] = static_cast<int>(first - firsts.begin());
    if (first == firsts.end()) firsts.push_back(v);
  }
  return of;
}

std::vector<Error> BrokenContract(const Graph& graph) {
  std::vector<Error> broken;
  if (graph.reading() == Reading::kTrace) return broken;  // a trace may write anything, and again
  const std::vector<Effect>& effects = graph.effects();
  for (size_t i = 0; i < effects.size(); ++i) {
    if (!effects[i].is_update()) continue;
    const Node& target = graph.node(effects[i].target);
    const Node& value = graph.node(effects[i].value);
    bool twice = false;
    std::string_view overlapping;
    for (size_t j = 0; j < i; ++j) {
      if (!effects[j].is_update()) continue;
      const Node& other = graph.node(effects[j].target);
      if (effects[j].target == effects[i].target) {
        twice = true;
      } else if (overlapping.empty() && BytesOverlap(other, target)) {
        overlapping = other.name;
      }
    }
    if (twice) broken.push_back({"U1", fmt::format("{} is updated twice", target.name)});
    if (value.type != target.type) {
      broken.push_back(
          {"U2", fmt::format("{} is {}, but its target {} is {}", value.name, TypeText(value.type),
                             target.name, TypeText(target.type))});
    }
    if (!twice && OverlapsItself(target.type.shape, target.layout.strides)) {
      broken.push_back(
          {"U3", fmt::format("elements of the updated {} overlap each other", target.name)});
    }
    if (!twice && !overlapping.empty()) {
      broken.push_back({"U4", fmt::format("the updated {} and {} overlap in storage {}",
                                          overlapping, target.name, target.layout.storage)});
    }
  }
  return broken;
}

std::vector<bool> LiveNodes(const Graph& graph) {
  std::vector<bool> live(graph.nodes().size(), false);
  for (const Effect& effect : graph.effects()) {
    live[effect.value] = true;
    if (effect.is_update()) live[effect.target] = true;
  }
  for (ValueId v = graph.size() - 1; v >= 0; --v) {
    if (!live[v]) continue;
    for (const Operand& operand : graph.node(v).operands) {
      if (!operand.is_literal()) live[operand.value] = true;
    }
  }
  return live;
}

}  // namespace seamfuzz
