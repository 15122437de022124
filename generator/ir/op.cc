// The op table, put together from the row files, and what follows from a row.
#include "generator/ir/op.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/ir/check.h"
#include "generator/ir/ops_binary.h"
#include "generator/ir/ops_composite.h"
#include "generator/ir/ops_contract.h"
#include "generator/ir/ops_copy.h"
#include "generator/ir/ops_index.h"
#include "generator/ir/ops_move.h"
#include "generator/ir/ops_reduce.h"
#include "generator/ir/ops_source.h"
#include "generator/ir/ops_unary.h"
#include "generator/ir/ops_view.h"

namespace seamfuzz {
namespace {

template <size_t... kSizes>
constexpr auto Concatenate(const OpRow (&... parts)[kSizes]) {
  std::array<OpRow, (kSizes + ...)> table{};
  size_t next = 0;
  const auto append = [&](std::span<const OpRow> rows) {
    for (const OpRow& row : rows) table[next++] = row;
  };
  (append(parts), ...);
  return table;
}

constexpr OpRow kFirst[] = {op_rows::kInputRow};
constexpr auto kRows = Concatenate(
    kFirst, op_rows::kCopyRows, op_rows::kSourceRows, op_rows::kUnaryRows, op_rows::kBinaryRows,
    op_rows::kReduceRows, op_rows::kScanRows, op_rows::kViewRows, op_rows::kMoveRows,
    op_rows::kIndexRows, op_rows::kContractRows, op_rows::kCompositeRows);
static_assert(kRows[0].name == "input" && kRows[1].name == "segment_set" &&
                  kRows[2].name == "cast" && kRows[3].name == "set" && kRows[4].name == "clone",
              "op.h names these positions");

// Open addressing, at most half full. FNV-1a (RFC draft-eastlake-fnv).
constexpr size_t kSlots = 256;
static_assert(kRows.size() * 2 <= kSlots);
constexpr uint32_t Hash(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}
constexpr OpId kNoOp = 0xffff;
constexpr auto kIndexByName = [] {
  std::array<OpId, kSlots> slots{};
  slots.fill(kNoOp);
  for (size_t i = 0; i < kRows.size(); ++i) {
    size_t slot = Hash(kRows[i].name) % kSlots;
    while (slots[slot] != kNoOp) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<OpId>(i);
  }
  return slots;
}();

constexpr std::string_view kFormNames[kFormCount] = {
    "Source", "Elementwise", "Reduce", "Move", "Index", "Scan", "Contract", "Composite"};

constexpr AttrKeyRow kAttrKeys[] = {
    {AttrKey::kDims, "dims", AttrKind::kIntList},
    {AttrKey::kDim, "dim", AttrKind::kInt},
    {AttrKey::kKeepdim, "keepdim", AttrKind::kBool},
    {AttrKey::kDType, "dtype", AttrKind::kDType},
    {AttrKey::kShape, "shape", AttrKind::kIntList},
    {AttrKey::kStart, "start", AttrKind::kIntList},
    {AttrKey::kEnd, "end", AttrKind::kIntList},
    {AttrKey::kStride, "stride", AttrKind::kIntList},
    {AttrKey::kLow, "low", AttrKind::kIntList},
    {AttrKey::kHigh, "high", AttrKind::kIntList},
    {AttrKey::kValue, "value", AttrKind::kNumber},
    {AttrKey::kCorrection, "correction", AttrKind::kInt},
    {AttrKey::kStep, "step", AttrKind::kInt},
    {AttrKey::kShift, "shift", AttrKind::kIntList},
    {AttrKey::kIndex, "index", AttrKind::kInt},
    {AttrKey::kDiagonal, "diagonal", AttrKind::kInt},
    {AttrKey::kEps, "eps", AttrKind::kNumber},
};

const Attr& MustFind(const Attrs& attrs, AttrKey key) {
  const Attr* attr = FindAttr(attrs, key);
  CHECK(attr != nullptr);
  return *attr;
}

// A higher class of operand keeps its dtype unless the lower one is of a higher category:
// combine_categories in PyTorch's ATen/native/TypeProperties.cpp.
std::optional<DType> CombineCategories(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || IsFloat(*higher)) return higher;
  if (*higher == DType::kBool || IsFloat(*lower)) return Promote(*higher, *lower);
  return higher;
}

DType PromoteOperands(std::span<const OperandType> operands) {
  std::array<std::optional<DType>, 3> by_kind;
  for (const OperandType& operand : operands) {
    std::optional<DType>& seen = by_kind[static_cast<size_t>(operand.kind)];
    // A Python float is worth torch.get_default_dtype().
    const bool is_number = operand.kind == OperandType::Kind::kLiteral && IsFloat(operand.dtype);
    const DType dtype = is_number ? DType::kF32 : operand.dtype;
    seen = seen ? Promote(*seen, dtype) : dtype;
  }
  return *CombineCategories(by_kind[0], CombineCategories(by_kind[1], by_kind[2]));
}

Error BadDType(const OpRow& row, DType dtype, std::string_view wanted) {
  return {.rule = "dtype",
          .message = fmt::format("{} takes {}, not {}", row.name, wanted, Row(dtype).name)};
}

Result<OpDTypes> SameAsFirst(const OpRow& row, std::span<const OperandType> operands, size_t from) {
  for (size_t k = from; k < operands.size(); ++k) {
    if (operands[k].dtype != operands[0].dtype) {
      return BadDType(row, operands[k].dtype, Row(operands[0].dtype).name);
    }
  }
  return OpDTypes{operands[0].dtype, operands[0].dtype};
}

}  // namespace

