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

// offset + sum of coefficient times index, for each row-major index of the space.
std::vector<int32_t> EnumerateLinear(const Shape& space, const IntList& coefficients,
                                     int64_t offset) {
  std::vector<int32_t> table(static_cast<size_t>(NumElements(space)));
  if (table.empty()) return table;
  // The innermost dim runs by itself; the others are an odometer.
  const int rank = space.size();
  const int64_t run = rank > 0 ? space[rank - 1] : 1;
  const int64_t step = rank > 0 ? coefficients[rank - 1] : 0;
  IntList index = IntList::Filled(rank, 0);
  int32_t* out = table.data();
  for (int32_t* const end = out + table.size(); out != end;) {
    for (int64_t i = 0; i < run; ++i) *out++ = static_cast<int32_t>(offset + i * step);
    for (int d = rank - 2; d >= 0; --d) {
      offset += coefficients[d];
      if (++index[d] < space[d]) break;
      offset -= space[d] * coefficients[d];
      index[d] = 0;
    }
  }
  return table;
}

// NumPy broadcasting: dims that the operand lacks or has once do not move in it.
std::vector<int32_t> EnumerateOperand(const Shape& result, const Shape& operand) {
  const Strides contiguous = ContiguousStrides(operand);
  Strides strides = IntList::Filled(result.size(), 0);
  const int missing = result.size() - operand.size();
  for (int d = 0; d < operand.size(); ++d) {
    if (operand[d] != 1) strides[missing + d] = contiguous[d];
  }
  return EnumerateLinear(result, strides, 0);
}

// What the step alone does to each position of `step.from`.
std::vector<int32_t> EnumerateOwn(const Program& program, const Access& step) {
  switch (step.kind) {
    case StepKind::kRoot: {
      std::vector<int32_t> table(static_cast<size_t>(NumElements(step.to)));
      std::iota(table.begin(), table.end(), 0);
      return table;
    }
    case StepKind::kAxes:
      return EnumerateLinear(step.map->space, step.map->coefficients, step.map->offset);
    case StepKind::kBroadcast:
      return EnumerateOperand(step.from, step.to);
    case StepKind::kMove: {
      const PlaceTable& places = program.places[step.node];
      std::vector<int32_t> table = places.position;
      for (size_t i = 0; i < places.operand.size(); ++i) {
        if (places.operand[i] != step.operand) table[i] = -1;
      }
      return table;
    }
    case StepKind::kIndexAt: {
      const Node& node = program.graph.node(step.node);
      std::vector<int32_t> table(static_cast<size_t>(NumElements(step.from)));
      IntList index = IntList::Filled(step.from.size(), 0);
      for (int32_t& position : table) {
        position = static_cast<int32_t>(Ravel(node.row().index_at(index, node.attrs), step.to));
        NextIndex(index, step.from);
      }
      return table;
    }
  }
  return {};
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
  std::vector<int32_t> own = EnumerateOwn(program, step);
  if (step.parent < 0 || program.accesses[step.parent].kind == StepKind::kRoot) return own;
  std::vector<int32_t> table(parent.size());
  for (size_t i = 0; i < parent.size(); ++i) table[i] = parent[i] < 0 ? -1 : own[parent[i]];
  return table;
}

std::vector<int32_t> EnumerateAccess(const Program& program, int access) {
  const int parent = program.accesses[access].parent;
  const bool chained = parent >= 0 && program.accesses[parent].kind != StepKind::kRoot;
  return EnumerateStep(program, access,
                       chained ? EnumerateAccess(program, parent) : std::vector<int32_t>());
}

std::vector<int32_t> EnumerateStrided(const Shape& shape, const Strides& strides, int64_t offset,
                                      int64_t scale) {
  Strides scaled = strides;
  for (int64_t& stride : scaled) stride *= scale;
  return EnumerateLinear(shape, scaled, offset);
}

}  // namespace seamfuzz
