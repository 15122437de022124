// What the importer knows about the value of a Python expression, and where lists, tensors and
// scopes live.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/python_ast.h"
#include "generator/ir/graph.h"

namespace seamfuzz {

// A torch tensor of the script as far as a case needs it: how it views which storage. Its elements
// are not kept.
struct ImportedTensor {
  DType dtype = DType::kF32;
  Shape shape;
  Strides strides;
  int64_t offset = 0;
  int storage = 0;  // identity: two tensors share memory when it is equal
};

enum class ScriptKind : uint8_t {
  kUnknown,  // cannot be known without running the script
  kNone,
  kBool,        // integer
  kInteger,     // integer
  kFloat,       // real
  kString,      // text without prefix and quotes
  kList,        // list or tuple: heap list `id`
  kPath,        // a dotted name that nothing here defines: "torch.float32"
  kFunction,    // def statement `id`, made in scope `scope`
  kFusion,      // `Fusion()` number `id`
  kDefinition,  // `FusionDefinition()` number `id`, or kBeingBuilt
  kFusionOp,    // text = "ops" or "ops.add" of definition `id`
  kTensor,      // heap tensor `id`
  kValue,       // `operand` of the graph being built: a tensor, a scalar or a literal
};

inline constexpr int kBeingBuilt = -1;

struct ScriptValue {
  ScriptKind kind = ScriptKind::kUnknown;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  int id = 0;
  int scope = 0;
  Operand operand;

  static ScriptValue None() { return {.kind = ScriptKind::kNone}; }
  static ScriptValue Bool(bool b) { return {.kind = ScriptKind::kBool, .integer = b}; }
  static ScriptValue Integer(int64_t i) { return {.kind = ScriptKind::kInteger, .integer = i}; }
  static ScriptValue Float(double d) { return {.kind = ScriptKind::kFloat, .real = d}; }
  static ScriptValue Path(std::string path) {
    return {.kind = ScriptKind::kPath, .text = std::move(path)};
  }
  static ScriptValue OfGraph(Operand operand) {
    return {.kind = ScriptKind::kValue, .operand = operand};
  }
  bool is(ScriptKind k) const { return kind == k; }
};

struct ScriptScope {
  std::map<std::string, ScriptValue, std::less<>> names;
  int parent = -1;
};

// Owns what values name by number, so that values may form cycles (a function in the scope that it
// was made in).
struct ScriptHeap {
  std::deque<std::vector<ScriptValue>> lists;
  std::deque<ImportedTensor> tensors;
  std::deque<ScriptScope> scopes;
  int storages = 0;

  ScriptValue List(std::vector<ScriptValue> items) {
    lists.push_back(std::move(items));
    return {.kind = ScriptKind::kList, .id = static_cast<int>(lists.size()) - 1};
  }
  ScriptValue Tensor(ImportedTensor tensor) {
    tensors.push_back(std::move(tensor));
    return {.kind = ScriptKind::kTensor, .id = static_cast<int>(tensors.size()) - 1};
  }
  int Scope(int parent) {
    scopes.push_back({{}, parent});
    return static_cast<int>(scopes.size()) - 1;
  }
};

// The arguments of one call, and where it stands.
struct ScriptArguments {
  std::vector<ScriptValue> positional;
  std::vector<std::pair<std::string_view, ScriptValue>> keywords;
  int line = 0;
  int column = 0;
};

// Matches arguments with parameters given as "arg dims|axes keepdim": alternatives name one
// parameter. The result has one entry a parameter, null where it is absent. nullopt: too many,
// twice the same, or an unknown keyword.
std::optional<std::vector<const ScriptValue*>> BindArguments(std::string_view parameters,
                                                             const ScriptArguments& arguments);

// Python's truth of a value; nullopt when it is not known.
std::optional<bool> Truth(const ScriptValue& value);
// Conversions; nullopt when the value is something else or unknown. Booleans and whole floats count
// as integers.
std::optional<int64_t> AsInteger(const ScriptValue& value);
std::optional<double> AsNumber(const ScriptValue& value);
// A list of integers no longer than kMaxRank.
std::optional<IntList> AsIntList(const ScriptValue& value, const ScriptHeap& heap);
// torch.float32, torch.half, DataType.BFloat16, ...
std::optional<DType> AsDType(const ScriptValue& value);

}  // namespace seamfuzz
