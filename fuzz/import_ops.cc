// The table of nvFuser ops. Elementwise ops need no row here: the op table's own nvFuser column
// names them.
#include "fuzz/import_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fuzz/import_builders.h"

namespace seamfuzz {
namespace {

using namespace import_ops;

// ---- Elementwise ----

ScriptValue BuildElementwise(FusionBuilder& b, std::string_view op,
                             const ScriptArguments& arguments) {
  std::vector<Operand> operands;
  for (const ScriptValue& value : arguments.positional)
    operands.push_back(b.AsOperand(&value, "an operand"));
  for (const auto& [name, value] : arguments.keywords)
    operands.push_back(b.AsOperand(&value, name));
  return Made(b.Add(op, std::move(operands)));
}

bool IsIntegral(FusionBuilder& b, const Operand& o) {
  return !IsFloat(o.is_literal() ? o.literal_dtype : b.type(o).dtype);
}

// Floats as everywhere, integers as in C, which only constants (sizes) can be.
ScriptValue BuildDiv(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsOperand(a[0], "the dividend");
  const Operand y = b.AsOperand(a[1], "the divisor");
  if (b.error()) return {};
  if (!IsIntegral(b, x) || !IsIntegral(b, y)) return Made(b.Add(row.op, {x, y}));
  if (x.is_literal() && y.is_literal() && y.literal.i != 0 && y.literal.i != -1) {
    return Made(Operand::Integer(x.literal.i / y.literal.i));
  }
  b.Fail("unsupported_op", "fd.ops.div of integers has no equivalent");
  return {};
}

// a + s * b and a - s * b.
ScriptValue BuildScaled(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsOperand(a[0], "an operand");
  const Operand scaled =
      b.Add("mul", {b.AsOperand(a[1], "an operand"), b.AsOperand(a[2], "alpha")});
  return Made(b.Add(row.op, {x, scaled}));
}
// a + s * b * c.
ScriptValue BuildAddcmul(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const Operand x = b.AsOperand(a[0], "an operand");
  const Operand product =
      b.Add("mul", {b.AsOperand(a[1], "an operand"), b.AsOperand(a[2], "an operand")});
  const Operand scaled =
      Given(a[3]) ? b.Add("mul", {product, b.AsOperand(a[3], "the factor")}) : product;
  return Made(b.Add("add", {x, scaled}));
}
// With a constant weight the branch of the definition is known; otherwise the op itself.
ScriptValue BuildLerp(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsOperand(a[0], "start");
  const Operand y = b.AsOperand(a[1], "end");
  const Operand weight = b.AsOperand(a[2], "weight");
  if (b.error() || !weight.is_literal()) return Made(b.Add(row.op, {x, y, weight}));
  const double w = Convert(weight.literal, weight.literal_dtype, DType::kF64).f;
  const Operand span = b.Add("sub", {y, x});
  if (std::abs(w) < 0.5) return Made(b.Add("add", {x, b.Add("mul", {span, Operand::Number(w)})}));
  return Made(b.Add("sub", {y, b.Add("mul", {span, Operand::Number(1 - w)})}));
}
// x where x > threshold or x is NaN, else the value.
ScriptValue BuildThreshold(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const Operand x = b.AsOperand(a[0], "an operand");
  const Operand low = b.Add("le", {x, b.AsOperand(a[1], "the threshold")});
  return Made(b.Add("where", {low, b.AsOperand(a[2], "the value"), x}));
}
ScriptValue BuildClamp(FusionBuilder& b, const ImportRow&, const Bound& a) {
  Operand x = b.AsOperand(a[0], "an operand");
  if (Given(a[1]) && Given(a[2]))
    return Made(b.Add("clamp", {x, b.AsOperand(a[1], "min"), b.AsOperand(a[2], "max")}));
  if (Given(a[1])) x = b.Add("maximum", {x, b.AsOperand(a[1], "min")});
  if (Given(a[2])) x = b.Add("minimum", {x, b.AsOperand(a[2], "max")});
  return Made(x);
}

ScriptValue BuildCast(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsOperand(a[0], "the operand");
  const std::optional<DType> dtype = DTypeOf(b, a[1]);
  if (b.error()) return {};
  if (!dtype) {
    b.Fail("arguments", "fd.ops.cast needs a dtype");
    return {};
  }
  // nvFuser's printer writes `set` as a cast to the same dtype.
  if (!x.is_literal() && b.type(x).dtype == *dtype) return Made(b.Add(row.op, {x}));
  return Made(CastTo(b, x, *dtype));
}

// ---- Reductions and scans ----

struct Reduced {
  Operand x;
  IntList dims;
  bool keepdim = false;
  Attrs attrs() const {
    return {OfList(AttrKey::kDims, dims), OfInt(AttrKey::kKeepdim, keepdim ? 1 : 0)};
  }
};
Reduced ReducedOf(FusionBuilder& b, const ScriptValue* x, const ScriptValue* dims,
                  const ScriptValue* keepdim) {
  Reduced reduced{b.AsTensor(x, "the operand"), {}, Flag(keepdim)};
  const int rank = RankOf(b, reduced.x);
  if (Given(dims)) {
    reduced.dims = Wrapped(b, b.AsList(dims, "dims"), rank);
  } else {
    for (int d = 0; d < rank; ++d) reduced.dims.push_back(d);
  }
  std::sort(reduced.dims.begin(), reduced.dims.end());
  return reduced;
}

ScriptValue BuildReduce(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  Reduced reduced = ReducedOf(b, a[0], a[1], a[2]);
  const std::optional<DType> dtype = DTypeOf(b, a[3]);
  if (b.error()) return {};
  if (dtype && *dtype != b.type(reduced.x).dtype) reduced.x = CastTo(b, reduced.x, *dtype);
  return Made(b.Add(row.op, {reduced.x}, reduced.attrs()));
}

Operand VarOf(FusionBuilder& b, const Reduced& reduced, int64_t correction) {
  Attrs attrs = reduced.attrs();
  attrs.push_back(OfInt(AttrKey::kCorrection, correction));
  return b.Add("var", {reduced.x}, std::move(attrs));
}
ScriptValue BuildVar(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const Reduced reduced = ReducedOf(b, a[0], a[1], a[3]);
  return Made(VarOf(b, reduced, Given(a[2]) ? b.AsInt(a[2], "correction") : 1));
}
ScriptValue BuildVarMean(FusionBuilder& b, const ImportRow&, const Bound& a) {
  const Reduced reduced = ReducedOf(b, a[0], a[1], a[3]);
  const Operand var = VarOf(b, reduced, Given(a[2]) ? b.AsInt(a[2], "correction") : 1);
  const Operand mean = b.Add("mean", {reduced.x}, reduced.attrs());
  return b.heap().List({Made(var), Made(mean)});
}
// -> (mean, sum of squared distances from it, count).
ScriptValue BuildWelford(FusionBuilder& b, const ImportRow&, const Bound& a) {
  Reduced reduced = ReducedOf(b, a[0], a[1], nullptr);
  const Operand mean = b.Add("mean", {reduced.x}, reduced.attrs());
  reduced.keepdim = true;
  const Operand centre = b.Add("mean", {reduced.x}, reduced.attrs());
  const Operand distance = b.Add("sub", {reduced.x, centre});
  const Operand square = b.Add("mul", {distance, distance});
  reduced.keepdim = false;
  const Operand sum = b.Add("sum", {square}, reduced.attrs());
  if (b.error()) return {};
  int64_t count = 1;
  for (int64_t d : reduced.dims) count *= b.type(reduced.x).shape[static_cast<int>(d)];
  return b.heap().List({Made(mean), Made(sum), ScriptValue::Integer(count)});
}

ScriptValue BuildScan(FusionBuilder& b, const ImportRow& row, const Bound& a) {
  const Operand x = b.AsTensor(a[0], "the operand");
  const int64_t dim = DimOf(b, a[1], RankOf(b, x));
  if (Given(a[2]))
    b.Fail("unsupported_op", fmt::format("fd.ops.{} with init has no equivalent", row.nvfuser));
  return Made(b.Add(row.op, {x}, {OfInt(AttrKey::kDim, dim)}));
}

constexpr std::array kRows = {
    ImportRow{"div", "a b", BuildDiv, "div"},
    ImportRow{"add_alpha", "a b alpha", BuildScaled, "add"},
    ImportRow{"sub_alpha", "a b alpha", BuildScaled, "sub"},
    ImportRow{"addcmul", "a b c s|value", BuildAddcmul, ""},
    ImportRow{"lerp", "start end weight", BuildLerp, "lerp"},
    ImportRow{"threshold", "x threshold|thr value|val", BuildThreshold, ""},
    ImportRow{"clamp", "x min|low|min_val max|high|max_val", BuildClamp, ""},
    ImportRow{"cast", "arg dtype", BuildCast, "set"},
    ImportRow{"sum", "arg dims|dim|axes keepdim|keep_dim dtype", BuildReduce, "sum"},
    ImportRow{"prod", "arg dims|dim|axes keepdim|keep_dim dtype", BuildReduce, "prod"},
    ImportRow{"max", "arg dims|dim|axes keepdim|keep_dim dtype", BuildReduce, "amax"},
    ImportRow{"min", "arg dims|dim|axes keepdim|keep_dim dtype", BuildReduce, "amin"},
    ImportRow{"var", "arg dims|dim|axes correction keepdim|keep_dim", BuildVar, ""},
    ImportRow{"var_mean", "arg dims|dim|axes correction keepdim|keep_dim", BuildVarMean, ""},
    ImportRow{"welford", "arg dims|dim|axes", BuildWelford, ""},
    ImportRow{"cumsum", "arg dim init", BuildScan, "cumsum"},
    ImportRow{"cumprod", "arg dim init", BuildScan, "cumprod"},
    ImportRow{"cummax", "arg dim init", BuildScan, "cummax"},
    ImportRow{"cummin", "arg dim init", BuildScan, "cummin"},
    ImportRow{"broadcast", "arg is_broadcast_dim", BuildBroadcast, "broadcast_in_dim"},
    ImportRow{"broadcast_in_dim", "arg shape|output_shape broadcast_dims", BuildBroadcastInDim,
              "broadcast_in_dim"},
    ImportRow{"expand", "arg shape", BuildExpand, "expand"},
    ImportRow{"reshape", "arg new_shape|shape second_shape original_shape", BuildReshape,
              "reshape"},
    ImportRow{"view", "arg new_shape|shape second_shape original_shape", BuildReshape, "reshape"},
    ImportRow{"permute", "arg dims", BuildDims, "permute"},
    ImportRow{"squeeze", "arg dims|dim squeeze_expanded original_shape", BuildDims, "squeeze"},
    ImportRow{"slice", "arg start_indices end_indices strides manual_normalization", BuildSlice,
              "slice"},
    ImportRow{"pad", "arg pad_widths value", BuildPad, "pad"},
    ImportRow{"cat", "tensors dim manual_padding", BuildCat, "cat"},
    ImportRow{"triu", "arg diagonal", BuildTriu, "triu"},
    ImportRow{"set", "arg", BuildCopy, "set"},
    ImportRow{"segment_set", "arg", BuildCopy, "segment_set"},
    ImportRow{"stride_order", "arg stride_order", BuildCopy, "set"},
    ImportRow{"size", "arg dim", BuildSize, ""},
    ImportRow{"shape", "arg", BuildShape, ""},
    ImportRow{"tensor_sizes", "arg", BuildShape, ""},
    ImportRow{"at", "vec|arg index", BuildAt, ""},
    ImportRow{"index_select", "arg index dim", BuildIndexed, "index_select"},
    ImportRow{"gather", "arg|arg1 index dim", BuildIndexed, "gather"},
    ImportRow{"take_along_axis", "arg|arg1 index dim", BuildIndexed, "gather"},
    ImportRow{"torch_gather", "arg|arg1 index dim", BuildIndexed, "gather"},
    ImportRow{"scatter", "arg|arg1 index src dim", BuildScatter, "scatter"},
    ImportRow{"select", "arg index dim", BuildSelect, "select"},
    ImportRow{"embedding_fwd",
              "input weight padding_idx max_norm norm_type scale_grad_by_freq sparse",
              BuildEmbedding, "embedding"},
    ImportRow{"full", "shape|size fill_value|arg dtype", BuildFull, "full"},
    ImportRow{"iota", "length start step dtype", BuildIota, "iota"},
    ImportRow{"matmul", "arg1 arg2", BuildMatmul, "matmul"},
    ImportRow{"linear", "arg1|arg arg2|weight bias", BuildLinear, "linear"},
};

// nvFuser's names of elementwise ops where the op table's own column has another.
struct Alias {
  std::string_view nvfuser;
  std::string_view op;
};
constexpr std::array kAliases = {Alias{"mod", "fmod"},
                                 Alias{"logical_right_shift", "bitwise_right_shift"}};

// The op whose nvFuser text is exactly fd.ops.NAME({0}, {1}, ...).
std::string_view ElementwiseNamed(std::string_view name) {
  for (const OpRow& row : OpRows()) {
    if (row.form != Form::kElementwise) continue;
    std::string_view called = row.nvfuser.empty() ? row.name : row.nvfuser;
    constexpr std::string_view kPrefix = "fd.ops.";
    if (called.starts_with(kPrefix)) called.remove_prefix(kPrefix.size());
    if (!called.starts_with(name)) continue;
    const std::string_view rest = called.substr(name.size());
    if (rest.empty() || rest == "({0})" || rest == "({0}, {1})" || rest == "({0}, {1}, {2})")
      return row.name;
  }
  for (const Alias& alias : kAliases) {
    if (alias.nvfuser == name && FindOp(alias.op)) return alias.op;
  }
  return {};
}

struct PythonOperator {
  std::string_view text;
  int arity;
  std::string_view nvfuser;
};
constexpr std::array kOperators = {
    PythonOperator{"+", 2, "add"},
    PythonOperator{"-", 2, "sub"},
    PythonOperator{"*", 2, "mul"},
    PythonOperator{"/", 2, "truediv"},
    PythonOperator{"%", 2, "mod"},
    PythonOperator{"**", 2, "pow"},
    PythonOperator{"&", 2, "bitwise_and"},
    PythonOperator{"|", 2, "bitwise_or"},
    PythonOperator{"^", 2, "bitwise_xor"},
    PythonOperator{"<", 2, "lt"},
    PythonOperator{">", 2, "gt"},
    PythonOperator{"<=", 2, "le"},
    PythonOperator{">=", 2, "ge"},
    PythonOperator{"==", 2, "eq"},
    PythonOperator{"!=", 2, "ne"},
    PythonOperator{"-", 1, "neg"},
    PythonOperator{"~", 1, "bitwise_not"},
    PythonOperator{"<<", 2, "bitwise_left_shift"},
    PythonOperator{">>", 2, "bitwise_right_shift"},
    PythonOperator{"+", 1, "set"},
};

}  // namespace

ScriptValue ImportOp(FusionBuilder& builder, std::string_view name,
                     const ScriptArguments& arguments) {
  for (const ImportRow& row : kRows) {
    if (row.nvfuser != name) continue;
    const std::optional<Bound> bound = BindArguments(row.parameters, arguments);
    if (bound && !bound->empty()) return row.build(builder, row, *bound);
    builder.Fail("arguments", fmt::format("fd.ops.{} takes ({})", name, row.parameters));
    return {};
  }
  const std::string_view op = ElementwiseNamed(name);
  if (!op.empty()) return BuildElementwise(builder, op, arguments);
  builder.Fail("unsupported_op", fmt::format("fd.ops.{} has no equivalent", name));
  return {};
}

ScriptValue ImportOperator(FusionBuilder& builder, std::string_view op,
                           const ScriptArguments& operands) {
  for (const PythonOperator& row : kOperators) {
    if (row.text == op && row.arity == static_cast<int>(operands.positional.size())) {
      return builder.CallOp(row.nvfuser, operands);
    }
  }
  builder.Fail("unsupported_op", fmt::format("operator {} has no equivalent", op));
  return {};
}

}  // namespace seamfuzz
