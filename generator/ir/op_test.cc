// Walks the op table: every row has what its form needs, and knows about itself what is true.
#include "generator/ir/op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "generator/ir/graph.h"

namespace seamfuzz {
namespace {

using ::testing::Contains;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(OpTable, NamesAreUniqueAndFound) {
  for (size_t i = 0; i < OpRows().size(); ++i) {
    EXPECT_EQ(FindOp(OpRows()[i].name), static_cast<OpId>(i)) << OpRows()[i].name;
  }
  EXPECT_EQ(FindOp("no_such_op"), std::nullopt);
  EXPECT_EQ(FindOp(""), std::nullopt);
}

TEST(OpTable, CoversEveryForm) {
  EXPECT_THAT(OpRows().size(), Gt(60u));
  for (int form = 0; form < kFormCount; ++form) {
    const auto of_form = [&](const OpRow& row) { return row.form == static_cast<Form>(form); };
    EXPECT_TRUE(std::any_of(OpRows().begin(), OpRows().end(), of_form))
        << FormName(static_cast<Form>(form));
  }
}

TEST(OpTable, RowsHaveWhatTheirFormNeedsAndNoMore) {
  for (const OpRow& row : OpRows()) {
    SCOPED_TRACE(row.name);
    const bool combines = row.form == Form::kReduce || row.form == Form::kScan;
    EXPECT_EQ(row.evaluate != nullptr, row.form == Form::kElementwise);
    EXPECT_EQ(row.generate != nullptr, row.form == Form::kSource && row.name != "input");
    EXPECT_EQ(row.identity != nullptr, combines);
    EXPECT_EQ(row.combine != nullptr, combines);
    EXPECT_EQ(row.place != nullptr, row.form == Form::kMove);
    EXPECT_EQ(row.index_at != nullptr, row.form == Form::kIndex);
    EXPECT_EQ(row.resolve != nullptr, row.form == Form::kIndex);
    EXPECT_EQ(row.index_operand >= 0, row.form == Form::kIndex);
    EXPECT_EQ(row.define != nullptr, row.form == Form::kComposite);
    const bool own_shape =
        row.form != Form::kElementwise && row.form != Form::kComposite && row.name != "input";
    EXPECT_EQ(row.infer != nullptr, own_shape);
    EXPECT_LE(row.min_arity, row.max_arity);
    EXPECT_LE(row.max_arity, kMaxArity);
    EXPECT_EQ(row.max_arity == 0, row.form == Form::kSource);
    EXPECT_TRUE(row.weight > 0 || row.name == "input" || row.name == "segment_set");
  }
}

TEST(OpTable, AttributesAreSpelledAndTakenOnce) {
  std::set<AttrKey> spelled;
  for (const AttrKeyRow& key : AttrKeyRows())
    EXPECT_TRUE(spelled.insert(key.key).second) << key.name;
  for (const OpRow& row : OpRows()) {
    std::set<AttrKey> taken;
    for (const AttrSpec& spec : row.attrs) {
      if (spec.key == AttrKey::kNone) continue;
      EXPECT_TRUE(taken.insert(spec.key).second) << row.name;
      EXPECT_THAT(spelled, Contains(spec.key)) << row.name;
    }
  }
}

// ---- Text columns -----------------------------------------------------------------------------

// The names between single braces.
std::vector<std::string> Placeholders(std::string_view text) {
  std::vector<std::string> names;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    if (i + 1 < text.size() && text[i + 1] == text[i]) {
      ++i;
      continue;
    }
    const size_t end = text.find('}', i);
    if (text[i] == '}' || end == std::string_view::npos) return {"unbalanced"};
    names.emplace_back(text.substr(i + 1, end - i - 1));
    i = end;
  }
  return names;
}

std::set<std::string> KnownPlaceholders(const OpRow& row) {
  std::set<std::string> known = {"operands", "shape", "dtype"};
  for (int k = 0; k < row.max_arity; ++k) {
    known.insert(std::to_string(k));
    known.insert("t" + std::to_string(k));
  }
  for (const AttrSpec& spec : row.attrs) {
    for (const AttrKeyRow& key : AttrKeyRows()) {
      if (key.key == spec.key) known.emplace(key.name);
    }
    if (spec.key == AttrKey::kDims) known.insert("kept");
    if (spec.key == AttrKey::kLow) known.insert("pad_widths");
    if (spec.key == AttrKey::kDims) known.insert("spread");
  }
  return known;
}

TEST(OpTable, TextColumnsNameOnlyWhatTheRowHas) {
  for (const OpRow& row : OpRows()) {
    std::set<std::string> known = KnownPlaceholders(row);
    for (std::string_view column : {row.torch, row.jax, row.nvfuser, row.tinygrad}) {
      for (const std::string& name : Placeholders(column)) {
        EXPECT_THAT(known, Contains(name)) << row.name << ": " << column;
      }
    }
    if (row.combine != nullptr) known.insert("1");  // two partial results
    for (const std::string& name : Placeholders(row.cuda)) {
      EXPECT_THAT(known, Contains(name)) << row.name << ": " << row.cuda;
    }
  }
}

TEST(OpTable, TextColumnsReadEveryOperandThatMustBeThere) {
  for (const OpRow& row : OpRows()) {
    for (std::string_view column : {row.cuda, row.torch, row.jax, row.nvfuser, row.tinygrad}) {
      if (column.empty() || column == "-") continue;
      const std::vector<std::string> names = Placeholders(column);
      for (int k = 0; k < row.min_arity; ++k) {
        EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                                [&](const std::string& name) {
                                  return name == "operands" || name == std::to_string(k) ||
                                         name == "t" + std::to_string(k);
                                }))
            << row.name << ": " << column;
      }
    }
  }
}

