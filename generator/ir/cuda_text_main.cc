// Prints the cuda column of the op table as C++ host functions (cuda_text.h), so that a test can
// call what a GPU would run.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "generator/ir/op.h"

namespace seamfuzz {
namespace {

// Registers hold f16 and bf16 as float: f32 stands for them.
constexpr DType kRegisters[] = {DType::kBool, DType::kI8,  DType::kI32,
                                DType::kI64,  DType::kF32, DType::kF64};

int CudaArity(const OpRow& row) { return row.combine != nullptr ? 2 : row.min_arity; }

// True when some operands make the row compute in `dtype`.
bool ComputesIn(const OpRow& row, DType dtype) {
  std::vector<OperandType> operands(static_cast<size_t>(row.min_arity),
                                    OperandType{.dtype = dtype});
  if (row.types == TypeRule::kWhere) operands[0].dtype = DType::kBool;
  const Attrs attrs = {{.key = AttrKey::kDType, .dtype = DType::kF32}};
  const Result<OpDTypes> dtypes = InferDTypes(row, operands, attrs);
  return dtypes.ok() && dtypes->compute == dtype;
}

// "{1}" becomes "x1", a local variable of the register type.
std::string Expression(const OpRow& row) {
  std::string text(row.cuda);
  for (int k = 0; k < CudaArity(row); ++k) {
    const std::string from = fmt::format("{{{}}}", k);
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), fmt::format("x{}", k));
    }
  }
  return text;
}

std::string_view Member(DType dtype) { return IsFloat(dtype) ? "f" : "i"; }

void PrintFunction(OpId op, DType dtype) {
  const OpRow& row = Row(op);
  const DType evaluated = row.combine != nullptr ? dtype : EvaluatedDType(row, dtype);
  std::string body;
  for (int k = 0; k < CudaArity(row); ++k) {
    body += fmt::format("  {0} x{1} = static_cast<{0}>(x[{1}].{2});\n", Row(dtype).cuda, k,
                        Member(dtype));
  }
  fmt::print(
      "seamfuzz::Scalar {0}_{1}(const seamfuzz::Scalar* x) {{\n{2}  {3} result = {4};\n"
      "  return seamfuzz::Scalar{{.{5} = result}};\n}}\n",
      row.name, Row(dtype).name, body, Row(evaluated).cuda, Expression(row), Member(evaluated));
}

void PrintAll() {
  // Device code has these without headers; rsqrt is CUDA's own.
  fmt::print(
      "#include <cmath>\n#include \"generator/ir/cuda_text.h\"\n#define __device__\nnamespace "
      "{{\nusing namespace std;\n"
      "float rsqrt(float x) {{ return 1 / sqrt(x); }}\ndouble rsqrt(double x) {{ return 1 / "
      "sqrt(x); }}\n{}",
      CudaPrelude());
  std::string table;
  for (size_t op = 0; op < OpRows().size(); ++op) {
    const OpRow& row = OpRows()[op];
    if (row.cuda.empty()) continue;
    for (DType dtype : kRegisters) {
      if (!ComputesIn(row, dtype)) continue;
      PrintFunction(static_cast<OpId>(op), dtype);
      table += fmt::format("    {{{}, seamfuzz::DType{{{}}}, {}_{}}},\n", op,
                           static_cast<int>(dtype), row.name, Row(dtype).name);
    }
  }
  fmt::print(
      "constexpr seamfuzz::CudaTextFunction kFunctions[] = {{\n{}}};\n}}  // namespace\n"
      "std::span<const seamfuzz::CudaTextFunction> seamfuzz::CudaTextFunctions() {{ return "
      "kFunctions; }}\n",
      table);
}

}  // namespace
}  // namespace seamfuzz

int main() {
  seamfuzz::PrintAll();
  return std::fflush(stdout) == 0 ? 0 : 1;
}