namespace op_internal {
constinit const std::span<const OpRow> kTable = kRows;
}  // namespace op_internal

std::optional<OpId> FindOp(std::string_view name) {
  for (size_t slot = Hash(name) % kSlots; kIndexByName[slot] != kNoOp; slot = (slot + 1) % kSlots) {
    if (kRows[kIndexByName[slot]].name == name) return kIndexByName[slot];
  }
  return std::nullopt;
}

std::string_view FormName(Form form) { return kFormNames[static_cast<size_t>(form)]; }

std::span<const AttrKeyRow> AttrKeyRows() { return kAttrKeys; }

bool operator==(const Attr& a, const Attr& b) {
  return a.key == b.key && a.list == b.list && a.value.i == b.value.i && a.dtype == b.dtype;
}

const Attr* FindAttr(const Attrs& attrs, AttrKey key) {
  for (const Attr& attr : attrs) {
    if (attr.key == key) return &attr;
  }
  return nullptr;
}

int64_t IntAttr(const Attrs& attrs, AttrKey key) { return MustFind(attrs, key).value.i; }
bool BoolAttr(const Attrs& attrs, AttrKey key) { return MustFind(attrs, key).value.i != 0; }
double NumberAttr(const Attrs& attrs, AttrKey key) { return MustFind(attrs, key).value.f; }

IntList ListAttr(const OpRow& row, const Attrs& attrs, AttrKey key, int rank) {
  const Attr* attr = FindAttr(attrs, key);
  if (attr != nullptr && !attr->list.empty()) return attr->list;
  for (const AttrSpec& spec : row.attrs) {
    if (spec.key != key || spec.required) continue;
    IntList list = IntList::Filled(rank, static_cast<int64_t>(spec.value));
    if (key == AttrKey::kDims) {
      for (int d = 0; d < rank; ++d) list[d] = d;
    }
    return list;
  }
  return {};
}