TEST(OpTable, TextColumnsLeaveNoHole) {
  for (const OpRow& row : OpRows()) {
    SCOPED_TRACE(row.name);
    const bool has_cuda =
        row.form == Form::kElementwise || row.form == Form::kReduce || row.form == Form::kScan;
    EXPECT_EQ(!row.cuda.empty(), has_cuda);
    // A composite may print its definition; an input is printed by the exporter's own header.
    if (row.form == Form::kComposite || row.name == "input") continue;
    for (std::string_view column : {row.torch, row.jax, row.nvfuser, row.tinygrad})
      EXPECT_THAT(column, Not(IsEmpty()));
  }
}

// fd.ops of nvfuser_direct at 81c4b22fd: python/python_direct/ops.cpp.
constexpr std::string_view kFrontend[] = {"abs",
                                          "acos",
                                          "acosh",
                                          "asin",
                                          "asinh",
                                          "atan",
                                          "atanh",
                                          "ceil",
                                          "cos",
                                          "cosh",
                                          "exp",
                                          "exp2",
                                          "expm1",
                                          "erf",
                                          "erfc",
                                          "erfinv",
                                          "erfcinv",
                                          "floor",
                                          "frac",
                                          "lgamma",
                                          "log",
                                          "log10",
                                          "log1p",
                                          "log2",
                                          "neg",
                                          "logical_not",
                                          "bitwise_not",
                                          "relu",
                                          "rand_like",
                                          "randn_like",
                                          "reciprocal",
                                          "round",
                                          "rsqrt",
                                          "set",
                                          "segment_set",
                                          "sign",
                                          "sigmoid",
                                          "signbit",
                                          "silu",
                                          "sin",
                                          "sinh",
                                          "sqrt",
                                          "tan",
                                          "tanh",
                                          "trunc",
                                          "isfinite",
                                          "isinf",
                                          "isnan",
                                          "isneginf",
                                          "isposinf",
                                          "isreal",
                                          "real",
                                          "imag",
                                          "add",
                                          "atan2",
                                          "div",
                                          "truediv",
                                          "fmod",
                                          "mul",
                                          "nextafter",
                                          "pow",
                                          "remainder",
                                          "sub",
                                          "minimum",
                                          "maximum",
                                          "mod",
                                          "eq",
                                          "ge",
                                          "gt",
                                          "le",
                                          "lt",
                                          "ne",
                                          "logical_and",
                                          "logical_or",
                                          "bitwise_and",
                                          "bitwise_or",
                                          "bitwise_xor",
                                          "bitwise_left_shift",
                                          "bitwise_right_shift",
                                          "logical_right_shift",
                                          "gcd",
                                          "complex",
                                          "where",
                                          "lerp",
                                          "clamp",
                                          "threshold",
                                          "addcmul",
                                          "max",
                                          "min",
                                          "prod",
                                          "sum",
                                          "var",
                                          "var_mean",
                                          "welford",
                                          "cumsum",
                                          "cumprod",
                                          "cummin",
                                          "cummax",
                                          "cast",
                                          "broadcast",
                                          "broadcast_in_dim",
                                          "expand",
                                          "reshape",
                                          "permute",
                                          "squeeze",
                                          "slice",
                                          "pad",
                                          "cat",
                                          "stride_order",
                                          "size",
                                          "shape",
                                          "index_select",
                                          "select",
                                          "gather",
                                          "take_along_axis",
                                          "scatter",
                                          "topk",
                                          "argsort",
                                          "embedding_fwd",
                                          "full",
                                          "iota",
                                          "uniform",
                                          "normal",
                                          "triu",
                                          "matmul",
                                          "linear"};

