// `evaluate` and `combine` against the cuda column, compiled as host code, on special values.
#include "generator/ir/cuda_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace seamfuzz {
namespace {

std::vector<Scalar> SpecialValues(DType dtype) {
  std::vector<Scalar> values;
  if (!IsFloat(dtype)) {
    const int64_t largest = static_cast<int64_t>((uint64_t{1} << Row(dtype).digits) - 1);
    for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-7}, int64_t{13},
                      largest, -largest - 1}) {
      values.push_back(Round(dtype, IntScalar(v)));
    }
    return values;
  }
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const double denormal = std::ldexp(1.0, Row(dtype).min_exponent - 3);
  const double largest =
      std::ldexp(2 - std::ldexp(1.0, 1 - Row(dtype).digits), Row(dtype).max_exponent);
  for (double v : {0.0,       -0.0,      1.0,      -1.0,  0.5,   -0.5,        1.5,  2.5,
                   -2.5,      3.1415926, 0.1,      -7.25, 88.0,  1e4,         1e-3, denormal,
                   -denormal, largest,   -largest, kInf,  -kInf, std::nan("")}) {
    values.push_back(Round(dtype, FloatScalar(v)));
  }
  return values;
}

// The unit in the last place at `value`.
double Ulp(double value, DType dtype) {
  const int exponent =
      value == 0 ? Row(dtype).min_exponent : std::max(std::ilogb(value), Row(dtype).min_exponent);
  return std::ldexp(1.0, exponent - (Row(dtype).digits - 1));
}

bool Agrees(Scalar expected, Scalar got, DType dtype, int ulp) {
  if (!IsFloat(dtype)) return expected.i == got.i;
  if (std::isnan(expected.f) || std::isnan(got.f))
    return std::isnan(expected.f) && std::isnan(got.f);
  if (expected.f == got.f) return true;
  // Next to the largest finite value the permitted error reaches infinity.
  const double largest =
      std::ldexp(2 - std::ldexp(1.0, 1 - Row(dtype).digits), Row(dtype).max_exponent);
  const auto finite = [&](double v) { return std::isinf(v) ? std::copysign(largest, v) : v; };
  return std::fabs(finite(expected.f) - finite(got.f)) <= ulp * Ulp(finite(expected.f), dtype);
}

bool InDomain(const OpRow& row, const std::vector<Scalar>& operands, DType dtype) {
  for (Scalar x : operands) {
    if (IsFloat(dtype) && (x.f < row.domain.low || x.f > row.domain.high)) return false;
    if (IsFloat(dtype) && row.nan_differs && std::isnan(x.f)) return false;
  }
  return true;
}

void Compare(const CudaTextFunction& function, const std::vector<Scalar>& operands) {
  const OpRow& row = Row(function.op);
  const DType result =
      row.combine != nullptr ? function.dtype : EvaluatedDType(row, function.dtype);
  const Scalar value = row.combine != nullptr
                           ? row.combine(operands[0], operands[1], function.dtype)
                           : row.evaluate(operands, function.dtype);
  const Scalar expected = Round(result, value);
  const Scalar got = function.call(operands.data());
  if (!InDomain(row, operands, function.dtype) || Agrees(expected, got, result, row.ulp)) return;
  std::string text(row.name);
  for (Scalar x : operands) text += " " + ScalarText(x, function.dtype);
  ADD_FAILURE() << text << " in " << Row(function.dtype).name << ": "
                << ScalarText(expected, result) << ", as CUDA text " << ScalarText(got, result);
}

TEST(CudaText, AgreesWithEvaluateOnSpecialValues) {
  for (const CudaTextFunction& function : CudaTextFunctions()) {
    const std::vector<Scalar> values = SpecialValues(function.dtype);
    const OpRow& row = Row(function.op);
    const int arity = row.combine != nullptr ? 2 : row.min_arity;
    std::vector<size_t> at(static_cast<size_t>(arity), 0);
    std::vector<Scalar> operands(static_cast<size_t>(arity));
    for (int k = 0; k >= 0;) {
      for (int i = 0; i < arity; ++i) operands[i] = values[at[i]];
      Compare(function, operands);
      for (k = arity - 1; k >= 0 && ++at[k] == values.size(); --k) at[k] = 0;
    }
  }
}

TEST(CudaText, CoversEveryRowThatHasOne) {
  std::set<OpId> covered;
  for (const CudaTextFunction& function : CudaTextFunctions()) covered.insert(function.op);
  for (size_t op = 0; op < OpRows().size(); ++op) {
    EXPECT_EQ(covered.count(static_cast<OpId>(op)) > 0, !OpRows()[op].cuda.empty())
        << OpRows()[op].name;
  }
}

}  // namespace
}  // namespace seamfuzz
