// The stages in order; each takes what the one before has finished.
#include "engine/kernel/planner.h"

#include <algorithm>

#include "engine/kernel/assemble.h"
#include "engine/kernel/commit.h"
#include "engine/kernel/homes.h"
#include "engine/kernel/lower.h"
#include "engine/kernel/memory.h"
#include "engine/kernel/order.h"
#include "engine/kernel/partition.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// Room for the outputs, temporaries and accesses of most programs.
constexpr size_t kUsualBuffers = 16;

bool HasComposite(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return node.row().form == Form::kComposite; });
}

// What the schedule says for each node; those of a definition take what it says for their
// composite.
std::vector<const ValueChoice*> ChoicesOf(const Schedule& schedule, const Graph& original,
                                          const std::vector<ValueId>& origin) {
  static const ValueChoice kDefault;
  std::vector<const ValueChoice*> choices(origin.size(), &kDefault);
  if (schedule.values.empty()) return choices;
  for (size_t v = 0; v < origin.size(); ++v)
    choices[v] = &schedule.of(original.node(origin[v]).name);
  return choices;
}

// Storages, then one buffer for each input on them.
std::vector<int> AddInputs(const PlanInput& input, Program& program) {
  for (size_t s = 0; s < input.storages.size(); ++s) {
    program.memories.push_back({.kind = MemoryKind::kStorage,
                                .index = static_cast<int>(s),
                                .bytes = input.storages[s].bytes});
  }
  std::vector<int> buffers(input.graph.nodes().size(), -1);
  for (ValueId v = 0; v < input.graph.size(); ++v) {
    if (!input.graph.is_input(v)) continue;
    const Node& node = input.graph.node(v);
    buffers[v] = static_cast<int>(program.buffers.size());
    program.buffers.push_back({.memory = input.storage_of[v],
                               .value = v,
                               .dtype = node.type.dtype,
                               .shape = node.type.shape,
                               .strides = node.layout.strides,
                               .offset = node.layout.offset * Row(node.type.dtype).bytes});
  }
  return buffers;
}

}  // namespace

Program PlanProgram(const Case& c, Mode mode, Faults faults) {
  CHECK(c.graph.reading() == Reading::kGraph);
  Program program;
  program.mode = mode;
  program.block = c.schedule.block;
  std::vector<ValueId> origin;
  if (HasComposite(c.graph)) {
    Expanded expanded = ExpandComposites(c.graph);
    program.graph = std::move(expanded.graph);
    origin = std::move(expanded.origin);
  } else {
    program.graph = c.graph;
    origin.resize(c.graph.nodes().size());
    for (size_t v = 0; v < origin.size(); ++v) origin[v] = static_cast<ValueId>(v);
  }
  std::vector<StorageInfo> storages = Storages(program.graph);
  std::vector<int> storage_of(program.graph.nodes().size(), -1);
  for (size_t i = 0; i < storages.size(); ++i) {
    for (ValueId v : storages[i].inputs) storage_of[v] = static_cast<int>(i);
  }
  const PlanInput input{.graph = program.graph,
                        .schedule = c.schedule,
                        .mode = mode,
                        .faults = faults,
                        .choices = ChoicesOf(c.schedule, c.graph, origin),
                        .segments = SegmentsOf(program.graph, mode),
                        .storages = std::move(storages),
                        .storage_of = std::move(storage_of)};
  program.buffers.reserve(program.graph.nodes().size() + kUsualBuffers);
  program.accesses.reserve(kUsualBuffers);
  program.memories.reserve(input.storages.size() + kUsualBuffers);
  const std::vector<int> input_buffers = AddInputs(input, program);
  Partition partition = PartitionKernels(input);
  Drafts drafts = LowerKernels(input, partition, program);
  KernelOrder order = OrderKernels(input, std::move(partition), std::move(drafts), program);
  CommitPlan plan = PlanCommits(input, std::move(order), input_buffers, program);
  plan = PlaceHomes(input, std::move(plan), input_buffers, program);
  AssembleKernels(input, plan, input_buffers, program);

  std::vector<int> place(plan.order.kernels.size());
  for (size_t i = 0; i < plan.order.sequence.size(); ++i)
    place[plan.order.sequence[i]] = static_cast<int>(i);
  std::vector<std::pair<int, int>> edges = plan.order.edges;
  for (auto& [from, to] : edges) from = place[from], to = place[to];
  program.commits = std::move(plan.facts);
  for (CommitFact& fact : program.commits) {
    if (fact.kernel >= 0) fact.kernel = place[fact.kernel];
  }
  AllocateMemory(input, edges, program);
  AssignStreams(input, edges, program);
  return program;
}

}  // namespace seamfuzz