TEST(OpTable, NvFuserColumnsCallWhatTheFrontendHas) {
  for (const OpRow& row : OpRows()) {
    constexpr std::string_view kPrefix = "fd.ops.";
    for (size_t at = row.nvfuser.find(kPrefix); at != std::string_view::npos;
         at = row.nvfuser.find(kPrefix, at + 1)) {
      const size_t begin = at + kPrefix.size();
      EXPECT_THAT(kFrontend,
                  Contains(row.nvfuser.substr(begin, row.nvfuser.find('(', begin) - begin)))
          << row.name;
    }
  }
}

// ---- What a row says about its own values -----------------------------------------------------

// The laws that let a reduction run in any order: over small integers, where every dtype is exact.
TEST(OpTable, CombineHasItsIdentityAndIsCommutative) {
  for (const OpRow& row : OpRows()) {
    if (row.combine == nullptr) continue;
    for (DType dtype : {DType::kBool, DType::kI8, DType::kI64, DType::kF16, DType::kF32}) {
      if (row.types == TypeRule::kLogical && dtype != DType::kBool) continue;
      for (int64_t a : {-3, 0, 1, 2}) {
        const auto value = [&](int64_t v) { return Convert(IntScalar(v), DType::kI64, dtype); };
        const auto combine = [&](Scalar x, Scalar y) {
          return Round(dtype, row.combine(x, y, dtype));
        };
        EXPECT_EQ(combine(row.identity(dtype), value(a)).i, value(a).i)
            << row.name << Row(dtype).name;
        EXPECT_EQ(combine(value(a), value(5)).i, combine(value(5), value(a)).i)
            << row.name << Row(dtype).name;
      }
    }
  }
}

struct Interval {
  double low;
  double high;
};

// The corners, critical points and multiples of pi/2 of a box: where the oracle looks for the
// extremes.
void VisitExtremes(const OpRow& row, const std::vector<Interval>& box, std::vector<Scalar>& point,
                   size_t k, Interval& hull, bool& nan) {
  if (k == box.size()) {
    const double value = row.evaluate(point, DType::kF64).f;
    nan |= std::isnan(value);
    hull.low = std::fmin(hull.low, value);
    hull.high = std::fmax(hull.high, value);
    return;
  }
  std::vector<double> candidates = {box[k].low, box[k].high};
  for (double critical : row.critical) {
    if (critical > box[k].low && critical < box[k].high) candidates.push_back(critical);
  }
  if (row.monotone == Monotone::kPeriodic) {
    constexpr double kQuarter = 1.57079632679489661923;
    for (double q = std::ceil(box[k].low / kQuarter); q * kQuarter < box[k].high; ++q)
      candidates.push_back(q * kQuarter);
  }
  for (double candidate : candidates) {
    point[k] = FloatScalar(candidate);
    VisitExtremes(row, box, point, k + 1, hull, nan);
  }
}

