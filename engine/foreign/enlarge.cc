// Rebuilds a graph with other extents of its inputs.
#include "engine/foreign/enlarge.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

namespace seamfuzz {
namespace {

// Dense strides in the order of `old`; a dim that does not advance stays so.
Strides DenseInOrderOf(const Strides& old, const Shape& shape) {
  const int rank = shape.size();
  std::vector<int> innermost_first(static_cast<size_t>(rank));
  std::iota(innermost_first.rbegin(), innermost_first.rend(), 0);
  std::ranges::stable_sort(innermost_first, [&](int a, int b) { return old[a] < old[b]; });
  Strides strides = old;
  int64_t inner = 1;
  for (const int d : innermost_first) {
    if (old[d] == 0) continue;
    strides[d] = inner;
    inner *= shape[d];
  }
  return strides;
}

// nullopt where an op's attributes hold the old extents.
std::optional<Graph> Resized(const Graph& graph, const std::function<int64_t(int64_t)>& extent) {
  Graph resized;
  for (const Node& node : graph.nodes()) {
    if (node.op != InputOp()) {
      if (!resized.Add(node.op, node.operands, node.attrs, node.name).ok()) return std::nullopt;
      continue;
    }
    TensorType type = node.type;
    for (int64_t& e : type.shape) e = extent(e);
    Layout layout = node.layout;
    layout.strides = DenseInOrderOf(layout.strides, type.shape);
    layout.offset = 0;
    if (!resized.AddInput(node.name, type, layout).ok()) return std::nullopt;
  }
  for (const Effect& effect : graph.effects()) {
    const Status added = effect.is_update() ? resized.AddUpdate(effect.target, effect.value)
                                            : resized.AddOutput(effect.value);
    if (!added.ok()) return std::nullopt;
  }
  // A value that kept its size beside its target's new one breaks rule U2.
  if (BrokenContract(resized).size() > BrokenContract(graph).size()) return std::nullopt;
  return resized;
}

}  // namespace

std::vector<Graph> Enlargements(const Graph& graph) {
  std::set<int64_t, std::greater<>> extents;
  for (const StorageInfo& storage : Storages(graph)) {
    if (storage.inputs.size() > 1) return {};
    for (const int64_t extent : graph.type(storage.inputs.front()).shape) {
      if (extent > 1) extents.insert(extent);
    }
  }
  std::vector<Graph> enlarged;
  const auto add = [&](const std::function<int64_t(int64_t)>& extent) {
    if (std::optional<Graph> resized = Resized(graph, extent)) {
      enlarged.push_back(std::move(*resized));
    }
  };
  if (extents.empty()) return enlarged;
  add([](int64_t e) { return e > 1 ? 2 * e : e; });
  if (extents.size() > 1) {
    for (const int64_t one : extents) add([=](int64_t e) { return e == one ? 2 * e : e; });
  }
  return enlarged;
}

}  // namespace seamfuzz
