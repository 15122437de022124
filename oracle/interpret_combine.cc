// Reduce, Scan and Contract: everything that combines elements in an order of the engine's choice.
#include "oracle/elementwise.h"
#include "oracle/interpreter.h"

namespace seamfuzz {

void Accumulate(const PermittedTensor& from, int64_t i, DType compute, Accumulator& accumulator) {
  if (from.IsPoint(i)) {
    const Scalar value = PointValue(from.dtype, from.elements[i]);
    accumulator.AddPoint(from.dtype == compute ? value : Convert(value, from.dtype, compute));
  } else {
    accumulator.Add(PromoteSet(LoadSet(from, i), from.dtype, compute));
  }
}

void Interpreter::Reduce(ValueId v) {
  const Node& node = graph_.node(v);
  const PermittedTensor& from = Operand(v, 0);
  PermittedTensor& tensor = values_[v];
  const DType compute = ComputeDType(graph_, node);
  const IntList dims = ListAttr(node.row(), node.attrs, AttrKey::kDims, from.shape.size());
  std::vector<Accumulator> accumulators(
      tensor.elements.size(),
      Accumulator(CombinationOf(node.row(), compute), node.row(), compute, RegisterDType(compute)));
  // The stride of each operand dim in the result; `keepdim` only adds dims of extent 1.
  Strides strides = IntList::Filled(from.shape.size(), 0);
  int64_t stride = 1;
  for (int d = from.shape.size() - 1; d >= 0; --d) {
    if (dims.contains(d)) continue;
    strides[d] = stride;
    stride *= from.shape[d];
  }
  IntList index = IntList::Filled(from.shape.size(), 0);
  for (int64_t i = 0; i < std::ssize(from.elements); ++i) {
    Accumulate(from, i, compute, accumulators[Dot(index, strides)]);
    NextIndex(index, from.shape);
  }
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i) {
    Put(tensor, i, PromoteSet(accumulators[i].Result(), compute, tensor.dtype));
  }
}

void Interpreter::Scan(ValueId v) {
  const Node& node = graph_.node(v);
  const PermittedTensor& from = Operand(v, 0);
  PermittedTensor& tensor = values_[v];
  const DType compute = ComputeDType(graph_, node);
  const Accumulator empty(CombinationOf(node.row(), compute), node.row(), compute,
                          RegisterDType(compute));
  if (tensor.elements.empty()) return;
  const int dim = static_cast<int>(IntAttr(node.attrs, AttrKey::kDim));
  const int64_t extent = from.shape.empty() ? 1 : from.shape[dim];
  const int64_t inner = from.shape.empty() ? 1 : ContiguousStrides(from.shape)[dim];
  const int64_t outer = std::ssize(from.elements) / (extent * inner);
  for (int64_t line = 0; line < outer * inner; ++line) {
    Accumulator accumulator = empty;
    const int64_t start = line / inner * extent * inner + line % inner;
    for (int64_t j = 0; j < extent; ++j) {
      Accumulate(from, start + j * inner, compute, accumulator);
      Put(tensor, start + j * inner, PromoteSet(accumulator.Result(), compute, tensor.dtype));
    }
  }
}

namespace {

// Where the terms of a matmul element lie in one operand, [..., m, k] or [..., k, n]; a vector has
// neither m nor n.
struct ContractOperand {
  const PermittedTensor& tensor;
  Strides strides;
  int batch_rank;
  int64_t depth_stride;

  ContractOperand(const PermittedTensor& operand, bool left)
      : tensor(operand),
        strides(ContiguousStrides(operand.shape)),
        batch_rank(std::max(operand.shape.size() - 2, 0)) {
    const int rank = operand.shape.size();
    depth_stride = rank == 1 || left ? 1 : strides[rank - 2];
  }
  // `index` is that of the result, whose leading dims are `batch` many.
  int64_t BatchStart(const IntList& index, int batch) const {
    int64_t start = 0;
    for (int d = 0; d < batch_rank; ++d) {
      if (tensor.shape[d] != 1) start += index[batch - batch_rank + d] * strides[d];
    }
    return start;
  }
};

}  // namespace

// torch.matmul: leading dims broadcast; each element is a sum of products.
void Interpreter::Contract(ValueId v) {
  const Node& node = graph_.node(v);
  const ContractOperand a(Operand(v, 0), /*left=*/true);
  const ContractOperand b(Operand(v, 1), /*left=*/false);
  PermittedTensor& tensor = values_[v];
  const DType compute = ComputeDType(graph_, node);
  const int64_t depth = a.tensor.shape[a.tensor.shape.size() - 1];
  const bool has_row = a.tensor.shape.size() > 1;
  const bool has_column = b.tensor.shape.size() > 1;
  const int batch = tensor.shape.size() - has_row - has_column;
  IntList index = IntList::Filled(tensor.shape.size(), 0);
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i) {
    int64_t left = a.BatchStart(index, batch);
    int64_t right = b.BatchStart(index, batch);
    if (has_row) left += index[batch] * depth;
    if (has_column) right += index[batch + has_row];
    Accumulator accumulator(Combination::kSum, node.row(), compute, RegisterDType(compute));
    for (int64_t k = 0; k < depth; ++k) {
      accumulator.AddProduct(a.tensor.elements[left + k],
                             b.tensor.elements[right + k * b.depth_stride]);
    }
    Put(tensor, i, accumulator.Result());
    NextIndex(index, tensor.shape);
  }
}

}  // namespace seamfuzz
