// Builds the graph of one FusionDefinition from the calls that its body makes on `fd`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/import_sizes.h"
#include "fuzz/import_value.h"
#include "generator/case/case.h"

namespace seamfuzz {

class FusionBuilder {
 public:
  // `inputs`: what the script passes to execute, in the order of the definition's inputs; empty
  // where it does not say.
  FusionBuilder(ScriptHeap& heap, std::vector<ScriptValue> inputs, OpenSizes& sizes)
      : heap_(heap), inputs_(std::move(inputs)), sizes_(sizes) {}

  // fd.define_tensor, fd.define_scalar, fd.add_output, ... and fd.ops.NAME. After the first error
  // everything is unknown.
  ScriptValue Call(std::string_view name, const ScriptArguments& arguments);
  ScriptValue CallOp(std::string_view name, const ScriptArguments& arguments);
  // The script calls this value `name`; the first name that is free stays.
  void Name(const ScriptValue& value, std::string_view name);

  const std::optional<Error>& error() const { return error_; }
  // Extents that the failing op would like to be equal.
  const std::vector<std::pair<int64_t, int64_t>>& mismatches() const { return mismatches_; }
  bool empty() const { return graph_.size() == 0; }

  // The graph under the script's names, data for scalars and index operands, and the lane. Rules of
  // Graph.
  Result<Case> Finish() const;

  // ---- For the table of ops (import_ops.cc) ----
  ScriptHeap& heap() { return heap_; }
  const Graph& graph() const { return graph_; }
  const TensorType& type(const Operand& operand) const { return graph_.type(operand.value); }
  void Fail(std::string rule, std::string message);
  void WantEqual(int64_t a, int64_t b);
  // Appends a node, or computes it when every operand is a literal. `{}` after an error.
  Operand Add(std::string_view op, std::vector<Operand> operands, Attrs attrs = {});
  // Conversions that fail with rule `unknown_value`, naming what was wanted.
  Operand AsOperand(const ScriptValue* value, std::string_view what);
  Operand AsTensor(const ScriptValue* value, std::string_view what);
  int64_t AsInt(const ScriptValue* value, std::string_view what);
  IntList AsList(const ScriptValue* value, std::string_view what);

 private:
  struct Input {
    ValueId value;
    int storage;  // ImportedTensor::storage; -1: its own
  };

  ScriptValue DefineTensor(const ScriptArguments& arguments);
  ScriptValue FromTorch(const ScriptArguments& arguments);
  ScriptValue DefineScalar(const ScriptArguments& arguments);
  ScriptValue DefineVector(const ScriptArguments& arguments);
  ScriptValue AddOutput(const ScriptArguments& arguments);
  const ScriptValue* NextInput();
  ScriptValue AddTensorInput(const TensorType& type, const Strides& strides,
                             const ImportedTensor* tensor);
  ScriptValue AddScalarInput(DType dtype, const ScriptValue* given);
  Strides DefinedStrides(const Shape& shape, const ScriptValue* contiguity,
                         const ScriptValue* stride_order);
  Operand Fold(OpId op, const std::vector<Operand>& operands, const std::vector<Scalar>& values,
               const std::vector<DType>& dtypes) const;
  std::vector<std::string> FinalNames() const;

  ScriptHeap& heap_;
  std::vector<ScriptValue> inputs_;
  OpenSizes& sizes_;
  size_t next_input_ = 0;
  Graph graph_;
  std::vector<Input> tensor_inputs_;
  std::map<ValueId, Scalar>
      known_;  // scalar inputs with a given value, and what is computed from them
  std::map<ValueId, std::string> names_;
  std::optional<Error> error_;
  std::vector<std::pair<int64_t, int64_t>> mismatches_;
  int line_ = 0;
  int column_ = 0;
};

// A literal of the category that the value has; nullopt when it is no number.
std::optional<Operand> AsLiteral(const ScriptValue& value);
Operand Literal(Scalar value, DType dtype);

}  // namespace seamfuzz
