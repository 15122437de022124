// Kernels by demand: start from the effects and ask for operands, across segments through memory or
// by recomputing.
#include "engine/kernel/partition.h"

#include <algorithm>

namespace seamfuzz {
namespace {

// The most cuts on any path to a node of each segment. Groups of a schedule's `merge` must be of
// one level, or a merged kernel could need its own result.
std::vector<int> LevelsOf(const PlanInput& input) {
  std::vector<int> cuts(input.graph.nodes().size(), 0);
  std::vector<int> levels(static_cast<size_t>(input.segments.count), 0);
  for (ValueId v = 0; v < input.graph.size(); ++v) {
    const Node& node = input.graph.node(v);
    for (const Operand& operand : node.operands) {
      if (!operand.is_literal()) cuts[v] = std::max(cuts[v], cuts[operand.value]);
    }
    const int segment = input.segments.of[v];
    const bool is_cut = node.op == SegmentSetOp();
    // A cut belongs to its producer: a cut of a cut has more cuts above it than its segment.
    if (segment >= 0 && !is_cut) levels[segment] = std::max(levels[segment], cuts[v]);
    if (is_cut) ++cuts[v];
  }
  return levels;
}

// For each segment the first segment of the group that it is merged into.
std::vector<int> MergedInto(const PlanInput& input) {
  std::vector<int> group(static_cast<size_t>(input.segments.count));
  for (int s = 0; s < input.segments.count; ++s) group[s] = s;
  if (input.mode == Mode::kMonolithic || input.schedule.merge.empty()) return group;
  const std::vector<int> levels = LevelsOf(input);
  for (const std::vector<int>& merge : input.schedule.merge) {
    int first = -1;
    for (int s : merge) {
      if (s < 0 || s >= input.segments.count || group[s] != s) continue;
      if (first < 0) first = s;
      if (levels[s] == levels[first]) group[s] = first;
    }
  }
  return group;
}

class Demand {
 public:
  explicit Demand(const PlanInput& input) : input_(input), group_(MergedInto(input)) {
    partition_.owner.assign(input.graph.nodes().size(), -1);
    const bool monolithic = input.mode == Mode::kMonolithic;
    kernel_of_group_.assign(group_.size(), -1);
    const size_t kernels = group_.size() + input.graph.effects().size() + 1;
    partition_.kernels.reserve(kernels);
    computed_.reserve(kernels * input.graph.nodes().size());
    if (monolithic) AddKernel(KernelRole::kSegment);
    for (int s = 0; s < input.segments.count; ++s) {
      if (group_[s] == s) kernel_of_group_[s] = monolithic ? 0 : AddKernel(KernelRole::kSegment);
      partition_.kernels[KernelOf(s)].segments.push_back(s);
    }
  }

  Partition Run() {
    const std::vector<Effect>& effects = input_.graph.effects();
    for (size_t e = 0; e < effects.size(); ++e) {
      const int segment = input_.segments.of[effects[e].value];
      int kernel = 0;
      if (segment >= 0) {
        kernel = KernelOf(segment);
      } else if (input_.mode == Mode::kSegmented) {
        kernel = AddKernel(KernelRole::kCopy);
      }
      partition_.kernels[kernel].effects.push_back(static_cast<int>(e));
      Ask(kernel, effects[e].value);
    }
    return Compact();
  }

 private:
  int AddKernel(KernelRole role) {
    partition_.kernels.push_back({.role = role});
    computed_.resize(partition_.kernels.size() * input_.graph.nodes().size(), 0);
    return static_cast<int>(partition_.kernels.size()) - 1;
  }
  char& Computed(int kernel, ValueId v) {
    return computed_[static_cast<size_t>(kernel) * input_.graph.nodes().size() + v];
  }
  int KernelOf(int segment) const { return kernel_of_group_[group_[segment]]; }

  // `kernel` is to compute `value` (inputs are read where they are).
  void Ask(int kernel, ValueId value) {
    if (input_.graph.is_input(value) || Computed(kernel, value)) return;
    Computed(kernel, value) = true;
    for (const Operand& operand : input_.graph.node(value).operands) {
      if (operand.is_literal()) continue;
      const int segment = input_.segments.of[operand.value];
      const bool stored = segment >= 0 && KernelOf(segment) != kernel &&
                          input_.choice(operand.value).edge == EdgeChoice::kStore;
      if (!stored) {
        Ask(kernel, operand.value);
        continue;
      }
      const std::pair<int, int> edge{KernelOf(segment), kernel};
      auto& edges = partition_.edges;
      if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(edge);
      partition_.owner[operand.value] = edge.first;
      Ask(edge.first, operand.value);
    }
  }

  // Drops kernels that nothing needs, and lists what the others compute.
  Partition Compact() {
    std::vector<int> renamed(partition_.kernels.size(), -1);
    std::vector<KernelDraft> kept;
    kept.reserve(partition_.kernels.size() + input_.graph.effects().size() + 1);
    for (size_t k = 0; k < partition_.kernels.size(); ++k) {
      KernelDraft& kernel = partition_.kernels[k];
      kernel.values.reserve(input_.graph.nodes().size());
      for (ValueId v = 0; v < input_.graph.size(); ++v) {
        if (Computed(static_cast<int>(k), v)) kernel.values.push_back(v);
      }
      if (kernel.values.empty() && kernel.effects.empty()) continue;
      renamed[k] = static_cast<int>(kept.size());
      kept.push_back(std::move(kernel));
    }
    partition_.kernels = std::move(kept);
    for (auto& [from, to] : partition_.edges) from = renamed[from], to = renamed[to];
    for (int& owner : partition_.owner) {
      if (owner >= 0) owner = renamed[owner];
    }
    return std::move(partition_);
  }

  const PlanInput& input_;
  std::vector<int> group_;
  std::vector<int> kernel_of_group_;
  std::vector<char> computed_;  // by kernel, then value
  Partition partition_;
};

}  // namespace

Partition PartitionKernels(const PlanInput& input) { return Demand(input).Run(); }

}  // namespace seamfuzz
