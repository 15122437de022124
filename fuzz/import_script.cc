// Finds the fusions of a script: statements, functions, `with` blocks and the inputs they run with.
#include "fuzz/import_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/python_parser.h"
#include "fuzz/python_walk.h"

namespace seamfuzz {
namespace {

// Bounds on what one script may cost, far above what people file.
constexpr int64_t kMaxSteps = 1'000'000;
constexpr int kMaxSizeAttempts = 64;

constexpr std::array<std::string_view, 6> kDefines = {"define_tensor",   "define_scalar",
                                                      "define_constant", "define_vector",
                                                      "from_pytorch",    "add_output"};

bool IsOps(std::string_view name) { return name == "ops" || name == "Ops"; }
bool IsDefine(std::string_view name) {
  return std::find(kDefines.begin(), kDefines.end(), name) != kDefines.end();
}

}  // namespace

// ---- Finding
// --------------------------------------------------------------------------------------------------------

Result<std::vector<ScriptFusion>> ScriptReader::Find() {
  Run(module_.body, heap_.Scope(-1));
  RunUncalled();
  for (ScriptFusion& fusion : fusions_) NameByFunction(fusion);
  std::erase_if(fusions_, [](const ScriptFusion& fusion) { return fusion.body.empty(); });
  AddRootFunctions();
  for (ScriptFusion& fusion : fusions_) GiveInputs(fusion);
  std::stable_sort(fusions_.begin(), fusions_.end(),
                   [](const ScriptFusion& a, const ScriptFusion& b) { return a.line < b.line; });
  if (error_) return *error_;
  if (fusions_.empty()) {
    // A line that does not parse is the likely reason.
    for (const PyStatement& statement : module_.statements) {
      if (statement.kind != PyStatementKind::kOpaque) continue;
      return Error{
          "no_fusion",
          "no FusionDefinition here; this line does not read as Python: " + statement.message,
          statement.line, statement.column};
    }
    return Error{"no_fusion", "no FusionDefinition here", 1, 1};
  }
  return fusions_;
}

// Functions that the script itself does not call (tests, methods) are read once, their parameters
// unknown.
void ScriptReader::RunUncalled() {
  for (bool more = true; more && !error_;) {
    more = false;
    const std::map<PyStatementId, int> met = function_scopes_;
    for (const auto& [id, scope] : met) {
      if (called_.contains(id) || !FusionParameter(id).empty()) continue;
      more = true;
      CallFunction({.kind = ScriptKind::kFunction, .id = id, .scope = scope}, {});
    }
  }
}

// A `with` whose body only calls a function is named after it; without use of the definition there
// is no fusion.
void ScriptReader::NameByFunction(ScriptFusion& fusion) {
  if (fusion.body.empty()) return;
  bool used = false;
  bool defined = false;
  std::vector<PyStatementId> functions;
  WalkExprs(module_, fusion.body, [&](const PyExpr& expr) {
    if (expr.kind == PyExprKind::kAttribute) {
      const PyExpr& object = module_.expr(expr.children[0]);
      const bool on_fd = object.kind == PyExprKind::kName && object.text == fusion.fd;
      used = used || (on_fd && (IsOps(expr.text) || IsDefine(expr.text)));
      defined = defined || (on_fd && IsDefine(expr.text));
    }
    if (expr.kind != PyExprKind::kCall) return;
    const PyExpr& callee = module_.expr(expr.children[0]);
    if (callee.kind != PyExprKind::kName) return;
    const ScriptValue* function = Lookup(callee.text, fusion.scope);
    if (function == nullptr || !function->is(ScriptKind::kFunction)) return;
    if (!FusionParameter(function->id).empty()) functions.push_back(function->id);
  });
  called_.insert(functions.begin(), functions.end());
  if (!used && functions.empty()) {
    fusion.body.clear();
  } else if (!defined && functions.size() == 1) {
    fusion.name = module_.statement(functions[0]).text;
  }
}

// Functions that take a definition, define its inputs or outputs, and are called by nobody here.
void ScriptReader::AddRootFunctions() {
  std::set<std::string_view> callees;
  WalkExprs(module_, module_.body, [&](const PyExpr& expr) {
    if (expr.kind == PyExprKind::kCall) callees.insert(module_.expr(expr.children[0]).text);
  });
  const std::map<PyStatementId, int> met = function_scopes_;
  for (const auto& [id, scope] : met) {
    const PyStatement& function = module_.statement(id);
    const std::string fd(FusionParameter(id));
    if (fd.empty() || called_.contains(id) || callees.contains(function.text)) continue;
    bool defines = false;
    WalkExprs(module_, function.body, [&](const PyExpr& expr) {
      defines = defines || (expr.kind == PyExprKind::kAttribute && IsDefine(expr.text));
    });
    if (!defines) continue;
    ScriptFusion fusion{
        .name = std::string(function.text), .body = function.body, .fd = fd, .line = function.line};
    fusion.scope = heap_.Scope(scope);
    fusion.outer = scope;
    for (const PyParameter& parameter : function.parameters) {
      heap_.scopes[fusion.scope].names[std::string(parameter.name)] =
          parameter.default_value == kNoPy ? ScriptValue() : Eval(parameter.default_value, scope);
    }
    if (const auto given = function_inputs_.find(id); given != function_inputs_.end())
      fusion.inputs = given->second;
    fusions_.push_back(std::move(fusion));
  }
}

// Without a call that runs it, a list named `inputs` is what is meant.
void ScriptReader::GiveInputs(ScriptFusion& fusion) {
  if (!fusion.inputs.empty()) return;
  const ScriptValue* inputs = Lookup("inputs", fusion.outer);
  if (inputs != nullptr && inputs->is(ScriptKind::kList)) fusion.inputs = heap_.lists[inputs->id];
}

// The parameter on which the body calls fd methods: `fd`, `self`, or whatever its name is.
std::string_view ScriptReader::FusionParameter(PyStatementId id) {
  const auto [entry, fresh] = fusion_parameters_.try_emplace(id);
  std::string& found = entry->second;
  if (fresh) {
    const PyStatement& function = module_.statement(id);
    WalkExprs(module_, function.body, [&](const PyExpr& expr) {
      if (expr.kind != PyExprKind::kAttribute || (!IsOps(expr.text) && !IsDefine(expr.text)))
        return;
      const PyExpr& object = module_.expr(expr.children[0]);
      if (object.kind != PyExprKind::kName) return;
      for (const PyParameter& parameter : function.parameters) {
        if (parameter.name == object.text) found = parameter.name;
      }
    });
  }
  return found;
}

// ---- Building
// -------------------------------------------------------------------------------------------------------

Result<Case> ScriptReader::BuildOnce(const ScriptFusion& fusion, OpenSizes& sizes, bool* retry) {
  sizes.Restart();
  FusionBuilder builder(heap_, fusion.inputs, sizes);
  builder_ = &builder;
  error_.reset();
  steps_ = 0;
  const int scope = heap_.Scope(fusion.scope);
  heap_.scopes[scope].names[fusion.fd] = {.kind = ScriptKind::kDefinition, .id = kBeingBuilt};
  Run(fusion.body, scope);
  builder_ = nullptr;
  returned_.reset();
  *retry = false;
  for (const auto& [a, b] : builder.mismatches()) *retry = sizes.Unify(a, b) || *retry;
  if (error_) return *error_;  // it came first: Stop says nothing after an error of the builder
  if (builder.error()) return *builder.error();
  if (builder.empty())
    return Error{"no_fusion", "this FusionDefinition defines nothing", fusion.line, 1};
  return builder.Finish();
}

Result<Case> ScriptReader::Build(const ScriptFusion& fusion) {
  OpenSizes sizes;
  bool retry = false;
  Result<Case> built = BuildOnce(fusion, sizes, &retry);
  for (int i = 1; !built.ok() && retry && i < kMaxSizeAttempts; ++i)
    built = BuildOnce(fusion, sizes, &retry);
  if (sizes.empty()) return built;
  if (built.ok()) {
    OpenSizes small = sizes;
    small.Compact();
    Result<Case> compact = BuildOnce(fusion, small, &retry);
    return compact.ok() ? compact : built;
  }
  for (int64_t all : {4, 8, 2, 3, 16, 32}) {
    sizes.SetAll(all);
    Result<Case> uniform = BuildOnce(fusion, sizes, &retry);
    if (uniform.ok()) return uniform;
  }
  return built;
}

// ---- Statements
// -----------------------------------------------------------------------------------------------------

void ScriptReader::Stop(std::string rule, std::string message, int line, int column) {
  if (builder_ == nullptr || error_ || builder_->error()) return;
  error_ = Error{std::move(rule), std::move(message), line, column};
}

// False when reading must end: an error, or too much work.
bool ScriptReader::Spend(int line, int column) {
  if (++steps_ > kMaxSteps && !error_) {
    error_ = Error{"script_size", "more statements and expressions than an importer reads", line,
                   column};
  }
  if (depth_ > kMaxPyDepth && !error_) {
    error_ = Error{"nesting", fmt::format("nested deeper than {}", kMaxPyDepth), line, column};
  }
  return !error_ && (builder_ == nullptr || !builder_->error());
}

bool ScriptReader::Run(const std::vector<PyStatementId>& body, int scope) {
  ++depth_;
  bool going = true;
  for (size_t i = 0; going && i < body.size(); ++i) going = RunOne(body[i], scope);
  --depth_;
  return going;
}

bool ScriptReader::RunOne(PyStatementId id, int scope) {
  const PyStatement& statement = module_.statement(id);
  if (!Spend(statement.line, statement.column)) return false;
  switch (statement.kind) {
    case PyStatementKind::kExpression:
      Eval(statement.value, scope);
      break;
    case PyStatementKind::kAssign: {
      const ScriptValue value = Eval(statement.value, scope);
      for (PyExprId target : statement.targets) Assign(target, value, scope);
      break;
    }
    case PyStatementKind::kAugmented: {
      const PyExpr operation{PyExprKind::kBinary,
                             statement.text,
                             {statement.targets[0], statement.value},
                             {},
                             statement.line,
                             statement.column,
                             1};
      Assign(statement.targets[0], EvalOperator(operation, scope), scope);
      break;
    }
    case PyStatementKind::kReturn:
      returned_ = statement.value == kNoPy ? ScriptValue::None() : Eval(statement.value, scope);
      return false;
    case PyStatementKind::kFunction:
      function_scopes_.try_emplace(id, scope);
      heap_.scopes[scope].names[std::string(statement.text)] = {
          .kind = ScriptKind::kFunction, .id = id, .scope = scope};
      break;
    case PyStatementKind::kClass:
      Run(statement.body, heap_.Scope(scope));
      break;
    case PyStatementKind::kWith:
      RunWith(id, scope);
      break;
    case PyStatementKind::kFor:
      return RunFor(statement, scope);
    case PyStatementKind::kIf:
      return RunIf(statement, scope);
    case PyStatementKind::kBlock:
      if (builder_ != nullptr)
        Stop("unsupported_statement", "only straight code can be imported", statement.line,
             statement.column);
      return Run(statement.body, scope);
    case PyStatementKind::kImport:
      for (size_t i = 0; i + 1 < statement.targets.size(); i += 2) {
        Assign(statement.targets[i],
               ScriptValue::Path(std::string(module_.expr(statement.targets[i + 1]).text)), scope);
      }
      break;
    case PyStatementKind::kPass:
      break;
    case PyStatementKind::kOpaque:
      Stop("syntax", statement.message, statement.line, statement.column);
      return Run(statement.body, scope);
  }
  return true;
}

bool ScriptReader::RunFor(const PyStatement& statement, int scope) {
  const ScriptValue over = Eval(statement.value, scope);
  if (!over.is(ScriptKind::kList)) {
    Stop("unsupported_statement", "the loop's range cannot be known without running the script",
         statement.line, statement.column);
    Assign(statement.targets[0], {}, scope);
    return Run(statement.body, scope);
  }
  const std::vector<ScriptValue> items = heap_.lists[over.id];
  for (const ScriptValue& item : items) {
    Assign(statement.targets[0], item, scope);
    if (!Run(statement.body, scope)) return false;
  }
  return true;
}

bool ScriptReader::RunIf(const PyStatement& statement, int scope) {
  const std::optional<bool> condition = Truth(Eval(statement.value, scope));
  if (condition) return Run(*condition ? statement.body : statement.orelse, scope);
  Stop("unsupported_statement", "the condition cannot be known without running the script",
       statement.line, statement.column);
  const bool first = Run(statement.body, scope);
  const bool second = Run(statement.orelse, scope);
  return first || second;
}

// `with FusionDefinition() as fd:` is remembered with a copy of the names that it can see; other
// contexts are just bodies.
void ScriptReader::RunWith(PyStatementId id, int scope) {
  const PyStatement& statement = module_.statement(id);
  const ScriptValue context = Eval(statement.value, scope);
  if (statement.targets[0] != kNoPy) Assign(statement.targets[0], context, scope);
  const bool defines = builder_ == nullptr && context.is(ScriptKind::kDefinition) &&
                       fusions_[context.id].body.empty();
  if (!defines) {
    Run(statement.body, scope);
    return;
  }
  const PyExpr& named =
      module_.expr(statement.targets[0] != kNoPy ? statement.targets[0] : statement.value);
  ScriptFusion& fusion = fusions_[context.id];
  fusion.name = function_name_;
  fusion.body = statement.body;
  fusion.fd = named.text;
  fusion.line = statement.line;
  fusion.outer = scope;
  fusion.scope = heap_.Scope(heap_.scopes[scope].parent);
  heap_.scopes[fusion.scope].names = heap_.scopes[scope].names;
  steps_ += static_cast<int64_t>(heap_.scopes[scope].names.size());
  // The inputs may be made inside the body, after the definition.
  for (PyStatementId inner : statement.body) {
    const PyStatement& assignment = module_.statement(inner);
    const bool list = assignment.kind == PyStatementKind::kAssign &&
                      module_.expr(assignment.value).kind == PyExprKind::kList;
    if (list) RunOne(inner, scope);
  }
}

void ScriptReader::Assign(PyExprId target, const ScriptValue& value, int scope) {
  const PyExpr& expr = module_.expr(target);
  if (!Spend(expr.line, expr.column)) return;
  if (expr.kind == PyExprKind::kName) {
    heap_.scopes[scope].names[std::string(expr.text)] = value;
    if (builder_ != nullptr) builder_->Name(value, expr.text);
  } else if (expr.kind == PyExprKind::kAttribute &&
             module_.expr(expr.children[0]).kind == PyExprKind::kName) {
    heap_.scopes[scope]
        .names[fmt::format("{}.{}", module_.expr(expr.children[0]).text, expr.text)] = value;
    if (builder_ != nullptr) builder_->Name(value, expr.text);
  } else if (expr.kind == PyExprKind::kTuple || expr.kind == PyExprKind::kList) {
    std::vector<ScriptValue> items;
    if (value.is(ScriptKind::kList)) items = heap_.lists[value.id];
    items.resize(expr.children.size());  // unknown where the sizes differ
    ++depth_;
    for (size_t i = 0; i < items.size(); ++i) Assign(expr.children[i], items[i], scope);
    --depth_;
  }
}

const ScriptValue* ScriptReader::Lookup(std::string_view name, int scope) const {
  for (; scope >= 0; scope = heap_.scopes[scope].parent) {
    const auto found = heap_.scopes[scope].names.find(name);
    if (found != heap_.scopes[scope].names.end()) return &found->second;
  }
  return nullptr;
}

ScriptValue ScriptReader::CallFunction(const ScriptValue& function,
                                       const ScriptArguments& arguments) {
  const PyStatement& statement = module_.statement(function.id);
  called_.insert(function.id);
  if (builder_ == nullptr && !FusionParameter(function.id).empty())
    return {};  // built later, if at all
  if (!Spend(statement.line, statement.column) || !active_.insert(function.id).second)
    return {};  // no recursion
  const int scope = heap_.Scope(function.scope);
  for (size_t i = 0; i < statement.parameters.size(); ++i) {
    const PyParameter& parameter = statement.parameters[i];
    ScriptValue value;
    if (i < arguments.positional.size()) {
      value = arguments.positional[i];
    } else if (parameter.default_value != kNoPy) {
      value = Eval(parameter.default_value, function.scope);
    }
    for (const auto& [name, given] : arguments.keywords) {
      if (name == parameter.name) value = given;
    }
    heap_.scopes[scope].names[std::string(parameter.name)] = std::move(value);
  }
  const std::string outer_name = std::exchange(function_name_, std::string(statement.text));
  const std::optional<ScriptValue> outer_return = std::exchange(returned_, std::nullopt);
  Run(statement.body, scope);
  function_name_ = outer_name;
  active_.erase(function.id);
  ScriptValue result = returned_.value_or(ScriptValue::None());
  returned_ = outer_return;
  return result;
}

}  // namespace seamfuzz
