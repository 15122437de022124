// One function per form; every element of every live value gets its permitted set.
#include "oracle/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generator/ir/check.h"
#include "generator/ir/index_map.h"
#include "oracle/accumulate.h"
#include "oracle/elementwise.h"

namespace seamfuzz {
namespace {

// Walks a result in row-major order and keeps the position in each broadcast operand.
class BroadcastWalk {
 public:
  BroadcastWalk(const Shape& result, int operands) : shape_(result), operands_(operands) {}
  void SetOperand(int k, const Shape& shape) {
    linear_ &= shape == shape_ || NumElements(shape) == 1;
    const Strides contiguous = ContiguousStrides(shape);
    strides_[k] = IntList::Filled(shape_.size(), 0);
    const int missing = shape_.size() - shape.size();
    for (int d = 0; d < shape.size(); ++d) {
      if (shape[d] != 1) strides_[k][missing + d] = contiguous[d];
    }
    step_[k] = NumElements(shape) == 1 ? 0 : 1;
  }
  void SetLiteral(int k) { strides_[k] = IntList::Filled(shape_.size(), 0); }
  int64_t position(int k) const { return position_[k]; }
  void Next() {
    if (linear_) {
      for (int k = 0; k < operands_; ++k) position_[k] += step_[k];
      return;
    }
    for (int d = shape_.size() - 1; d >= 0; --d) {
      const bool carry = ++index_[d] == shape_[d];
      if (carry) index_[d] = 0;
      for (int k = 0; k < operands_; ++k)
        position_[k] += carry ? -strides_[k][d] * (shape_[d] - 1) : strides_[k][d];
      if (!carry) return;
    }
  }

 private:
  const Shape& shape_;
  int operands_;
  bool linear_ = true;
  std::array<Strides, kMaxElementwiseArity> strides_;
  std::array<int64_t, kMaxElementwiseArity> step_ = {};
  std::array<int64_t, kMaxElementwiseArity> position_ = {};
  IntList index_ = IntList::Filled(kMaxRank, 0);
};

class Interpreter {
 public:
  Interpreter(const Graph& graph, Mode mode, const std::vector<StorageBytes>& entry)
      : graph_(graph),
        mode_(mode),
        entry_(entry),
        storage_of_(StorageOf(graph)),
        values_(graph.size()) {}

  Status Run();
  std::vector<PermittedTensor>& values() { return values_; }
  bool all_points() const { return all_points_; }
  bool both_modes() const { return both_modes_; }

 private:
  Status Evaluate(ValueId v);
  void Input(ValueId v);
  void Copy(ValueId v);
  void Cast(ValueId v);
  void Source(ValueId v);
  void Elementwise(ValueId v);
  void Reduce(ValueId v);
  void Scan(ValueId v);
  void Move(ValueId v);
  void Contract(ValueId v);
  Status Gather(ValueId v);
  Status Scatter(ValueId v);

  const PermittedTensor& Operand(ValueId v, int k) const {
    return values_[graph_.node(v).operands[k].value];
  }
  void Put(PermittedTensor& tensor, int64_t i, const ValueSet& set) {
    StoreSet(tensor, i, set);
    all_points_ &= tensor.IsPoint(i);
  }
  // The index into operand 0 for one value of the index operand.
  Result<int64_t> Resolve(ValueId v, const IntList& at, int64_t index_position,
                          int64_t value) const;

