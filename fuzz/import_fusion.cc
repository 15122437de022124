// Inputs, effects and single nodes of an imported fusion; its ops are rows in import_ops.cc.
#include "fuzz/import_fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/import_ops.h"

namespace seamfuzz {
namespace {

using Bound = std::vector<const ScriptValue*>;

bool IsAbsent(const ScriptValue* value) { return value == nullptr || value->is(ScriptKind::kNone); }

}  // namespace

std::optional<Operand> AsLiteral(const ScriptValue& value) {
  if (value.is(ScriptKind::kInteger)) return Operand::Integer(value.integer);
  if (value.is(ScriptKind::kBool)) return Literal(IntScalar(value.integer), DType::kBool);
  if (value.is(ScriptKind::kFloat)) return Operand::Number(value.real);
  if (value.is(ScriptKind::kValue) && value.operand.is_literal()) return value.operand;
  return std::nullopt;
}

Operand Literal(Scalar value, DType dtype) {
  const DType spelled = IsFloat(dtype)          ? DType::kF64
                        : dtype == DType::kBool ? DType::kBool
                                                : DType::kI64;
  return {.value = kNoValue, .literal = value, .literal_dtype = spelled};
}

void FusionBuilder::Fail(std::string rule, std::string message) {
  if (!error_) error_ = Error{std::move(rule), std::move(message), line_, column_};
}

void FusionBuilder::WantEqual(int64_t a, int64_t b) {
  if (a != b && a != 1 && b != 1) mismatches_.emplace_back(a, b);
}

// ---- Calls
// ----------------------------------------------------------------------------------------------------------

ScriptValue FusionBuilder::Call(std::string_view name, const ScriptArguments& arguments) {
  if (error_) return {};
  line_ = arguments.line;
  column_ = arguments.column;
  if (name == "define_tensor") return DefineTensor(arguments);
  if (name == "from_pytorch") return FromTorch(arguments);
  if (name == "define_scalar" || name == "define_constant") return DefineScalar(arguments);
  if (name == "define_vector") return DefineVector(arguments);
  if (name == "add_output") return AddOutput(arguments);
  if (name == "add_input") return ScriptValue::None();  // 2022: definitions were no inputs yet
  Fail("unsupported_op", fmt::format("fd.{} has no equivalent", name));
  return {};
}

ScriptValue FusionBuilder::CallOp(std::string_view name, const ScriptArguments& arguments) {
  if (error_) return {};
  line_ = arguments.line;
  column_ = arguments.column;
  return ImportOp(*this, name, arguments);
}

const ScriptValue* FusionBuilder::NextInput() {
  const size_t i = next_input_++;
  return i < inputs_.size() ? &inputs_[i] : nullptr;
}

ScriptValue FusionBuilder::AddTensorInput(const TensorType& type, const Strides& strides,
                                          const ImportedTensor* tensor) {
  Layout layout;
  if (strides != ContiguousStrides(type.shape)) layout.strides = strides;
  if (tensor != nullptr) layout.offset = tensor->offset;
  const Result<ValueId> added = graph_.AddInput(fmt::format("in{}", graph_.size()), type, layout);
  if (!added.ok()) {
    Fail(added.error().rule, added.error().message);
    return {};
  }
  tensor_inputs_.push_back({*added, tensor == nullptr ? -1 : tensor->storage});
  return ScriptValue::OfGraph(Operand::Value(*added));
}

// Strides of an input that the script gives no tensor for: `stride_order[i]` is the rank of dim i's
// stride, 0 the fastest; `contiguity` stands in allocation order, outermost first, False leaving a
// gap and None meaning broadcast.
Strides FusionBuilder::DefinedStrides(const Shape& shape, const ScriptValue* contiguity,
                                      const ScriptValue* stride_order) {
  const int rank = shape.size();
  IntList dim_at;  // allocation order -> dim
  for (int d = 0; d < rank; ++d) dim_at.push_back(d);
  if (!IsAbsent(stride_order)) {
    const std::optional<IntList> order = AsIntList(*stride_order, heap_);
    if (order && order->size() == rank) {
      for (int d = 0; d < rank; ++d) {
        const int64_t fast = (*order)[d] < 0 ? (*order)[d] + rank : (*order)[d];
        if (fast < 0 || fast >= rank) {
          Fail("arguments", "stride_order is no permutation");
          return ContiguousStrides(shape);
        }
        dim_at[static_cast<int>(rank - 1 - fast)] = d;
      }
    }
  }
  std::vector<ScriptValue> declared;
  if (contiguity != nullptr && contiguity->is(ScriptKind::kList))
    declared = heap_.lists[contiguity->id];
  Strides strides = IntList::Filled(rank, 0);
  int64_t running = 1;
  for (int k = rank - 1; k >= 0; --k) {
    const int d = static_cast<int>(dim_at[k]);
    const ScriptValue flag =
        k < static_cast<int>(declared.size()) ? declared[k] : ScriptValue::Bool(true);
    if (flag.is(ScriptKind::kNone) && shape[d] != 1) continue;  // expanded: stride 0
    if (flag.is(ScriptKind::kBool) && flag.integer == 0 && shape[d] != 1) ++running;
    strides[d] = running;
    if (running > kMaxElements) break;  // AddInput names the rule
    running *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

// Every form that the frontends have had: (shape, contiguity, ...), (sizes, strides, ...), (ndims),
// (symbolic_sizes, ...).
ScriptValue FusionBuilder::DefineTensor(const ScriptArguments& arguments) {
  const auto bound = BindArguments(
      "shape|sizes|symbolic_sizes|ndims contiguity|contiguous|strides dtype is_cpu stride_order "
      "static_sizes",
      arguments);
  if (!bound || (*bound)[0] == nullptr) {
    Fail("arguments", "fd.define_tensor needs a shape");
    return {};
  }
  const auto [shape_value, second, dtype_value, cpu, stride_order, fixed] =
      std::array{(*bound)[0], (*bound)[1], (*bound)[2], (*bound)[3], (*bound)[4], (*bound)[5]};
  static_cast<void>(cpu);
  static_cast<void>(fixed);
  std::optional<IntList> shape = AsIntList(*shape_value, heap_);
  if (const std::optional<int64_t> rank = AsInteger(*shape_value);
      rank && *rank >= 0 && *rank <= kMaxRank) {
    shape = IntList::Filled(static_cast<int>(*rank), -1);
  }
  if (!shape) {
    Fail("unknown_value",
         "the shape of fd.define_tensor cannot be known without running the script");
    return {};
  }
  DType dtype = DType::kF32;
  if (dtype_value != nullptr) {
    const std::optional<DType> known = AsDType(*dtype_value);
    if (!known) {
      Fail("unsupported_dtype",
           fmt::format("{} has no equivalent",
                       dtype_value->text.empty() ? "dtype" : dtype_value->text));
      return {};
    }
    dtype = *known;
  }
  const int rank = shape->size();
  const ScriptValue* given = NextInput();
  if (given != nullptr && given->is(ScriptKind::kTensor)) {
    const ImportedTensor tensor = heap_.tensors[given->id];
    bool fits = tensor.shape.size() == rank;
    for (int d = 0; fits && d < rank; ++d) fits = (*shape)[d] < 0 || (*shape)[d] == tensor.shape[d];
    if (!fits) {
      Fail("inputs", fmt::format("input {} is {} but is defined as {}", next_input_ - 1,
                                 tensor.shape.Text(), shape->Text()));
      return {};
    }
    return AddTensorInput({dtype, tensor.shape}, tensor.strides, &tensor);
  }
  for (int64_t& extent : *shape) extent = extent < 0 ? sizes_.Next() : extent;
  if (NumElements(*shape) > kMaxElements) {
    Fail("element_limit", fmt::format("{} has more than 2^28 elements", shape->Text()));
    return {};
  }
  // (sizes, strides): the second list holds numbers, not flags.
  if (second != nullptr && second->is(ScriptKind::kList)) {
    const std::vector<ScriptValue>& items = heap_.lists[second->id];
    const bool numbers =
        !items.empty() && std::all_of(items.begin(), items.end(), [](const ScriptValue& v) {
          return v.is(ScriptKind::kInteger);
        });
    const std::optional<IntList> strides = AsIntList(*second, heap_);
    if (numbers && strides && strides->size() == rank &&
        std::none_of(strides->begin(), strides->end(), [](int64_t s) { return s < 0; })) {
      return AddTensorInput({dtype, *shape}, *strides, nullptr);
    }
  }
  return AddTensorInput({dtype, *shape}, DefinedStrides(*shape, second, stride_order), nullptr);
}

ScriptValue FusionBuilder::FromTorch(const ScriptArguments& arguments) {
  const auto bound = BindArguments("tensor static_sizes", arguments);
  const ScriptValue* given = NextInput();
  const ScriptValue* named = bound ? (*bound)[0] : nullptr;
  if (named != nullptr && named->is(ScriptKind::kTensor)) given = named;
  if (given == nullptr || !given->is(ScriptKind::kTensor)) {
    Fail("unknown_value",
         "the tensor of fd.from_pytorch cannot be known without running the script");
    return {};
  }
  const ImportedTensor tensor = heap_.tensors[given->id];
  return AddTensorInput({tensor.dtype, tensor.shape}, tensor.strides, &tensor);
}

ScriptValue FusionBuilder::AddScalarInput(DType dtype, const ScriptValue* given) {
  const Result<ValueId> added =
      graph_.AddInput(fmt::format("in{}", graph_.size()), {dtype, {}}, {.scalar = true});
  if (!added.ok()) {
    Fail(added.error().rule, added.error().message);
    return {};
  }
  if (const std::optional<Operand> literal = given == nullptr ? std::nullopt : AsLiteral(*given)) {
    known_[*added] = Convert(literal->literal, literal->literal_dtype, dtype);
  }
  return ScriptValue::OfGraph(Operand::Value(*added));
}

// define_scalar(dtype) and define_scalar(None, dtype) are inputs, define_scalar(value, dtype) is a
// literal.
ScriptValue FusionBuilder::DefineScalar(const ScriptArguments& arguments) {
  const auto bound = BindArguments("value dtype", arguments);
  if (!bound) {
    Fail("arguments", "fd.define_scalar takes a value and a dtype");
    return {};
  }
  const ScriptValue* value = (*bound)[0];
  const ScriptValue* dtype_value = (*bound)[1];
  if (value != nullptr && AsDType(*value)) std::swap(value, dtype_value);
  std::optional<DType> dtype;
  if (!IsAbsent(dtype_value)) dtype = AsDType(*dtype_value);
  if (!IsAbsent(dtype_value) && !dtype) {
    Fail("unsupported_dtype", fmt::format("{} has no equivalent",
                                          dtype_value->text.empty() ? "dtype" : dtype_value->text));
    return {};
  }
  if (IsAbsent(value)) return AddScalarInput(dtype.value_or(DType::kF64), NextInput());
  const std::optional<Operand> literal = AsLiteral(*value);
  if (!literal) {
    Fail("unknown_value",
         "the value of fd.define_scalar cannot be known without running the script");
    return {};
  }
  if (!dtype) return ScriptValue::OfGraph(*literal);
  const DType spelled = Literal({}, *dtype).literal_dtype;
  return ScriptValue::OfGraph(
      Literal(Convert(literal->literal, literal->literal_dtype, spelled), spelled));
}

// define_vector(3): that many integer inputs; define_vector([2, S1]): those values. Their use is
// shapes.
ScriptValue FusionBuilder::DefineVector(const ScriptArguments& arguments) {
  const auto bound = BindArguments("values|size dtype", arguments);
  if (!bound || (*bound)[0] == nullptr) {
    Fail("arguments", "fd.define_vector needs a size or values");
    return {};
  }
  if ((*bound)[0]->is(ScriptKind::kList)) return *(*bound)[0];
  const int64_t size = AsInt((*bound)[0], "the size of fd.define_vector");
  if (error_) return {};
  if (size < 0 || size > kMaxRank) {
    Fail("rank_limit", fmt::format("a vector of {} sizes", size));
    return {};
  }
  std::vector<ScriptValue> items;
  for (int64_t i = 0; i < size; ++i) items.push_back(AddScalarInput(DType::kI64, NextInput()));
  return heap_.List(std::move(items));
}

ScriptValue FusionBuilder::AddOutput(const ScriptArguments& arguments) {
  const auto bound = BindArguments("output alias_input|stride_order", arguments);
  if (!bound || (*bound)[0] == nullptr) {
    Fail("arguments", "fd.add_output takes an output and the input that it updates");
    return {};
  }
  const Operand value = AsTensor((*bound)[0], "the value of fd.add_output");
  if (error_) return {};
  Status added = Done{};
  if (const ScriptValue* second = (*bound)[1];
      !IsAbsent(second) && !second->is(ScriptKind::kList)) {
    const Operand target = AsTensor(second, "the aliased input of fd.add_output");
    if (error_) return {};
    if (!graph_.is_input(target.value)) {
      Fail("update_target", "fd.add_output: what it should update is computed, not an input");
      return {};
    }
    added = graph_.AddUpdate(target.value, value.value);
  } else {
    added =
        graph_.AddOutput(value.value);  // a stride order is layout of an output, which no case has
  }
  if (!added.ok()) Fail(added.error().rule, added.error().message);
  return ScriptValue::None();
}

// ---- Nodes
// ----------------------------------------------------------------------------------------------------------

Operand FusionBuilder::AsOperand(const ScriptValue* value, std::string_view what) {
  if (value == nullptr) {
    Fail("arguments", fmt::format("{} is missing", what));
    return {};
  }
  if (value->is(ScriptKind::kValue)) return value->operand;
  if (const std::optional<Operand> literal = AsLiteral(*value)) return *literal;
  Fail("unknown_value", fmt::format("{} cannot be known without running the script", what));
  return {};
}

Operand FusionBuilder::AsTensor(const ScriptValue* value, std::string_view what) {
  const Operand operand = AsOperand(value, what);
  if (!error_ && operand.is_literal())
    Fail("arguments", fmt::format("{} is a constant, not a tensor", what));
  return operand;
}

int64_t FusionBuilder::AsInt(const ScriptValue* value, std::string_view what) {
  if (value != nullptr) {
    if (const std::optional<int64_t> integer = AsInteger(*value)) return *integer;
    if (value->is(ScriptKind::kValue)) {
      const auto known = known_.find(value->operand.value);
      if (known != known_.end() && !IsFloat(graph_.type(known->first).dtype))
        return known->second.i;
    }
  }
  if (value == nullptr) {
    Fail("arguments", fmt::format("{} is missing", what));
  } else {
    Fail("unknown_value", fmt::format("{} cannot be known without running the script", what));
  }
  return 0;
}

IntList FusionBuilder::AsList(const ScriptValue* value, std::string_view what) {
  IntList list;
  if (value == nullptr || !value->is(ScriptKind::kList)) {
    list.push_back(AsInt(value, what));  // a single dim
    return list;
  }
  const std::vector<ScriptValue>& items = heap_.lists[value->id];
  if (items.size() > kMaxRank) {
    Fail("rank_limit", fmt::format("{} has more than {} entries", what, kMaxRank));
    return list;
  }
  for (const ScriptValue& item : items) list.push_back(AsInt(&item, what));
  return list;
}

// The literal that an op makes of literals, by the op's own row.
Operand FusionBuilder::Fold(OpId op, const std::vector<Operand>& operands,
                            const std::vector<Scalar>& values,
                            const std::vector<DType>& dtypes) const {
  std::vector<OperandType> types;
  for (DType dtype : dtypes) types.push_back({dtype, OperandType::Kind::kZeroDim});
  const Result<OpDTypes> inferred = InferDTypes(Row(op), types, {});
  if (!inferred.ok()) return operands[0];
  const DType compute = IsFloat(inferred->compute) ? DType::kF64 : inferred->compute;
  std::vector<Scalar> converted;
  for (size_t k = 0; k < values.size(); ++k)
    converted.push_back(Convert(values[k], dtypes[k], compute));
  return Literal(Row(op).evaluate(converted, compute), EvaluatedDType(Row(op), compute));
}

Operand FusionBuilder::Add(std::string_view name, std::vector<Operand> operands, Attrs attrs) {
  if (error_) return {};
  const std::optional<OpId> op = FindOp(name);
  if (!op) {
    Fail("unsupported_op", fmt::format("{} has no equivalent", name));
    return {};
  }
  const bool elementwise = Row(*op).form == Form::kElementwise && Row(*op).evaluate != nullptr;
  const auto is_known = [&](const Operand& o) {
    return o.is_literal() || known_.contains(o.value);
  };
  const bool known =
      elementwise && !operands.empty() && std::all_of(operands.begin(), operands.end(), is_known);
  Operand folded;
  if (known) {
    std::vector<Scalar> values;
    std::vector<DType> dtypes;
    for (const Operand& o : operands) {
      values.push_back(o.is_literal() ? o.literal : known_.at(o.value));
      dtypes.push_back(o.is_literal() ? o.literal_dtype : graph_.type(o.value).dtype);
    }
    folded = Fold(*op, operands, values, dtypes);
    const bool literals = std::all_of(operands.begin(), operands.end(),
                                      [](const Operand& o) { return o.is_literal(); });
    if (literals && attrs.empty()) return folded;
  }
  const Result<ValueId> added = graph_.Add(*op, operands, std::move(attrs));
  if (added.ok()) {
    if (known)
      known_[*added] = Convert(folded.literal, folded.literal_dtype, graph_.type(*added).dtype);
    return Operand::Value(*added);
  }
  // The extents that would have to agree, aligned as in broadcasting (a contraction: inner with
  // outer).
  std::vector<Shape> shapes;
  for (const Operand& o : operands) {
    if (!o.is_literal()) shapes.push_back(graph_.type(o.value).shape);
  }
  for (size_t k = 1; k < shapes.size(); ++k) {
    const Shape& a = shapes[0];
    const Shape& b = shapes[k];
    if (Row(*op).form == Form::kContract && !a.empty() && !b.empty()) {
      WantEqual(a[a.size() - 1], b[std::max(0, b.size() - 2)]);
    } else {
      for (int d = 1; d <= std::min(a.size(), b.size()); ++d)
        WantEqual(a[a.size() - d], b[b.size() - d]);
    }
  }
  Fail(added.error().rule, fmt::format("{}: {}", name, added.error().message));
  return {};
}

}  // namespace seamfuzz