Result<OpDTypes> InferDTypes(const OpRow& row, std::span<const OperandType> operands,
                             const Attrs& attrs) {
  const bool literals = row.form == Form::kElementwise || row.form == Form::kComposite;
  bool any_value = operands.empty();
  for (const OperandType& operand : operands) {
    if (operand.kind != OperandType::Kind::kLiteral) {
      any_value = true;
    } else if (!literals) {
      return Error{.rule = "operand_literal",
                   .message = fmt::format("{} takes no literal", row.name)};
    }
  }
  if (!any_value) {
    return Error{.rule = "operand_tensor",
                 .message = fmt::format("{} needs an operand that is a value", row.name)};
  }
  switch (row.types) {
    case TypeRule::kSame:
      return SameAsFirst(row, operands, 1);
    case TypeRule::kPromote: {
      const DType common = PromoteOperands(operands);
      return OpDTypes{common, common};
    }
    case TypeRule::kPromoteNumber: {
      const DType common = PromoteOperands(operands);
      if (common == DType::kBool) return BadDType(row, common, "numbers");
      return OpDTypes{common, common};
    }
    case TypeRule::kPromoteFloat: {
      const DType common = PromoteOperands(operands);
      const DType real = IsFloat(common) ? common : DType::kF32;
      return OpDTypes{real, real};
    }
    case TypeRule::kFloat: {
      for (const OperandType& operand : operands) {
        if (operand.kind != OperandType::Kind::kLiteral && !IsFloat(operand.dtype)) {
          return BadDType(row, operand.dtype, "floats");
        }
      }
      const DType common = PromoteOperands(operands);
      return OpDTypes{common, common};
    }
    case TypeRule::kIntegral: {
      const DType common = PromoteOperands(operands);
      if (IsFloat(common)) return BadDType(row, common, "integers and bool");
      return OpDTypes{common, common};
    }
    case TypeRule::kCompare:
      return OpDTypes{PromoteOperands(operands), DType::kBool};
    case TypeRule::kTest:
      return OpDTypes{operands[0].dtype, DType::kBool};
    case TypeRule::kLogical:
      return OpDTypes{DType::kBool, DType::kBool};
    case TypeRule::kWhere: {
      if (operands[0].dtype != DType::kBool)
        return BadDType(row, operands[0].dtype, "a bool condition");
      const DType common = PromoteOperands(operands.subspan(1));
      return OpDTypes{common, common};
    }
    case TypeRule::kCast: {
      const DType to = MustFind(attrs, AttrKey::kDType).dtype;
      return OpDTypes{operands.empty() ? to : operands[0].dtype, to};
    }
    case TypeRule::kSum: {
      const DType from = operands[0].dtype;
      const DType to = IsFloat(from) ? from : DType::kI64;
      return OpDTypes{to, to};
    }
    case TypeRule::kIndexed: {
      const DType index = operands[row.index_operand].dtype;
      if (index != DType::kI32 && index != DType::kI64)
        return BadDType(row, index, "i32 or i64 indices");
      return SameAsFirst(row, operands, static_cast<size_t>(row.index_operand) + 1);
    }
    case TypeRule::kMatmul:
      if (!IsFloat(operands[0].dtype)) return BadDType(row, operands[0].dtype, "floats");
      return SameAsFirst(row, operands, 1);
  }
  CHECK(false);
}

DType EvaluatedDType(const OpRow& row, DType compute) {
  switch (row.types) {
    case TypeRule::kCompare:
    case TypeRule::kTest:
    case TypeRule::kLogical:
      return DType::kBool;
    default:
      return compute;
  }
}

Result<Shape> BroadcastShapes(std::span<const Shape* const> shapes) {
  int rank = 0;
  for (const Shape* shape : shapes) rank = std::max(rank, shape->size());
  Shape result = IntList::Filled(rank, 1);
  for (const Shape* shape : shapes) {
    const int skipped = rank - shape->size();
    for (int d = 0; d < shape->size(); ++d) {
      const int64_t extent = (*shape)[d];
      int64_t& merged = result[skipped + d];
      if (extent == merged || extent == 1) continue;
      if (merged != 1) {
        return Error{.rule = "broadcast",
                     .message = fmt::format("extents {} and {} do not broadcast", merged, extent)};
      }
      merged = extent;
    }
  }
  return result;
}

namespace op_rows {

Result<Shape> InferBroadcast(Types operands, const Attrs&) {
  std::array<const Shape*, 3> shapes;
  CHECK(operands.size() <= shapes.size());
  for (size_t k = 0; k < operands.size(); ++k) shapes[k] = &operands[k].shape;
  return BroadcastShapes(std::span(shapes).first(operands.size()));
}

Result<Shape> InferReduce(Types operands, const Attrs& attrs) {
  const Shape& from = operands[0].shape;
  const IntList& dims = List(attrs, AttrKey::kDims);
  if (!AreDims(dims, from.size())) {
    return Broken("reduce_dims", fmt::format("{} are not dims of {}", dims.Text(), from.Text()));
  }
  const bool keepdim = BoolAttr(attrs, AttrKey::kKeepdim);
  Shape to;
  for (int d = 0; d < from.size(); ++d) {
    if (!IsReduced(attrs, d)) {
      to.push_back(from[d]);
    } else if (keepdim) {
      to.push_back(1);
    }
  }
  return to;
}

Result<Shape> InferScan(Types operands, const Attrs& attrs) {
  const int64_t dim = IntAttr(attrs, AttrKey::kDim);
  if (!IsDim(dim, operands[0].shape.size())) {
    return Broken("scan_dim", fmt::format("no dim {} in {}", dim, operands[0].shape.Text()));
  }
  return operands[0].shape;
}

}  // namespace op_rows

}  // namespace seamfuzz
