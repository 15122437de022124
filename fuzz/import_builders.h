// What the builders of fd.ops share. Included by import_ops*.cc only.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fuzz/import_fusion.h"

namespace seamfuzz::import_ops {

struct ImportRow;
using Bound = std::vector<const ScriptValue*>;

struct ImportRow {
  std::string_view nvfuser;     // fd.ops.NAME
  std::string_view parameters;  // as BindArguments takes them
  ScriptValue (*build)(FusionBuilder& b, const ImportRow& row, const Bound& a);
  std::string_view op;  // what it becomes, for builders that serve several rows
};

ScriptValue Made(Operand operand);
bool Given(const ScriptValue* value);
bool Flag(const ScriptValue* value);
Attr OfList(AttrKey key, const IntList& list);
Attr OfInt(AttrKey key, int64_t value);
Attr OfNumber(AttrKey key, double value);
Attr OfDType(DType dtype);
// Dims that may count from the end.
int64_t Wrapped(FusionBuilder& b, int64_t dim, int rank);
IntList Wrapped(FusionBuilder& b, IntList dims, int rank);
int64_t DimOf(FusionBuilder& b, const ScriptValue* value, int rank);
int RankOf(FusionBuilder& b, Operand operand);
// The dtype argument; DataType.Null and absence are nullopt.
std::optional<DType> DTypeOf(FusionBuilder& b, const ScriptValue* value);
Operand CastTo(FusionBuilder& b, Operand x, DType dtype);

// import_ops_shape.cc
ScriptValue BuildBroadcast(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildBroadcastInDim(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildExpand(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildReshape(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildDims(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildSlice(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildPad(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildCat(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildTriu(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildCopy(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildSize(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildShape(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildAt(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildIndexed(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildScatter(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildSelect(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildEmbedding(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildFull(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildIota(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildMatmul(FusionBuilder& b, const ImportRow& row, const Bound& a);
ScriptValue BuildLinear(FusionBuilder& b, const ImportRow& row, const Bound& a);

}  // namespace seamfuzz::import_ops
