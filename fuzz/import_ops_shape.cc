// Builders of fd.ops that move, index, create or contract, and what all builders share.
#include <fmt/format.h>

#include <algorithm>

#include "fuzz/import_builders.h"

namespace seamfuzz::import_ops {

ScriptValue Made(Operand operand) { return ScriptValue::OfGraph(operand); }
bool Given(const ScriptValue* value) { return value != nullptr && !value->is(ScriptKind::kNone); }
bool Flag(const ScriptValue* value) { return Given(value) && Truth(*value).value_or(false); }

Attr OfList(AttrKey key, const IntList& list) { return {.key = key, .list = list}; }
Attr OfInt(AttrKey key, int64_t value) { return {.key = key, .value = IntScalar(value)}; }
Attr OfNumber(AttrKey key, double value) { return {.key = key, .value = FloatScalar(value)}; }
Attr OfDType(DType dtype) { return {.key = AttrKey::kDType, .dtype = dtype}; }

// Dims that may count from the end.
int64_t Wrapped(FusionBuilder& b, int64_t dim, int rank) {
  if (dim < -rank || dim >= rank)
    b.Fail("dim_range", fmt::format("dim {} of a tensor of rank {}", dim, rank));
  return dim < 0 ? dim + rank : dim;
}
IntList Wrapped(FusionBuilder& b, IntList dims, int rank) {
  for (int64_t& dim : dims) dim = Wrapped(b, dim, rank);
  return dims;
}
int64_t DimOf(FusionBuilder& b, const ScriptValue* value, int rank) {
  return Wrapped(b, b.AsInt(value, "dim"), rank);
}

int RankOf(FusionBuilder& b, Operand operand) {
  return b.error() ? 0 : b.type(operand).shape.size();
}

// The dtype argument; DataType.Null and absence are nullopt.
std::optional<DType> DTypeOf(FusionBuilder& b, const ScriptValue* value) {
  if (!Given(value)) return std::nullopt;
  const std::string_view text = value->text;
  if (text == "Null" || (text.size() > 5 && text.substr(text.size() - 5) == ".Null"))
    return std::nullopt;
  const std::optional<DType> dtype = AsDType(*value);
  if (!dtype)
    b.Fail("unsupported_dtype", fmt::format("{} has no equivalent", text.empty() ? "dtype" : text));
  return dtype;
}

Operand CastTo(FusionBuilder& b, Operand x, DType dtype) {
  if (b.error()) return {};
  if (x.is_literal()) {
    const DType spelled = Literal({}, dtype).literal_dtype;
    return Literal(Convert(x.literal, x.literal_dtype, spelled), spelled);
  }
  return b.Add(Row(CastOp()).name, {x}, {OfDType(dtype)});
}

// ---- Shapes ----

// [True, False] -> the shape with 1 where True, and where the operand's dims go.
ScriptValue BuildBroadcast(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const IntList fresh = b.AsList(a[1], "is_broadcast_dim");
  if (b.error()) return {};
  const Shape& old = b.type(x).shape;
  Shape shape;
  IntList dims;
  for (int d = 0; d < fresh.size(); ++d) {
    if (fresh[d] == 0 && dims.size() < old.size()) {
      shape.push_back(old[dims.size()]);
      dims.push_back(d);
    } else {
      shape.push_back(1);
    }
  }
  if (dims.size() != old.size() || std::count(fresh.begin(), fresh.end(), 0) != old.size()) {
    b.Fail("arguments", fmt::format("is_broadcast_dim keeps {} dims of {}",
                                    std::count(fresh.begin(), fresh.end(), 0), old.size()));
    return {};
  }
  return Made(b.Add(row.op, {x}, {OfList(AttrKey::kDims, dims), OfList(AttrKey::kShape, shape)}));
}

ScriptValue BuildBroadcastInDim(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  Shape shape = b.AsList(a[1], "shape");
  const IntList dims =
      a[2] != nullptr && a[2]->is(ScriptKind::kList) ? b.AsList(a[2], "broadcast_dims") : IntList();
  if (b.error()) return {};
  const Shape& old = b.type(x).shape;
  for (int k = 0; k < std::min(dims.size(), old.size()); ++k) {
    if (dims[k] < 0 || dims[k] >= shape.size()) continue;  // the op's own rule names it
    int64_t& wanted = shape[static_cast<int>(dims[k])];
    if (wanted == -1) wanted = old[k];
    b.WantEqual(old[k], wanted);
  }
  return Made(b.Add(row.op, {x}, {OfList(AttrKey::kDims, dims), OfList(AttrKey::kShape, shape)}));
}

ScriptValue BuildExpand(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  Shape shape = b.AsList(a[1], "shape");
  if (b.error()) return {};
  const Shape& old = b.type(x).shape;
  for (int d = 1; d <= std::min(shape.size(), old.size()); ++d) {
    int64_t& wanted = shape[shape.size() - d];
    if (wanted == -1) wanted = old[old.size() - d];
    b.WantEqual(old[old.size() - d], wanted);
  }
  return Made(b.Add(row.op, {x}, {OfList(AttrKey::kShape, shape)}));
}

// (arg, new_shape), of old also (arg, original_shape, new_shape).
ScriptValue BuildReshape(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  Shape shape = b.AsList(Given(a[2]) && !Given(a[3]) ? a[2] : a[1], "new_shape");
  if (b.error()) return {};
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open != shape.end()) {
    *open = 1;
    const int64_t rest = NumElements(shape);
    const int64_t all = NumElements(b.type(x).shape);
    *open = rest > 0 ? all / rest : 0;
  }
  return Made(b.Add(row.op, {x}, {OfList(AttrKey::kShape, shape)}));
}