  const Graph& graph_;
  Mode mode_;
  const std::vector<StorageBytes>& entry_;
  std::vector<int> storage_of_;
  std::vector<PermittedTensor> values_;
  bool all_points_ = true;
  bool both_modes_ = true;
};

bool IsCopy(const Node& node) {
  return node.op == SetOp() || node.op == CloneOp() || node.op == SegmentSetOp();
}

// A literal in a 16-bit op: frameworks keep it in f32 (PyTorch's opmath type) or round it first;
// both are permitted.
ValueSet LiteralSet(const Operand& operand, DType compute) {
  SetBuilder builder(compute);
  const Scalar narrow = Convert(operand.literal, operand.literal_dtype, compute);
  if (IsNarrowFloat(compute)) {
    const Scalar wide = Convert(operand.literal, operand.literal_dtype, DType::kF32);
    const bool ordered = narrow.f <= wide.f;
    builder.AddInterval(ordered ? narrow : wide, ordered ? wide : narrow);
  } else {
    builder.Add(narrow);
  }
  return builder.Build();
}

Status Interpreter::Run() {
  const std::vector<bool> live = LiveNodes(graph_);
  for (ValueId v = 0; v < graph_.size(); ++v) {
    PermittedTensor& tensor = values_[v];
    tensor.dtype = graph_.type(v).dtype;
    tensor.shape = graph_.type(v).shape;
    if (!live[v]) continue;
    tensor.elements.resize(static_cast<size_t>(NumElements(tensor.shape)));
    Status done = Evaluate(v);
    if (!done.ok()) return done;
  }
  return Done{};
}

Status Interpreter::Evaluate(ValueId v) {
  const Node& node = graph_.node(v);
  if (graph_.is_input(v)) {
    Input(v);
  } else if (IsCopy(node)) {
    Copy(v);
  } else {
    switch (node.row().form) {
      case Form::kSource:
        Source(v);
        break;
      case Form::kElementwise:
        node.row().types == TypeRule::kCast ? Cast(v) : Elementwise(v);
        break;
      case Form::kReduce:
        Reduce(v);
        break;
      case Form::kMove:
        Move(v);
        break;
      case Form::kIndex:
        return node.row().scatters ? Scatter(v) : Gather(v);
      case Form::kScan:
        Scan(v);
        break;
      case Form::kContract:
        Contract(v);
        break;
      case Form::kComposite:
        CHECK(false);  // expanded before
    }
  }
  return Done{};
}

void Interpreter::Input(ValueId v) {
  const Node& node = graph_.node(v);
  PermittedTensor& tensor = values_[v];
  const std::byte* start = entry_[storage_of_[v]].data() + kGuardBytes;
  IntList index = IntList::Filled(tensor.shape.size(), 0);
  for (Permitted& element : tensor.elements) {
    element = PointOf(tensor.dtype, Load(start + ByteOffset(node, index), tensor.dtype));
    NextIndex(index, tensor.shape);
  }
}

// A copy changes no value; a cut rounds to its dtype (design 2.1), and is nothing at all in one
// fusion.
void Interpreter::Copy(ValueId v) {
  const PermittedTensor& from = Operand(v, 0);
  PermittedTensor& tensor = values_[v];
  tensor = from;
  if (graph_.node(v).op != SegmentSetOp() || !IsFloat(from.dtype)) return;
  for (int64_t i = 0; i < std::ssize(from.elements); ++i) {
    if (from.IsPoint(i)) continue;  // points are numbers of the dtype already
    const ValueSet set = LoadSet(from, i);
    const ValueSet rounded = RoundSet(from.dtype, set);
    both_modes_ &= rounded.hull.low.f == set.hull.low.f && rounded.hull.high.f == set.hull.high.f;
    if (mode_ == Mode::kSegmented) StoreSet(tensor, i, rounded);
  }
}

void Interpreter::Cast(ValueId v) {
  const PermittedTensor& from = Operand(v, 0);
  PermittedTensor& tensor = values_[v];
  const bool total = !IsFloat(from.dtype) || !IsInteger(tensor.dtype);  // every value converts
  for (int64_t i = 0; i < std::ssize(from.elements); ++i) {
    if (total && from.IsPoint(i)) {
      tensor.elements[i] = PointOf(tensor.dtype, Convert(PointValue(from.dtype, from.elements[i]),
                                                         from.dtype, tensor.dtype));
    } else {
      Put(tensor, i, CastSet(LoadSet(from, i), from.dtype, tensor.dtype));
    }
  }
}

void Interpreter::Source(ValueId v) {
  const Node& node = graph_.node(v);
  PermittedTensor& tensor = values_[v];
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i) {
    tensor.elements[i] =
        PointOf(tensor.dtype, Round(tensor.dtype, node.row().generate(i, node.type, node.attrs)));
  }
}

void Interpreter::Elementwise(ValueId v) {
  const Node& node = graph_.node(v);
  const ElementwiseOp op = MakeElementwiseOp(graph_, node);
  const int arity = static_cast<int>(node.operands.size());
  CHECK(arity <= kMaxElementwiseArity);
  PermittedTensor& tensor = values_[v];
  BroadcastWalk walk(tensor.shape, arity);
  std::array<const PermittedTensor*, kMaxElementwiseArity> from = {};
  std::array<PermittedTensor, kMaxElementwiseArity> literals;
  for (int k = 0; k < arity; ++k) {
    if (node.operands[k].is_literal()) {
      literals[k] = {
          .dtype = op.compute, .shape = {}, .elements = std::vector<Permitted>(1), .sets = {}};
      StoreSet(literals[k], 0, LiteralSet(node.operands[k], op.compute));
      from[k] = &literals[k];
      walk.SetLiteral(k);
    } else {
      from[k] = &Operand(v, k);
      walk.SetOperand(k, from[k]->shape);
    }
  }
  std::array<Scalar, kMaxElementwiseArity> points = {};
  std::array<ValueSet, kMaxElementwiseArity> sets;
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i, walk.Next()) {
    bool all_points = true;
    for (int k = 0; k < arity && all_points; ++k) {
      const int64_t position = walk.position(k);
      const DType dtype = from[k]->dtype;
      all_points = from[k]->IsPoint(position);
      const Scalar value = PointValue(dtype, from[k]->elements[position]);
      points[k] = dtype == op.compute ? value : Convert(value, dtype, op.compute);
      // A wider 0-dim operand of a 16-bit op may stay unrounded.
      if (IsNarrowFloat(op.compute) && IsFloat(dtype)) all_points &= points[k].f == value.f;
    }
    Scalar result;
    if (all_points && EvaluatePoint(op, std::span(points).first(arity), result)) {
      tensor.elements[i] = PointOf(tensor.dtype, result);
      continue;
    }
    for (int k = 0; k < arity; ++k) {
      sets[k] = PromoteSet(LoadSet(*from[k], walk.position(k)), from[k]->dtype, op.compute);
    }
    Put(tensor, i, EvaluateSets(op, std::span(sets).first(arity)));
  }
}