// What makes intervals sound: inside a box no value lies outside of what its extremes give.
TEST(OpTable, ExtremesOfABoxLieWhereTheRowSays) {
  std::mt19937_64 random(3);
  const auto uniform = [&](Interval in) {
    return in.low + (in.high - in.low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  for (const OpRow& row : OpRows()) {
    if (row.form != Form::kElementwise || row.monotone == Monotone::kPoint ||
        row.monotone == Monotone::kEquality || EvaluatedDType(row, DType::kF64) != DType::kF64 ||
        row.types == TypeRule::kIntegral) {
      continue;
    }
    const Interval range = {std::max(-6.0, row.domain.low), std::min(6.0, row.domain.high)};
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<Interval> box;
      std::vector<Scalar> point;
      for (int k = 0; k < row.min_arity; ++k) {
        const double a = uniform(range), b = uniform(range);
        box.push_back({std::min(a, b), std::max(a, b)});
        point.push_back(FloatScalar(0));
      }
      const auto holds_zero = [](Interval i) { return i.low <= 0 && i.high >= 0; };
      // The oracle judges no element there (observes_zero_sign).
      if (row.observes_zero_sign && std::any_of(box.begin(), box.end(), holds_zero)) continue;
      Interval hull = {INFINITY, -INFINITY};
      bool nan = false;
      VisitExtremes(row, box, point, 0, hull, nan);
      const double slack = 1e-12 * std::max(std::fabs(hull.low), std::fabs(hull.high));
      for (int inner = 0; inner < 50; ++inner) {
        for (size_t k = 0; k < box.size(); ++k) point[k] = FloatScalar(uniform(box[k]));
        const double value = row.evaluate(point, DType::kF64).f;
        if (std::isnan(value)) {
          EXPECT_TRUE(nan) << row.name;
        } else {
          EXPECT_GE(value, hull.low - slack) << row.name << " at " << point[0].f;
          EXPECT_LE(value, hull.high + slack) << row.name << " at " << point[0].f;
        }
      }
    }
  }
}

// ---- Promotion --------------------------------------------------------------------------------

OpDTypes DTypesOf(std::string_view op, std::initializer_list<OperandType> operands) {
  const Result<OpDTypes> dtypes =
      InferDTypes(Row(*FindOp(op)), std::vector<OperandType>(operands), {});
  EXPECT_TRUE(dtypes.ok()) << dtypes.error().Text();
  return *dtypes;
}
std::string RuleOf(std::string_view op, std::initializer_list<OperandType> operands) {
  const Result<OpDTypes> dtypes =
      InferDTypes(Row(*FindOp(op)), std::vector<OperandType>(operands), {});
  return dtypes.ok() ? "" : dtypes.error().rule;
}
constexpr OperandType Tensor(DType dtype) { return {dtype, OperandType::Kind::kTensor}; }
constexpr OperandType ZeroDim(DType dtype) { return {dtype, OperandType::Kind::kZeroDim}; }
constexpr OperandType kFloatLiteral = {DType::kF64, OperandType::Kind::kLiteral};
constexpr OperandType kIntegerLiteral = {DType::kI64, OperandType::Kind::kLiteral};

// The examples of https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc, line
// by line.
TEST(Promotion, FollowsTheExamplesOfPyTorch) {
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kI32), kIntegerLiteral}).result,
            DType::kI32);  // int_tensor + 5
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kI32), ZeroDim(DType::kI64)}).result,
            DType::kI32);  // + long_zerodim
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kI64), Tensor(DType::kI32)}).result,
            DType::kI64);  // long + int tensors
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kBool), Tensor(DType::kI64)}).result,
            DType::kI64);  // bool + long tensors
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kBool), kIntegerLiteral}).result,
            DType::kI64);  // bool_tensor + 5
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kF32), ZeroDim(DType::kF64)}).result,
            DType::kF32);  // float + double_zerodim
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kI32), kFloatLiteral}).result,
            DType::kF32);  // int_tensor + 5.
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kF16), kFloatLiteral}).result, DType::kF16);
  EXPECT_EQ(DTypesOf("add", {Tensor(DType::kI64), ZeroDim(DType::kF16)}).result, DType::kF16);
}

TEST(Promotion, DependsOnTheRule) {
  EXPECT_EQ(DTypesOf("div", {Tensor(DType::kI64), Tensor(DType::kI32)}).compute, DType::kF32);
  EXPECT_EQ(DTypesOf("lt", {Tensor(DType::kI32), kFloatLiteral}).compute, DType::kF32);
  EXPECT_EQ(DTypesOf("lt", {Tensor(DType::kI32), kFloatLiteral}).result, DType::kBool);
  EXPECT_EQ(DTypesOf("sum", {Tensor(DType::kI8)}).result, DType::kI64);
  EXPECT_EQ(DTypesOf("sum", {Tensor(DType::kBF16)}).result, DType::kBF16);
  EXPECT_EQ(DTypesOf("where", {Tensor(DType::kBool), Tensor(DType::kF16), kFloatLiteral}).result,
            DType::kF16);
  EXPECT_EQ(DTypesOf("gather", {Tensor(DType::kI8), Tensor(DType::kI64)}).result, DType::kI8);
}

TEST(Promotion, RefusesUnderALabel) {
  EXPECT_EQ(RuleOf("neg", {Tensor(DType::kBool)}), "dtype");
  EXPECT_EQ(RuleOf("floor", {Tensor(DType::kI32)}), "dtype");
  EXPECT_EQ(RuleOf("bitwise_and", {Tensor(DType::kI32), kFloatLiteral}), "dtype");
  EXPECT_EQ(RuleOf("where", {Tensor(DType::kI8), Tensor(DType::kF16), Tensor(DType::kF16)}),
            "dtype");
  EXPECT_EQ(RuleOf("gather", {Tensor(DType::kF32), Tensor(DType::kI8)}), "dtype");
  EXPECT_EQ(RuleOf("scatter", {Tensor(DType::kF32), Tensor(DType::kI64), Tensor(DType::kF16)}),
            "dtype");
  EXPECT_EQ(RuleOf("matmul", {Tensor(DType::kF32), Tensor(DType::kF16)}), "dtype");
  EXPECT_EQ(RuleOf("cat", {Tensor(DType::kF32), Tensor(DType::kF16)}), "dtype");
  EXPECT_EQ(RuleOf("sum", {kFloatLiteral}), "operand_literal");
  EXPECT_EQ(RuleOf("add", {kFloatLiteral, kIntegerLiteral}), "operand_tensor");
}

}  // namespace
}  // namespace seamfuzz