ScriptValue BuildDims(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const IntList dims = Wrapped(b, b.AsList(a[1], "dims"), RankOf(b, x));
  return Made(b.Add(row.op, {x}, {OfList(AttrKey::kDims, dims)}));
}

// Unless `manual_normalization`, indices count from the end when negative and are clamped, as in
// Python.
ScriptValue BuildSlice(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  IntList start = b.AsList(a[1], "start_indices");
  IntList end = b.AsList(a[2], "end_indices");
  const int rank = RankOf(b, x);
  const IntList step = Given(a[3]) ? b.AsList(a[3], "strides") : IntList::Filled(rank, 1);
  if (b.error()) return {};
  if (start.size() != rank || end.size() != rank) {
    b.Fail("arguments", fmt::format("fd.ops.slice of rank {} with {} starts and {} ends", rank,
                                    start.size(), end.size()));
    return {};
  }
  const Shape& shape = b.type(x).shape;
  for (int d = 0; d < rank && !Flag(a[4]); ++d) {
    const auto normal = [&](int64_t i) {
      return std::clamp<int64_t>(i < 0 ? i + shape[d] : i, 0, shape[d]);
    };
    start[d] = normal(start[d]);
    end[d] = std::max(start[d], normal(end[d]));
  }
  Attrs attrs = {OfList(AttrKey::kStart, start), OfList(AttrKey::kEnd, end)};
  const bool dense = std::all_of(step.begin(), step.end(), [](int64_t s) { return s == 1; });
  if (!dense) attrs.push_back(OfList(AttrKey::kStride, step));
  return Made(b.Add(row.op, {x}, std::move(attrs)));
}

