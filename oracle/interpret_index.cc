// Index: places that depend on data. Indices out of range are an error of the case, duplicates a
// choice of the engine.
#include <fmt/format.h>

#include <optional>

#include "oracle/interpreter.h"

namespace seamfuzz {
namespace {

// The possible values of one index; empty when it can be anything.
std::vector<int64_t> PossibleIndices(const PermittedTensor& indices, int64_t position) {
  const ValueSet set = LoadSet(indices, position);
  std::vector<int64_t> values;
  if (set.hull.any) return values;
  if (set.count == 0) values.push_back(set.hull.low.i);
  for (int m = 0; m < set.count; ++m) values.push_back(set.members[m].i);
  return values;
}

}  // namespace

Result<int64_t> Interpreter::Resolve(ValueId v, const IntList& at, int64_t index_position,
                                     int64_t value) const {
  const Node& node = graph_.node(v);
  const Shape& shape = Operand(v, 0).shape;
  const IntList index = node.row().resolve(at, value, node.attrs);
  for (int d = 0; d < shape.size(); ++d) {
    if (index[d] >= 0 && index[d] < shape[d]) continue;
    const Node& indices = graph_.node(node.operands[node.row().index_operand].value);
    return Error{"index_range",
                 fmt::format("{}: index {} at {}{} is outside dim {} of {}, which has {} elements",
                             node.name, value, indices.name,
                             Unravel(index_position, indices.type.shape).Text(), d,
                             graph_.node(node.operands[0].value).name, shape[d])};
  }
  return Ravel(index, shape);
}

Status Interpreter::Gather(ValueId v) {
  const Node& node = graph_.node(v);
  const PermittedTensor& from = Operand(v, 0);
  const PermittedTensor& indices = Operand(v, node.row().index_operand);
  PermittedTensor& tensor = values_[v];
  IntList at = IntList::Filled(tensor.shape.size(), 0);
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i) {
    const int64_t index_position = Ravel(node.row().index_at(at, node.attrs), indices.shape);
    std::optional<ValueSet> set;
    for (const int64_t value : PossibleIndices(indices, index_position)) {
      const Result<int64_t> position = Resolve(v, at, index_position, value);
      if (!position.ok()) return position.error();
      const ValueSet found = LoadSet(from, *position);
      set = set ? Union(from.dtype, *set, found) : found;
    }
    Put(tensor, i, set.value_or(SetOf(AnyValue())));
    NextIndex(at, tensor.shape);
  }
  return Done{};
}

// A copy of operand 0 into which the last operand is written. Duplicate indices: any of the values
// (finite set), or their combination in any order where the row combines.
Status Interpreter::Scatter(ValueId v) {
  const Node& node = graph_.node(v);
  const PermittedTensor& base = Operand(v, 0);
  const PermittedTensor& indices = Operand(v, node.row().index_operand);
  const PermittedTensor& source = Operand(v, static_cast<int>(node.operands.size()) - 1);
  PermittedTensor& tensor = values_[v];
  tensor = base;
  if (indices.elements.empty()) return Done{};
  const DType dtype = tensor.dtype;
  constexpr int kUntouched = -1;
  std::vector<int> written(tensor.elements.size(),
                           kUntouched);  // the number of its accumulator, or 0
  std::vector<Accumulator> accumulators;
  IntList at = IntList::Filled(indices.shape.size(), 0);
  for (int64_t i = 0; i < std::ssize(indices.elements); ++i) {
    const std::vector<int64_t> possible = PossibleIndices(indices, i);
    if (possible.size() != 1) {  // it may write anywhere
      for (int64_t e = 0; e < std::ssize(tensor.elements); ++e) Put(tensor, e, SetOf(AnyValue()));
      return Done{};
    }
    const Result<int64_t> position = Resolve(v, at, i, possible.front());
    if (!position.ok()) return position.error();
    const int64_t source_position = Ravel(at, source.shape);
    int& slot = written[*position];
    if (node.row().combine != nullptr) {
      if (slot == kUntouched) {
        slot = static_cast<int>(accumulators.size());
        // Atomic additions round to the element's own dtype each time (PyTorch's scatter_add on
        // CUDA).
        accumulators.emplace_back(CombinationOf(node.row(), dtype), node.row(), dtype, dtype);
        Accumulate(base, *position, dtype, accumulators.back());
      }
      Accumulate(source, source_position, dtype, accumulators[slot]);
    } else {
      const ValueSet value = LoadSet(source, source_position);
      StoreSet(tensor, *position,
               slot == kUntouched ? value : Union(dtype, LoadSet(tensor, *position), value));
      slot = 0;
    }
    NextIndex(at, indices.shape);
  }
  for (int64_t e = 0; e < std::ssize(tensor.elements); ++e) {
    if (node.row().combine != nullptr && written[e] != kUntouched) {
      Put(tensor, e, accumulators[written[e]].Result());
    } else {
      all_points_ &= tensor.IsPoint(e);
    }
  }
  return Done{};
}

}  // namespace seamfuzz
