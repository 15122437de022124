// Reads a script as Python would run it, but on what its text says only: nothing is executed. It
// finds the fusions of a script and what each is run with.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/import_fusion.h"
#include "fuzz/import_value.h"
#include "fuzz/python_ast.h"
#include "generator/ir/result.h"

namespace seamfuzz {

// More FusionDefinitions than a script has.
inline constexpr size_t kMaxFusions = 256;

// One FusionDefinition of a script: the body of a `with`, or a function that takes one.
struct ScriptFusion {
  std::string name;                 // of the function it stands in; empty at the top of a file
  std::vector<PyStatementId> body;  // statements that define it
  int scope = 0;                    // where they read names, as it was when they stood
  int outer = 0;                    // the same scope at the end of the script
  std::string fd;                   // what they call the definition
  std::vector<ScriptValue>
      inputs;  // what it is run with, in order; empty when the script does not say
  int line = 0;
  int group = -1;  // the `Fusion()` of 2022, whose execute runs it
};

class ScriptReader {
 public:
  explicit ScriptReader(const PyModule& module) : module_(module) {}

  // In the order of their lines. Rule no_fusion when there is none.
  Result<std::vector<ScriptFusion>> Find();
  // Rules: those of FusionBuilder, unsupported_statement, unknown_value, nesting, script_size.
  Result<Case> Build(const ScriptFusion& fusion);

 private:
  // ---- Statements; `false` after a return ----
  bool Run(const std::vector<PyStatementId>& body, int scope);
  bool RunOne(PyStatementId id, int scope);
  bool RunFor(const PyStatement& statement, int scope);
  bool RunIf(const PyStatement& statement, int scope);
  void RunWith(PyStatementId id, int scope);
  void Assign(PyExprId target, const ScriptValue& value, int scope);

  // ---- Expressions ----
  ScriptValue Eval(PyExprId id, int scope);
  ScriptValue EvalName(const PyExpr& expr, int scope) const;
  ScriptValue EvalAttribute(const PyExpr& expr, int scope);
  ScriptValue EvalSubscript(const PyExpr& expr, int scope);
  ScriptValue EvalOperator(const PyExpr& expr, int scope);
  ScriptValue EvalComprehension(const PyExpr& expr, int scope);
  ScriptValue EvalCall(const PyExpr& expr, int scope);
  ScriptValue CallPath(const std::string& path, const ScriptArguments& arguments);
  ScriptValue CallMethod(const ScriptValue& object, std::string_view name,
                         const ScriptArguments& arguments);
  ScriptValue CallFunction(const ScriptValue& function, const ScriptArguments& arguments);
  ScriptArguments Arguments(const PyExpr& call, int scope);
  ScriptValue Iterated(const ScriptArguments& arguments, std::string_view function);
  std::string_view FusionParameter(PyStatementId function);
  const ScriptValue* Lookup(std::string_view name, int scope) const;
  bool Spend(int line, int column);
  bool Building() const { return builder_ != nullptr; }
  void Stop(std::string rule, std::string message, int line, int column);

  // ---- Finding ----
  void RunUncalled();
  void NameByFunction(ScriptFusion& fusion);
  void AddRootFunctions();
  void GiveInputs(ScriptFusion& fusion);
  Result<Case> BuildOnce(const ScriptFusion& fusion, OpenSizes& sizes, bool* retry);

  const PyModule& module_;
  ScriptHeap heap_;
  std::vector<ScriptFusion> fusions_;             // ScriptKind::kDefinition numbers them
  std::map<PyStatementId, int> function_scopes_;  // where each def statement was met
  std::map<PyStatementId, std::vector<ScriptValue>> function_inputs_;  // run(function, inputs)
  std::set<PyStatementId> called_;
  std::set<PyStatementId> active_;  // functions being read
  std::map<PyStatementId, std::string>
      fusion_parameters_;      // of each def statement; empty: takes no definition
  std::string function_name_;  // of the function being read
  int groups_ = 0;
  FusionBuilder* builder_ = nullptr;  // while building
  std::optional<ScriptValue> returned_;
  std::optional<Error> error_;
  int64_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace seamfuzz
