// What the rows of the op table are written with. Included by the row files only.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "generator/ir/graph.h"
#include "generator/ir/op.h"

namespace seamfuzz::op_rows {

using Operands = std::span<const Scalar>;
using Types = std::span<const TensorType>;

inline Scalar F(double value) { return FloatScalar(value); }
inline Scalar I(int64_t value) { return IntScalar(value); }
// Integers wrap: arithmetic on the unsigned type is what two's complement does.
inline Scalar U(uint64_t value) { return IntScalar(static_cast<int64_t>(value)); }
inline uint64_t U(Scalar value) { return static_cast<uint64_t>(value.i); }
inline bool Truth(Scalar value, DType dtype) {
  return IsFloat(dtype) ? value.f != 0 : value.i != 0;
}

// NaN if either is NaN, as torch.maximum and torch.amax.
inline Scalar Larger(Scalar a, Scalar b, DType dtype) {
  if (!IsFloat(dtype)) return a.i > b.i ? a : b;
  if (std::isnan(a.f)) return a;
  return a.f > b.f ? a : b;
}
inline Scalar Smaller(Scalar a, Scalar b, DType dtype) {
  if (!IsFloat(dtype)) return a.i < b.i ? a : b;
  if (std::isnan(a.f)) return a;
  return a.f < b.f ? a : b;
}
inline Scalar Plus(Scalar a, Scalar b, DType dtype) {
  return IsFloat(dtype) ? F(a.f + b.f) : U(U(a) + U(b));
}
inline Scalar Times(Scalar a, Scalar b, DType dtype) {
  return IsFloat(dtype) ? F(a.f * b.f) : U(U(a) * U(b));
}

inline Error Broken(std::string_view rule, std::string message) {
  return Error{.rule = std::string(rule), .message = std::move(message)};
}
inline bool IsDim(int64_t dim, int rank) { return dim >= 0 && dim < rank; }
// Each of `dims` in [0, rank), none twice.
inline bool AreDims(const IntList& dims, int rank) {
  uint32_t seen = 0;
  for (int64_t d : dims) {
    if (!IsDim(d, rank) || (seen >> d & 1) != 0) return false;
    seen |= uint32_t{1} << d;
  }
  return true;
}
// A list attribute as given; empty when absent.
inline const IntList& List(const Attrs& attrs, AttrKey key) {
  static const IntList kEmpty;
  const Attr* attr = FindAttr(attrs, key);
  return attr != nullptr ? attr->list : kEmpty;
}
inline int Dim(const Attrs& attrs) { return static_cast<int>(IntAttr(attrs, AttrKey::kDim)); }
// The dims that a Reduce acts on: those given, or all.
inline bool IsReduced(const Attrs& attrs, int dim) {
  const IntList& dims = List(attrs, AttrKey::kDims);
  return dims.empty() || dims.contains(dim);
}

// Shared shape rules.
inline Result<Shape> SameShape(Types operands, const Attrs&) { return operands[0].shape; }
Result<Shape> InferBroadcast(Types operands, const Attrs& attrs);
Result<Shape> InferReduce(Types operands, const Attrs& attrs);
Result<Shape> InferScan(Types operands, const Attrs& attrs);

}  // namespace seamfuzz::op_rows
