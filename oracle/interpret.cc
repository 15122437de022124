// Liveness, dispatch by form, and the forms whose elements stand alone: Source, Elementwise, Move.
#include "oracle/interpret.h"

#include <algorithm>
#include <cstring>

#include "generator/ir/check.h"
#include "generator/ir/index_map.h"
#include "oracle/elementwise.h"
#include "oracle/interpreter.h"

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

}  // namespace

// Nodes that an effect names, and what those among them that are not known are computed from.
std::vector<bool> Interpreter::Needed() const {
  std::vector<bool> needed(graph_.nodes().size(), false);
  for (const Effect& effect : graph_.effects()) {
    needed[effect.value] = true;
    if (effect.is_update()) needed[effect.target] = true;
  }
  for (ValueId v = graph_.size() - 1; v >= 0; --v) {
    if (!needed[v] || known_[v] != nullptr) continue;
    for (const seamfuzz::Operand& operand : graph_.node(v).operands) {
      if (!operand.is_literal()) needed[operand.value] = true;
    }
  }
  return needed;
}

Status Interpreter::Run() {
  const std::vector<bool> needed = Needed();
  for (ValueId v = 0; v < graph_.size(); ++v) {
    PermittedTensor& tensor = values_[v];
    tensor.dtype = graph_.type(v).dtype;
    tensor.shape = graph_.type(v).shape;
    if (!needed[v]) continue;
    if (known_[v] != nullptr) {
      tensor = *known_[v];
      continue;
    }
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
  if (node.layout.strides == ContiguousStrides(tensor.shape)) {
    const std::byte* at = start + ByteOffset(node, index);
    for (Permitted& element : tensor.elements) {
      element = PointOf(tensor.dtype, Load(at, tensor.dtype));
      at += Row(tensor.dtype).bytes;
    }
    return;
  }
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

bool SameBytes(const StorageBytes& a, const StorageBytes& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

void Tally::Add(const Tally& other) {
  for (int form = 0; form < kFormCount; ++form) {
    judged[form] += other.judged[form];
    weak[form] += other.weak[form];
    unjudged[form] += other.unjudged[form];
  }
}

namespace {

// `known` by node of `graph`, as Interpreter takes it.
Result<Reference> InterpretUnknown(const Graph& graph, Mode mode,
                                   const std::vector<StorageBytes>& entry,
                                   Interpreter::Known known) {
  const bool has_composites =
      std::any_of(graph.nodes().begin(), graph.nodes().end(),
                  [](const Node& node) { return node.row().form == Form::kComposite; });
  Reference reference;
  if (!has_composites) {
    Interpreter interpreter(graph, mode, entry, std::move(known));
    const Status done = interpreter.Run();
    if (!done.ok()) return done.error();
    reference.values = std::move(interpreter.values());
    reference.all_points = interpreter.all_points();
    reference.both_modes = interpreter.both_modes();
    return reference;
  }
  const Expanded expanded = ExpandComposites(graph);
  Interpreter::Known known_images(expanded.graph.nodes().size(), nullptr);
  for (ValueId v = 0; v < graph.size(); ++v) known_images[expanded.image[v]] = known[v];
  Interpreter interpreter(expanded.graph, mode, entry, std::move(known_images));
  const Status done = interpreter.Run();
  if (!done.ok()) return done.error();
  reference.all_points = interpreter.all_points();
  reference.both_modes = interpreter.both_modes();
  // Two nodes may stand for one value (a composite whose definition is its operand): only the last
  // takes it away.
  std::vector<int> uses(expanded.graph.nodes().size(), 0);
  for (const ValueId image : expanded.image) ++uses[image];
  reference.values.reserve(expanded.image.size());
  for (const ValueId image : expanded.image) {
    PermittedTensor& value = interpreter.values()[image];
    if (--uses[image] == 0) {
      reference.values.push_back(std::move(value));
    } else {
      reference.values.push_back(value);
    }
  }
  return reference;
}

}  // namespace

Result<Reference> Interpret(const Graph& graph, Mode mode, const std::vector<StorageBytes>& entry) {
  if (graph.reading() == Reading::kTrace)
    return Error{"trace", "the reference reads graphs; a trace must be functionalized first"};
  return InterpretUnknown(graph, mode, entry, Interpreter::Known(graph.nodes().size(), nullptr));
}

Result<Reference> InterpretNext(const Graph& graph, Mode mode,
                                const std::vector<StorageBytes>& before,
                                const std::vector<StorageBytes>& entry, const Reference& first) {
  std::vector<bool> same_storage(entry.size());
  for (size_t s = 0; s < entry.size(); ++s) same_storage[s] = SameBytes(before[s], entry[s]);
  const std::vector<int> storage_of = StorageOf(graph);
  Interpreter::Known known(graph.nodes().size(), nullptr);
  for (ValueId v = 0; v < graph.size(); ++v) {
    const std::vector<Operand>& operands = graph.node(v).operands;
    const bool same =
        graph.is_input(v)
            ? same_storage[storage_of[v]]
            : std::all_of(operands.begin(), operands.end(), [&](const Operand& operand) {
                return operand.is_literal() || known[operand.value] != nullptr;
              });
    if (same) known[v] = &first.values[v];
  }
  Result<Reference> reference = InterpretUnknown(graph, mode, before, std::move(known));
  if (reference.ok()) {
    reference->all_points &= first.all_points;
    reference->both_modes &= first.both_modes;
  }
  return reference;
}

}  // namespace seamfuzz