// Adds one element of `from` to an accumulator that computes in `compute`.
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

void Interpreter::Move(ValueId v) {
  const Node& node = graph_.node(v);
  PermittedTensor& tensor = values_[v];
  const PlaceTable places = EnumeratePlaces(graph_, node);
  const Attr* value = FindAttr(node.attrs, AttrKey::kValue);
  const Scalar fill =
      Convert(value == nullptr ? FloatScalar(0) : value->value, DType::kF64, tensor.dtype);
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i) {
    const int operand = places.operand.empty() ? 0 : places.operand[i];
    if (operand < 0) {
      tensor.elements[i] = PointOf(tensor.dtype, fill);
      continue;
    }
    const PermittedTensor& from = Operand(v, operand);
    const int64_t position = places.position[i];
    if (from.dtype == tensor.dtype && from.elements[position].finite < 0) {
      tensor.elements[i] = from.elements[position];
    } else {
      StoreSet(tensor, i, PromoteSet(LoadSet(from, position), from.dtype, tensor.dtype));
    }
  }
}

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

// The possible values of one index; empty when it can be anything.
std::vector<int64_t> PossibleIndices(const PermittedTensor& indices, int64_t position) {
  const ValueSet set = LoadSet(indices, position);
  std::vector<int64_t> values;
  if (set.hull.any) return values;
  if (set.count == 0) values.push_back(set.hull.low.i);
  for (int m = 0; m < set.count; ++m) values.push_back(set.members[m].i);
  return values;
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

}  // namespace

void Tally::Add(const Tally& other) {
  for (int form = 0; form < kFormCount; ++form) {
    judged[form] += other.judged[form];
    weak[form] += other.weak[form];
    unjudged[form] += other.unjudged[form];
  }
}

Result<Reference> Interpret(const Graph& graph, Mode mode, const std::vector<StorageBytes>& entry) {
  if (graph.reading() == Reading::kTrace)
    return Error{"trace", "the reference reads graphs; a trace must be functionalized first"};
  const bool has_composites =
      std::any_of(graph.nodes().begin(), graph.nodes().end(),
                  [](const Node& node) { return node.row().form == Form::kComposite; });
  Reference reference;
  if (!has_composites) {
    Interpreter interpreter(graph, mode, entry);
    const Status done = interpreter.Run();
    if (!done.ok()) return done.error();
    reference.values = std::move(interpreter.values());
    reference.all_points = interpreter.all_points();
    reference.both_modes = interpreter.both_modes();
    return reference;
  }
  const Expanded expanded = ExpandComposites(graph);
  Interpreter interpreter(expanded.graph, mode, entry);
  const Status done = interpreter.Run();
  if (!done.ok()) return done.error();
  reference.all_points = interpreter.all_points();
  reference.both_modes = interpreter.both_modes();
  // Two nodes may stand for one value: a composite whose definition is its operand.
  for (const ValueId image : expanded.image)
    reference.values.push_back(interpreter.values()[image]);
  return reference;
}

}  // namespace seamfuzz
