// Index: places that depend on data. Indices out of range are an error of the case, duplicates a
// choice of the engine.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <span>

#include "oracle/interpreter.h"

namespace seamfuzz {
namespace {

// The possible values of one index; none when it can be anything.
struct PossibleIndices {
  int count = 0;
  std::array<Scalar, kMaxFinite> values;
  std::span<const Scalar> all() const { return std::span(values).first(count); }
};

PossibleIndices PossibleIndicesAt(const PermittedTensor& indices, int64_t position) {
  const ValueSet set = LoadSet(indices, position);
  if (set.hull.any) return {};
  if (set.count == 0) return {.count = 1, .values = {set.hull.low}};
  return {.count = set.count, .values = set.members};
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
    const PossibleIndices possible = PossibleIndicesAt(indices, index_position);
    for (const Scalar value : possible.all()) {
      const Result<int64_t> position = Resolve(v, at, index_position, value.i);
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
    const PossibleIndices possible = PossibleIndicesAt(indices, i);
    if (possible.count != 1) {  // it may write anywhere
      for (int64_t e = 0; e < std::ssize(tensor.elements); ++e) Put(tensor, e, SetOf(AnyValue()));
      return Done{};
    }
    const Result<int64_t> position = Resolve(v, at, i, possible.values[0].i);
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