// Widths come in pairs from the last dim on, as torch.nn.functional.pad takes them.
ScriptValue BuildPad(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const ScriptValue* widths = a[1];
  const int rank = RankOf(b, x);
  if (b.error()) return {};
  IntList low = IntList::Filled(rank, 0);
  IntList high = low;
  if (widths == nullptr || !widths->is(ScriptKind::kList)) {
    b.Fail("arguments", "fd.ops.pad needs pad_widths");
    return {};
  }
  const std::vector<ScriptValue> items = b.heap().lists[widths->id];
  if (items.size() % 2 != 0 || items.size() > 2 * static_cast<size_t>(rank)) {
    b.Fail("arguments", fmt::format("{} pad_widths of a tensor of rank {}", items.size(), rank));
    return {};
  }
  for (size_t k = 0; k < items.size(); k += 2) {
    const int d = rank - 1 - static_cast<int>(k / 2);
    low[d] = b.AsInt(&items[k], "a pad width");
    high[d] = b.AsInt(&items[k + 1], "a pad width");
  }
  Attrs attrs = {OfList(AttrKey::kLow, low), OfList(AttrKey::kHigh, high)};
  if (Given(a[2])) {
    const Operand fill = b.AsOperand(a[2], "the pad value");
    if (!fill.is_literal()) {
      b.Fail("unsupported_op", "fd.ops.pad with a computed value has no equivalent");
      return {};
    }
    attrs.push_back(
        OfNumber(AttrKey::kValue, Convert(fill.literal, fill.literal_dtype, DType::kF64).f));
  }
  return Made(b.Add(row.op, {x}, std::move(attrs)));
}

ScriptValue BuildCat(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  if (a[0] == nullptr || !a[0]->is(ScriptKind::kList)) {
    b.Fail("arguments", "fd.ops.cat needs a list of tensors");
    return {};
  }
  const std::vector<ScriptValue> items = b.heap().lists[a[0]->id];
  std::vector<Operand> operands;
  for (const ScriptValue& item : items)
    operands.push_back(b.AsTensor(&item, "a tensor to concatenate"));
  if (operands.empty()) b.Fail("arguments", "fd.ops.cat of nothing");
  if (b.error()) return {};
  const int64_t dim = Given(a[1]) ? DimOf(b, a[1], RankOf(b, operands[0])) : 0;
  if (operands.size() == 1) return Made(b.Add(Row(SetOp()).name, operands));
  // The op takes a limited number of operands: pairs are concatenated first.
  const std::optional<OpId> op = FindOp(row.op);
  const size_t most = op ? static_cast<size_t>(std::max(2, Row(*op).max_arity)) : 2;
  while (operands.size() > 1 && !b.error()) {
    const size_t take = std::min(most, operands.size());
    const Operand joined =
        b.Add(row.op, {operands.begin(), operands.begin() + static_cast<ptrdiff_t>(take)},
              {OfInt(AttrKey::kDim, dim)});
    operands.erase(operands.begin(), operands.begin() + static_cast<ptrdiff_t>(take));
    operands.insert(operands.begin(), joined);
  }
  return Made(operands[0]);
}

ScriptValue BuildTriu(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  return Made(
      b.Add(row.op, {x}, {OfInt(AttrKey::kDiagonal, Given(a[1]) ? b.AsInt(a[1], "diagonal") : 0)}));
}

// One operand, no attributes; further arguments (a stride order) do not change values.
ScriptValue BuildCopy(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  return Made(b.Add(row.op, {b.AsTensor(a[0], "the operand")}));
}

// ---- Sizes: constants, since every extent is known ----

ScriptValue BuildSize(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const int64_t dim = DimOf(b, a[1], RankOf(b, x));
  return b.error() ? ScriptValue() : ScriptValue::Integer(b.type(x).shape[static_cast<int>(dim)]);
}
ScriptValue BuildShape(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  if (b.error()) return {};
  std::vector<ScriptValue> sizes;
  for (int64_t extent : b.type(x).shape) sizes.push_back(ScriptValue::Integer(extent));
  return b.heap().List(std::move(sizes));
}
ScriptValue BuildAt(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const int64_t index = b.AsInt(a[1], "the index");
  if (b.error()) return {};
  if (a[0] == nullptr || !a[0]->is(ScriptKind::kList)) {
    b.Fail("arguments", "fd.ops.at needs a vector");
    return {};
  }
  const std::vector<ScriptValue>& items = b.heap().lists[a[0]->id];
  const int64_t count = static_cast<int64_t>(items.size());
  if (index < -count || index >= count) {
    b.Fail("arguments", fmt::format("index {} of a vector of {}", index, count));
    return {};
  }
  return items[static_cast<size_t>(index < 0 ? index + count : index)];
}

