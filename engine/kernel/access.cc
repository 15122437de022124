// Interns accesses by the step they end with: programs have few, so that a search is enough.
#include "engine/kernel/access.h"

#include <utility>

namespace seamfuzz {
namespace {

int Intern(Program& program, Access access) {
  for (size_t i = 0; i < program.accesses.size(); ++i) {
    const Access& other = program.accesses[i];
    if (other.kind == access.kind && other.parent == access.parent && other.node == access.node &&
        other.operand == access.operand && other.to == access.to && other.from == access.from) {
      return static_cast<int>(i);
    }
  }
  program.accesses.push_back(std::move(access));
  return static_cast<int>(program.accesses.size()) - 1;
}

const Shape& OperandShape(const Program& program, ValueId v, int k) {
  return program.graph.type(program.graph.node(v).operands[k].value).shape;
}

int FromLoop(Program& program, AffineMap map, ValueId v, int k) {
  const Shape& to = OperandShape(program, v, k);
  Access access{.kind = StepKind::kAxes, .node = v, .operand = k, .from = map.space, .to = to};
  access.map = std::move(map);
  return Intern(program, std::move(access));
}

}  // namespace

int RootAccess(Program& program, const Shape& shape) {
  return Intern(program, {.kind = StepKind::kRoot, .from = shape, .to = shape});
}

int BroadcastAccess(Program& program, int access, ValueId v, int k) {
  const Shape& result = program.graph.type(v).shape;
  const Shape& operand = OperandShape(program, v, k);
  if (result == operand) return access;
  return Intern(program, {.kind = StepKind::kBroadcast,
                          .parent = access,
                          .node = v,
                          .operand = k,
                          .from = result,
                          .to = operand});
}

int MoveAccess(Program& program, int access, ValueId v, int k) {
  return Intern(program, {.kind = StepKind::kMove,
                          .parent = access,
                          .node = v,
                          .operand = k,
                          .from = program.graph.type(v).shape,
                          .to = OperandShape(program, v, k)});
}

int IndexAccess(Program& program, int access, ValueId v) {
  const int k = program.graph.node(v).row().index_operand;
  return Intern(program, {.kind = StepKind::kIndexAt,
                          .parent = access,
                          .node = v,
                          .operand = k,
                          .from = program.accesses[access].to,
                          .to = OperandShape(program, v, k)});
}

int AxesAccess(Program& program, const Shape& space, ValueId v, int k, const IntList& dims) {
  const Shape& shape = OperandShape(program, v, k);
  const Strides strides = ContiguousStrides(shape);
  AffineMap map{space, IntList::Filled(space.size(), 0), 0};
  int kept = 0, combined = shape.size() - dims.size();
  for (int d = 0; d < shape.size(); ++d) {
    const int axis = dims.contains(d) ? combined++ : kept++;
    if (space[axis] > 1) map.coefficients[axis] = strides[d];
  }
  return FromLoop(program, std::move(map), v, k);
}

// torch.matmul: the loop is [batch..., m, n, depth]; a vector on the left has no m, one on the
// right no n.
int ContractAccess(Program& program, const Shape& space, ValueId v, int k) {
  const Shape& shape = OperandShape(program, v, k);
  const Strides strides = ContiguousStrides(shape);
  const int rows = OperandShape(program, v, 0).size() > 1 ? 1 : 0;
  const int columns = OperandShape(program, v, 1).size() > 1 ? 1 : 0;
  const int rank = shape.size(), depth = space.size() - 1;
  AffineMap map{space, IntList::Filled(space.size(), 0), 0};
  const auto set = [&](int axis, int dim) {
    if (space[axis] > 1 && shape[dim] > 1) map.coefficients[axis] = strides[dim];
  };
  if (rank == 1) {
    set(depth, 0);
  } else {
    for (int d = 0; d < rank - 2; ++d) set(depth - rows - columns - (rank - 2) + d, d);
    set(k == 0 ? depth - columns - 1 : depth - 1, k == 0 ? rank - 2 : rank - 1);
    set(depth, k == 0 ? rank - 1 : rank - 2);
  }
  return FromLoop(program, std::move(map), v, k);
}

}  // namespace seamfuzz
