// Segments: levels by cuts, then connected components of each level.
#include "generator/ir/segments.h"

#include <algorithm>
#include <numeric>

namespace seamfuzz {

std::string_view ModeName(Mode mode) {
  return mode == Mode::kMonolithic ? "monolithic" : "segmented";
}

Segments SegmentsOf(const Graph& graph, Mode mode) {
  const int size = graph.size();
  Segments segments{.of = std::vector<int>(size, -1)};
  // The most cuts on any path to the node, the node's own included; the component's root.
  std::vector<int> cuts(size, 0);
  std::vector<int> root(size);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&root](int v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  std::vector<bool> computed(size, false);
  for (ValueId v = 0; v < size; ++v) {
    const Node& node = graph.node(v);
    if (graph.is_input(v)) continue;
    const bool is_cut = node.op == SegmentSetOp();
    computed[v] = !is_cut;
    for (const Operand& operand : node.operands) {
      if (operand.is_literal()) continue;
      cuts[v] = std::max(cuts[v], cuts[operand.value]);
      // A cut belongs to its producer: it is computed where that one is.
      if (is_cut) computed[v] = computed[operand.value];
    }
    for (const Operand& operand : node.operands) {
      if (operand.is_literal() || !computed[operand.value]) continue;
      const bool through_cut = graph.node(operand.value).op == SegmentSetOp();
      if (is_cut || (!through_cut && cuts[operand.value] == cuts[v])) {
        // The smaller id stays root, so that a root is its component's first node.
        const int a = find(v), b = find(operand.value);
        root[std::max(a, b)] = std::min(a, b);
      }
    }
    if (is_cut) ++cuts[v];
  }
  if (mode == Mode::kMonolithic) {
    for (ValueId v = 0; v < size; ++v) {
      if (computed[v]) segments.of[v] = 0;
    }
    segments.count = std::find(computed.begin(), computed.end(), true) == computed.end() ? 0 : 1;
    return segments;
  }
  std::vector<int> roots;
  for (ValueId v = 0; v < size; ++v) {
    if (computed[v] && find(v) == v) roots.push_back(v);
  }
  std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) { return cuts[a] < cuts[b]; });
  for (int root_of_segment : roots) segments.of[root_of_segment] = segments.count++;
  for (ValueId v = 0; v < size; ++v) {
    if (computed[v]) segments.of[v] = segments.of[find(v)];
  }
  return segments;
}

}  // namespace seamfuzz