// ---- Indexing ----

ScriptValue BuildIndexed(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const Operand index = b.AsTensor(a[1], "the index");
  return Made(b.Add(row.op, {x, index}, {OfInt(AttrKey::kDim, DimOf(b, a[2], RankOf(b, x)))}));
}

ScriptValue BuildScatter(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const Operand index = b.AsTensor(a[1], "the index");
  Operand src = b.AsOperand(a[2], "the source");
  const int64_t dim = DimOf(b, a[3], RankOf(b, x));
  if (b.error()) return {};
  if (src.is_literal()) {
    src = b.Add("full", {},
                {OfList(AttrKey::kShape, b.type(index).shape),
                 OfNumber(AttrKey::kValue, Convert(src.literal, src.literal_dtype, DType::kF64).f),
                 OfDType(b.type(x).dtype)});
  }
  return Made(b.Add(row.op, {x, index, src}, {OfInt(AttrKey::kDim, dim)}));
}

// One row of a dim by a constant index.
ScriptValue BuildSelect(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const int rank = RankOf(b, x);
  const int64_t dim = DimOf(b, a[2], rank);
  int64_t index = b.AsInt(a[1], "the index of fd.ops.select");
  if (b.error()) return {};
  if (index < 0) index += b.type(x).shape[static_cast<int>(dim)];
  return Made(b.Add(row.op, {x}, {OfInt(AttrKey::kDim, dim), OfInt(AttrKey::kIndex, index)}));
}

// Rows of `weight` by an index of any rank.
ScriptValue BuildEmbedding(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand index = b.AsTensor(a[0], "the index");
  const Operand weight = b.AsTensor(a[1], "the weight");
  for (int k = 2; k < 7; ++k) {
    if (Given(a[k]) && AsInteger(*a[k]).value_or(1) != 0)
      b.Fail("unsupported_op", "fd.ops.embedding_fwd with options has no equivalent");
  }
  return Made(b.Add(row.op, {weight, index}));
}

// ---- Factories and contractions ----

ScriptValue BuildFull(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const IntList shape =
      a[0] != nullptr && a[0]->is(ScriptKind::kList) ? b.AsList(a[0], "shape") : IntList();
  const Operand fill = b.AsOperand(a[1], "fill_value");
  const std::optional<DType> dtype = DTypeOf(b, a[2]);
  if (b.error()) return {};
  if (!fill.is_literal()) {
    b.Fail("unsupported_op", "fd.ops.full of a computed value has no equivalent");
    return {};
  }
  return Made(b.Add(
      row.op, {},
      {OfList(AttrKey::kShape, shape),
       OfNumber(AttrKey::kValue, Convert(fill.literal, fill.literal_dtype, DType::kF64).f),
       OfDType(dtype.value_or(IsFloat(fill.literal_dtype) ? DType::kF32 : fill.literal_dtype))}));
}

ScriptValue BuildIota(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const int64_t length = b.AsInt(a[0], "length");
  const int64_t start = Given(a[1]) ? b.AsInt(a[1], "start") : 0;
  const int64_t step = Given(a[2]) ? b.AsInt(a[2], "step") : 1;
  const DType dtype = DTypeOf(b, a[3]).value_or(DType::kI64);
  return Made(b.Add(
      row.op, {},
      {OfList(AttrKey::kShape, {length}), OfNumber(AttrKey::kValue, static_cast<double>(start)),
       OfInt(AttrKey::kStep, step), OfDType(dtype)}));
}

ScriptValue BuildMatmul(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the first operand");
  const Operand y = b.AsTensor(a[1], "the second operand");
  return Made(b.Add(row.op, {x, y}));
}
ScriptValue BuildLinear(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  std::vector<Operand> operands = {b.AsTensor(a[0], "the first operand"),
                                   b.AsTensor(a[1], "the weight")};
  if (Given(a[2])) operands.push_back(b.AsTensor(a[2], "the bias"));
  return Made(b.Add(row.op, std::move(operands)));
}

}  // namespace seamfuzz::import_ops
