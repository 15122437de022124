// Accesses in closed form and by enumeration.
#include "engine/kernel/program.h"

#include <numeric>

namespace seamfuzz {
namespace {

std::vector<TensorType> OperandTypes(const Graph& graph, const Node& node) {
  std::vector<TensorType> types;
  types.reserve(node.operands.size());
  for (const Operand& operand : node.operands) types.push_back(graph.type(operand.value));
  return types;
}

// Applies `place` to every position of the parent that is one.
template <typename Place>
std::vector<int32_t> Through(const std::vector<int32_t>& parent, const Place& place) {
  std::vector<int32_t> table(parent.size());
  for (size_t i = 0; i < parent.size(); ++i) table[i] = parent[i] < 0 ? -1 : place(parent[i]);
  return table;
}

std::vector<int32_t> EnumerateMap(const AffineMap& map) {
  std::vector<int32_t> table(static_cast<size_t>(NumElements(map.space)));
  if (table.empty()) return table;
  IntList index = IntList::Filled(map.space.size(), 0);
  for (int32_t& position : table) {
    position = static_cast<int32_t>(map.offset + Dot(index, map.coefficients));
    NextIndex(index, map.space);
  }
  return table;
}

}  // namespace

const Shape& SpaceOf(const Program& program, int access) {
  while (program.accesses[access].parent >= 0) access = program.accesses[access].parent;
  return program.accesses[access].from;
}

std::optional<AffineMap> ClosedForm(const Program& program, int access) {
  const Access& step = program.accesses[access];
  if (step.kind == StepKind::kRoot) return IdentityMap(step.to);
  if (step.kind == StepKind::kAxes) return step.map;
  const std::optional<AffineMap> parent = ClosedForm(program, step.parent);
  if (!parent) return std::nullopt;
  if (step.kind == StepKind::kBroadcast) return ThroughBroadcast(*parent, step.from, step.to);
  if (step.kind != StepKind::kMove) return std::nullopt;
  const Node& node = program.graph.node(step.node);
  return ThroughMove(*parent, node, OperandTypes(program.graph, node), step.operand);
}

std::vector<int32_t> EnumerateStep(const Program& program, int access,
                                   const std::vector<int32_t>& parent) {
  const Access& step = program.accesses[access];
  switch (step.kind) {
    case StepKind::kRoot: {
      std::vector<int32_t> table(static_cast<size_t>(NumElements(step.to)));
      std::iota(table.begin(), table.end(), 0);
      return table;
    }
    case StepKind::kAxes:
      return EnumerateMap(*step.map);
    case StepKind::kBroadcast: {
      const std::vector<int32_t> broadcast = EnumerateBroadcast(step.from, step.to);
      return Through(parent, [&](int32_t position) { return broadcast[position]; });
    }
    case StepKind::kMove: {
      const PlaceTable& places = program.places[step.node];
      return Through(parent, [&](int32_t position) {
        const bool taken = places.operand.empty() || places.operand[position] == step.operand;
        return taken ? places.position[position] : -1;
      });
    }
    case StepKind::kIndexAt: {
      const Node& node = program.graph.node(step.node);
      return Through(parent, [&](int32_t position) {
        const IntList index = node.row().index_at(Unravel(position, step.from), node.attrs);
        return static_cast<int32_t>(Ravel(index, step.to));
      });
    }
  }
  return {};
}

std::vector<int32_t> EnumerateAccess(const Program& program, int access) {
  const int parent = program.accesses[access].parent;
  return EnumerateStep(program, access,
                       parent < 0 ? std::vector<int32_t>() : EnumerateAccess(program, parent));
}

}  // namespace seamfuzz
