// Expressions of a script: what they mean as far as the text says, and the calls that build a
// fusion.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/import_number.h"
#include "fuzz/import_ops.h"
#include "fuzz/import_script.h"
#include "fuzz/import_torch.h"

namespace seamfuzz {
namespace {

constexpr size_t kMaxItems = 4096;  // of a list that the script computes

std::string_view LastPart(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace

ScriptValue ScriptReader::Eval(PyExprId id, int scope) {
  if (id == kNoPy) return ScriptValue::None();
  const PyExpr& expr = module_.expr(id);
  ++depth_;
  ScriptValue value;
  if (Spend(expr.line, expr.column)) {
    switch (expr.kind) {
      case PyExprKind::kName:
        value = EvalName(expr, scope);
        break;
      case PyExprKind::kInteger:
        value = IntegerOf(expr.text);
        break;
      case PyExprKind::kFloat:
        value = FloatOf(expr.text);
        break;
      case PyExprKind::kString:
        value = StringOf(expr.text);
        break;
      case PyExprKind::kAttribute:
        value = EvalAttribute(expr, scope);
        break;
      case PyExprKind::kCall:
        value = EvalCall(expr, scope);
        break;
      case PyExprKind::kSubscript:
        value = EvalSubscript(expr, scope);
        break;
      case PyExprKind::kSlice:
      case PyExprKind::kList:
      case PyExprKind::kTuple: {
        std::vector<ScriptValue> items;
        for (PyExprId child : expr.children) {
          const bool starred = child != kNoPy && module_.expr(child).kind == PyExprKind::kStarred;
          ScriptValue item = Eval(starred ? module_.expr(child).children[0] : child, scope);
          if (starred && item.is(ScriptKind::kList) && items.size() < kMaxItems) {
            const std::vector<ScriptValue> more = heap_.lists[item.id];
            items.insert(items.end(), more.begin(), more.end());
          } else {
            items.push_back(std::move(item));
          }
        }
        value = heap_.List(std::move(items));
        break;
      }
      case PyExprKind::kUnary:
      case PyExprKind::kBinary:
        value = EvalOperator(expr, scope);
        break;
      case PyExprKind::kConditional: {
        const std::optional<bool> condition = Truth(Eval(expr.children[1], scope));
        if (condition) value = Eval(expr.children[*condition ? 0 : 2], scope);
        break;
      }
      case PyExprKind::kComprehension:
        value = EvalComprehension(expr, scope);
        break;
      case PyExprKind::kStarred:
      case PyExprKind::kOpaque:
        break;
    }
  }
  --depth_;
  return value;
}

ScriptValue ScriptReader::EvalName(const PyExpr& expr, int scope) const {
  if (const ScriptValue* found = Lookup(expr.text, scope)) return *found;
  if (expr.text == "None") return ScriptValue::None();
  if (expr.text == "True" || expr.text == "False") return ScriptValue::Bool(expr.text == "True");
  return ScriptValue::Path(std::string(expr.text));
}

ScriptValue ScriptReader::EvalAttribute(const PyExpr& expr, int scope) {
  const PyExpr& child = module_.expr(expr.children[0]);
  if (child.kind == PyExprKind::kName) {  // self.t0
    if (const ScriptValue* found = Lookup(fmt::format("{}.{}", child.text, expr.text), scope))
      return *found;
  }
  const ScriptValue object = Eval(expr.children[0], scope);
  switch (object.kind) {
    case ScriptKind::kPath:
      if (expr.text == "inf") return ScriptValue::Float(std::numeric_limits<double>::infinity());
      if (expr.text == "nan") return ScriptValue::Float(std::numeric_limits<double>::quiet_NaN());
      return ScriptValue::Path(fmt::format("{}.{}", object.text, expr.text));
    case ScriptKind::kDefinition:
      if (expr.text == "ops" || expr.text == "Ops")
        return {.kind = ScriptKind::kFusionOp, .text = "ops", .id = object.id};
      return {};
    case ScriptKind::kFusionOp:
      return {.kind = ScriptKind::kFusionOp,
              .text = fmt::format("{}.{}", object.text, expr.text),
              .id = object.id};
    case ScriptKind::kTensor:
      return TensorAttribute(heap_.tensors[object.id], expr.text, heap_);
    case ScriptKind::kValue:
      if (object.operand.is_literal() || !Building()) return {};
      if (expr.text == "ndim")
        return ScriptValue::Integer(builder_->type(object.operand).shape.size());
      if (expr.text == "dtype")
        return ScriptValue::Path(fmt::format(
            "DataType.{}", LastPart(Row(builder_->type(object.operand).dtype).nvfuser)));
      return {};
    default:
      return {};
  }
}

ScriptValue ScriptReader::EvalSubscript(const PyExpr& expr, int scope) {
  const ScriptValue object = Eval(expr.children[0], scope);
  const PyExpr& index = module_.expr(expr.children[1]);
  if (object.is(ScriptKind::kTensor)) {
    std::vector<ScriptValue> items;
    if (index.kind == PyExprKind::kTuple) {
      for (PyExprId child : index.children) items.push_back(Eval(child, scope));
    } else {
      items.push_back(Eval(expr.children[1], scope));
    }
    return TensorSubscript(heap_.tensors[object.id], items, heap_);
  }
  const ScriptValue at = Eval(expr.children[1], scope);
  if (object.is(ScriptKind::kValue)) {
    Stop("unsupported_op", "a subscript of a fusion's value has no equivalent", expr.line,
         expr.column);
    return {};
  }
  if (!object.is(ScriptKind::kList)) return {};
  const std::vector<ScriptValue> items = heap_.lists[object.id];
  const int64_t size = static_cast<int64_t>(items.size());
  if (const std::optional<int64_t> i = AsInteger(at)) {
    if (*i < -size || *i >= size) return {};
    return items[static_cast<size_t>(*i < 0 ? *i + size : *i)];
  }
  if (index.kind != PyExprKind::kSlice) return {};
  const std::vector<ScriptValue> bounds = heap_.lists[at.id];
  const auto bound = [&](size_t k, int64_t otherwise) -> std::optional<int64_t> {
    if (k >= bounds.size() || bounds[k].is(ScriptKind::kNone)) return otherwise;
    const std::optional<int64_t> given = AsInteger(bounds[k]);
    if (!given) return std::nullopt;
    return std::clamp<int64_t>(*given < 0 ? *given + size : *given, 0, size);
  };
  const std::optional<int64_t> from = bound(0, 0);
  const std::optional<int64_t> to = bound(1, size);
  if (!from || !to || (bounds.size() > 2 && !bounds[2].is(ScriptKind::kNone))) return {};
  return heap_.List({items.begin() + *from, items.begin() + std::max(*from, *to)});
}

ScriptValue ScriptReader::EvalOperator(const PyExpr& expr, int scope) {
  ScriptArguments operands{{}, {}, expr.line, expr.column};
  for (PyExprId child : expr.children) operands.positional.push_back(Eval(child, scope));
  const ScriptValue& a = operands.positional[0];
  const ScriptValue& b = operands.positional.back();
  if (a.is(ScriptKind::kValue) || b.is(ScriptKind::kValue)) {
    return Building() ? ImportOperator(*builder_, expr.text, operands) : ScriptValue();
  }
  if (expr.kind == PyExprKind::kUnary) {
    if (expr.text == "not") {
      const std::optional<bool> truth = Truth(a);
      return truth ? ScriptValue::Bool(!*truth) : ScriptValue();
    }
    if (!IsNumber(a)) return {};
    if (expr.text == "+") return a;
    if (expr.text == "-" && a.is(ScriptKind::kFloat)) return ScriptValue::Float(-a.real);
    if (expr.text == "-") return OnIntegers("-", 0, a.integer);
    return a.is(ScriptKind::kFloat) ? ScriptValue() : ScriptValue::Integer(~a.integer);
  }
  if (expr.text == "and" || expr.text == "or") {
    const std::optional<bool> truth = Truth(a);
    if (!truth) return {};
    return *truth == (expr.text == "or") ? a : b;
  }
  if (IsNumber(a) && IsNumber(b)) return OnNumbers(expr.text, a, b);
  if (expr.text == "is") {
    const bool known = !a.is(ScriptKind::kUnknown) && !a.is(ScriptKind::kPath);
    return known && b.is(ScriptKind::kNone) ? ScriptValue::Bool(a.is(ScriptKind::kNone))
                                            : ScriptValue();
  }
  if (a.is(ScriptKind::kString) && b.is(ScriptKind::kString)) {
    if (expr.text == "==") return ScriptValue::Bool(a.text == b.text);
    return {};
  }
  if (a.is(ScriptKind::kList)) {
    std::vector<ScriptValue> items = heap_.lists[a.id];
    if (expr.text == "+" && b.is(ScriptKind::kList)) {
      const std::vector<ScriptValue>& more = heap_.lists[b.id];
      if (items.size() + more.size() > kMaxItems) return {};
      items.insert(items.end(), more.begin(), more.end());
      steps_ += static_cast<int64_t>(items.size());
      return heap_.List(std::move(items));
    }
    const std::optional<int64_t> times = AsInteger(b);
    if (expr.text == "*" && times && *times >= 0 && *times <= static_cast<int64_t>(kMaxItems) &&
        items.size() * static_cast<size_t>(*times) <= kMaxItems) {
      std::vector<ScriptValue> repeated;
      for (int64_t i = 0; i < *times; ++i)
        repeated.insert(repeated.end(), items.begin(), items.end());
      steps_ += static_cast<int64_t>(repeated.size());
      return heap_.List(std::move(repeated));
    }
  }
  return {};
}

ScriptValue ScriptReader::EvalComprehension(const PyExpr& expr, int scope) {
  const ScriptValue over = Eval(expr.children[2], scope);
  if (!over.is(ScriptKind::kList)) return {};
  const std::vector<ScriptValue> items = heap_.lists[over.id];
  const int inner = heap_.Scope(scope);
  std::vector<ScriptValue> results;
  for (const ScriptValue& item : items) {
    Assign(expr.children[1], item, inner);
    if (expr.children.size() > 3) {
      const std::optional<bool> condition = Truth(Eval(expr.children[3], inner));
      if (!condition) return {};
      if (!*condition) continue;
    }
    results.push_back(Eval(expr.children[0], inner));
  }
  return heap_.List(std::move(results));
}

// ---- Calls
// ----------------------------------------------------------------------------------------------------------

ScriptArguments ScriptReader::Arguments(const PyExpr& call, int scope) {
  ScriptArguments arguments{{}, {}, call.line, call.column};
  for (size_t i = 1; i < call.children.size(); ++i) {
    const PyExpr& child = module_.expr(call.children[i]);
    if (child.kind != PyExprKind::kStarred) {
      arguments.positional.push_back(Eval(call.children[i], scope));
      continue;
    }
    const ScriptValue spread = Eval(child.children[0], scope);
    if (!spread.is(ScriptKind::kList)) continue;
    const std::vector<ScriptValue> items = heap_.lists[spread.id];
    arguments.positional.insert(arguments.positional.end(), items.begin(), items.end());
  }
  for (const PyKeyword& keyword : call.keywords) {
    ScriptValue value = Eval(keyword.value, scope);
    if (!keyword.name.empty()) arguments.keywords.emplace_back(keyword.name, std::move(value));
  }
  return arguments;
}

ScriptValue ScriptReader::EvalCall(const PyExpr& expr, int scope) {
  const PyExpr& callee = module_.expr(expr.children[0]);
  const bool method = callee.kind == PyExprKind::kAttribute;
  const ScriptValue object = Eval(method ? callee.children[0] : expr.children[0], scope);
  const ScriptArguments arguments = Arguments(expr, scope);
  if (method) {
    if (object.is(ScriptKind::kPath))
      return CallPath(fmt::format("{}.{}", object.text, callee.text), arguments);
    return CallMethod(object, callee.text, arguments);
  }
  if (object.is(ScriptKind::kFunction)) return CallFunction(object, arguments);
  if (object.is(ScriptKind::kFusionOp))
    return CallMethod(object, "", arguments);  // add = fd.ops.add; add(a, b)
  return CallPath(object.is(ScriptKind::kPath) ? object.text : "", arguments);
}

ScriptValue ScriptReader::CallMethod(const ScriptValue& object, std::string_view name,
                                     const ScriptArguments& arguments) {
  const bool built = Building() && object.id == kBeingBuilt;
  switch (object.kind) {
    case ScriptKind::kDefinition:
      if (built) return builder_->Call(name, arguments);
      [[fallthrough]];
    case ScriptKind::kFusion: {
      const bool runs = name.find("execute") != std::string_view::npos || name == "validate";
      const ScriptValue* inputs = arguments.positional.empty() ? nullptr : &arguments.positional[0];
      for (const auto& [key, value] : arguments.keywords) {
        if (key == "inputs") inputs = &value;
      }
      if (Building() || !runs || inputs == nullptr || !inputs->is(ScriptKind::kList)) return {};
      for (size_t i = 0; i < fusions_.size(); ++i) {
        const bool meant = object.is(ScriptKind::kFusion) ? fusions_[i].group == object.id
                                                          : static_cast<int>(i) == object.id;
        if (meant && fusions_[i].inputs.empty()) fusions_[i].inputs = heap_.lists[inputs->id];
      }
      return {};
    }
    case ScriptKind::kFusionOp: {
      if (!built) return {};
      std::string op = object.text + (name.empty() ? "" : fmt::format(".{}", name));
      return builder_->CallOp(op.starts_with("ops.") ? op.substr(4) : op, arguments);
    }
    case ScriptKind::kTensor:
      return TensorMethod(heap_.tensors[object.id], name, arguments, heap_);
    case ScriptKind::kList:
      if (name == "append" && arguments.positional.size() == 1 &&
          heap_.lists[object.id].size() < kMaxItems) {
        heap_.lists[object.id].push_back(arguments.positional[0]);
        return ScriptValue::None();
      }
      return {};
    case ScriptKind::kValue:
      if (Building() && (name == "shape" || name == "size" || name == "at")) {
        ScriptArguments all = arguments;
        all.positional.insert(all.positional.begin(), object);
        return builder_->CallOp(name, all);
      }
      Stop("unsupported_op", fmt::format("method {} of a fusion's value has no equivalent", name),
           arguments.line, arguments.column);
      return {};
    case ScriptKind::kUnknown:
      return CallPath("", arguments);  // self.exec_nvfuser(function, inputs)
    default:
      return {};
  }
}

ScriptValue ScriptReader::CallPath(const std::string& path, const ScriptArguments& arguments) {
  const std::string_view name = LastPart(path);
  const std::vector<ScriptValue>& given = arguments.positional;
  for (const ScriptValue& value : given) {
    if (!value.is(ScriptKind::kDefinition) || value.id != kBeingBuilt) continue;
    Stop("unknown_function",
         fmt::format("{} takes the definition but is not in the script",
                     name.empty() ? "this function" : name),
         arguments.line, arguments.column);
    return {};
  }
  if (Building() && !given.empty() && given[0].is(ScriptKind::kValue)) {
    if (name == "abs" || name == "round") return builder_->CallOp(name, arguments);
    return {};
  }
  if (name == "FusionDefinition") {
    if (Building()) return {};
    if (fusions_.size() == kMaxFusions) {
      if (!error_)
        error_ = Error{"script_size", fmt::format("more than {} fusions", kMaxFusions),
                       arguments.line, arguments.column};
      return {};
    }
    fusions_.emplace_back();
    if (!given.empty() && given[0].is(ScriptKind::kFusion)) fusions_.back().group = given[0].id;
    return {.kind = ScriptKind::kDefinition, .id = static_cast<int>(fusions_.size()) - 1};
  }
  if (name == "Fusion") return {.kind = ScriptKind::kFusion, .id = groups_++};
  if (!Building()) {
    const auto function = std::find_if(given.begin(), given.end(), [](const ScriptValue& v) {
      return v.is(ScriptKind::kFunction);
    });
    const auto list = std::find_if(given.begin(), given.end(),
                                   [](const ScriptValue& v) { return v.is(ScriptKind::kList); });
    if (function != given.end() && list != given.end())
      function_inputs_.try_emplace(function->id, heap_.lists[list->id]);
  }
  if (const ScriptValue iterated = Iterated(arguments, path); !iterated.is(ScriptKind::kUnknown))
    return iterated;
  if (given.size() == 1) {
    if (path == "float" && given[0].is(ScriptKind::kString)) return FloatOf(given[0].text);
    if (path == "float" && IsNumber(given[0])) return ScriptValue::Float(*AsNumber(given[0]));
    if (path == "bool" && Truth(given[0])) return ScriptValue::Bool(*Truth(given[0]));
    if (path == "int" && AsInteger(given[0])) return ScriptValue::Integer(*AsInteger(given[0]));
    if (AsDType(given[0])) return given[0];  // torch_dtype_to_nvfuser_dtype(torch.float32)
    if (name == "sqrt" && IsNumber(given[0]))
      return ScriptValue::Float(std::sqrt(*AsNumber(given[0])));
  }
  return TorchCall(path, arguments, heap_);
}

// len, range, list, tuple, enumerate, zip.
ScriptValue ScriptReader::Iterated(const ScriptArguments& arguments, std::string_view function) {
  const std::vector<ScriptValue>& given = arguments.positional;
  if (given.empty()) return {};
  if (function == "range") {
    std::vector<int64_t> bounds;
    for (const ScriptValue& value : given) {
      const std::optional<int64_t> bound = AsInteger(value);
      if (!bound || *bound < -kMaxElements || *bound > kMaxElements) return {};
      bounds.push_back(*bound);
    }
    if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
    const int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    if (step == 0) return {};
    std::vector<ScriptValue> items;
    for (int64_t i = bounds[0]; step > 0 ? i < bounds[1] : i > bounds[1]; i += step) {
      if (items.size() == kMaxItems) return {};
      items.push_back(ScriptValue::Integer(i));
    }
    steps_ += static_cast<int64_t>(items.size());
    return heap_.List(std::move(items));
  }
  for (const ScriptValue& value : given) {
    if (!value.is(ScriptKind::kList)) return {};
  }
  const std::vector<ScriptValue> first = heap_.lists[given[0].id];
  if (function == "len") return ScriptValue::Integer(static_cast<int64_t>(first.size()));
  if (function == "list" || function == "tuple") return heap_.List(first);
  if (function != "enumerate" && function != "zip") return {};
  std::vector<ScriptValue> rows;
  for (size_t i = 0; i < first.size(); ++i) {
    std::vector<ScriptValue> row;
    if (function == "enumerate") row.push_back(ScriptValue::Integer(static_cast<int64_t>(i)));
    for (const ScriptValue& list : given) {
      const std::vector<ScriptValue>& items = heap_.lists[list.id];
      if (i >= items.size()) return heap_.List(std::move(rows));
      row.push_back(items[i]);
    }
    rows.push_back(heap_.List(std::move(row)));
  }
  return heap_.List(std::move(rows));
}

}  // namespace seamfuzz
