// The set of one elementwise result from the sets of its operands.
#pragma once

#include <span>

#include "generator/ir/graph.h"
#include "oracle/value_set.h"

namespace seamfuzz {

inline constexpr int kMaxElementwiseArity = 4;

// What EvaluateSets needs of a node, looked up once.
struct ElementwiseOp {
  const OpRow* row = nullptr;
  DType compute = DType::kF32;    // what `evaluate` gets
  DType evaluated = DType::kF32;  // the register of what it returns
  DType result = DType::kF32;
  // The op can be fused with a following add, so that its rounding is left out: multiplications of
  // f32 and f64.
  bool contractible = false;
  // A correctly rounded op whose point operands give a point: no ULP bound, no domain, no sign of
  // zero to see.
  bool plain = false;
};
ElementwiseOp MakeElementwiseOp(const Graph& graph, const Node& node);

// `operands` are points of the compute dtype. True with the one permitted value in `result`; false
// where the result is not a point, or only EvaluateSets can tell.
bool EvaluatePoint(const ElementwiseOp& op, std::span<const Scalar> operands, Scalar& result);

// `operands` are sets of the compute dtype. Sound for every order of evaluation that design 6
// permits: outward rounding, the row's ULP bound, multiplications left unrounded (FMA contraction),
// 16-bit results left in f32 (excess precision).
ValueSet EvaluateSets(const ElementwiseOp& op, std::span<const ValueSet> operands);

}  // namespace seamfuzz
