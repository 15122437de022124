// Precedence climbing; depth is bounded everywhere.
#include "fuzz/python_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fuzz/python_parser.h"

namespace seamfuzz {
namespace {

struct BinaryOp {
  std::string_view text;
  int precedence;  // higher binds tighter
};
// Source: https://docs.python.org/3/reference/expressions.html#operator-precedence
constexpr int kComparison = 4;
constexpr int kPower = 12;
constexpr int kUnaryOperand = 11;
constexpr std::array<BinaryOp, 23> kBinaryOps = {{
    {"or", 1}, {"and", 2}, {"in", 4}, {"is", 4},  {"<", 4},  {">", 4},  {"<=", 4},      {">=", 4},
    {"==", 4}, {"!=", 4},  {"|", 5},  {"^", 6},   {"&", 7},  {"<<", 8}, {">>", 8},      {"+", 9},
    {"-", 9},  {"*", 10},  {"/", 10}, {"//", 10}, {"%", 10}, {"@", 10}, {"**", kPower},
}};

constexpr std::array<std::string_view, 22> kKeywords = {
    "and",  "as", "assert", "class", "def", "del", "elif", "else",   "except", "finally", "for",
    "from", "if", "import", "in",    "is",  "not", "or",   "return", "while",  "with",    "raise"};

bool IsKeyword(std::string_view name) {
  return std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
}

}  // namespace

PyExprId PyExpressions::Make(PyExprKind kind, const PyToken& at, std::string_view text,
                             std::vector<PyExprId> children, std::vector<PyKeyword> keywords) {
  int depth = 1;
  for (PyExprId child : children)
    depth = std::max(depth, child < 0 ? 1 : module_.exprs[child].depth + 1);
  for (const PyKeyword& k : keywords)
    depth = std::max(depth, k.value < 0 ? 1 : module_.exprs[k.value].depth + 1);
  if (depth > kMaxPyDepth) TooDeep();
  module_.exprs.push_back(
      {kind, text, std::move(children), std::move(keywords), at.line, at.column, depth});
  return static_cast<PyExprId>(module_.exprs.size()) - 1;
}

// `a, b` without brackets is a tuple here.
PyExprId PyExpressions::ExpressionList(int depth) {
  const PyToken at = peek();
  const PyExprId first = Expression(depth);
  if (!Is(",")) return first;
  std::vector<PyExprId> items = {first};
  while (!failed_ && Accept(",")) {
    if (EndsExpression()) break;
    items.push_back(Expression(depth));
  }
  return Make(PyExprKind::kTuple, at, "", std::move(items));
}
bool PyExpressions::EndsExpression() const {
  return Is(PyTokenKind::kNewline) || Is(PyTokenKind::kEnd) || Is("=") || Is(")") || Is("]") ||
         Is("}") || Is(":") || Is(";") || Is("in");
}

PyExprId PyExpressions::Expression(int depth) {
  if (depth > kMaxPyDepth) TooDeep();
  const PyToken at = peek();
  if (failed_) return Make(PyExprKind::kOpaque, at, "");
  if (Accept("*")) return Make(PyExprKind::kStarred, at, "", {Binary(5, depth + 1)});
  if (Is("lambda")) return Lambda(depth);
  const PyExprId value = Binary(1, depth + 1);
  if (Accept(":=")) return Expression(depth + 1);
  if (!Accept("if")) return value;
  const PyExprId condition = Binary(1, depth + 1);
  if (!Accept("else")) {
    Fail("expected 'else'");
    return value;
  }
  return Make(PyExprKind::kConditional, at, "", {value, condition, Expression(depth + 1)});
}

PyExprId PyExpressions::Lambda(int depth) {
  const PyToken at = Take();
  while (!failed_ && !Is(":")) {
    if (Is(PyTokenKind::kNewline) || Is(PyTokenKind::kEnd)) Fail("expected ':'");
    Take();
  }
  Expect(":");
  Expression(depth + 1);
  return Make(PyExprKind::kOpaque, at, "");
}

PyExprId PyExpressions::Binary(int lowest, int depth) {
  if (depth > kMaxPyDepth) TooDeep();
  const PyToken at = peek();
  PyExprId left = Unary(depth);
  bool compared = false;
  while (!failed_) {
    std::string_view text = peek().text;
    if (Is("not") && ahead().text == "in") text = "in";
    const auto* op = std::find_if(kBinaryOps.begin(), kBinaryOps.end(),
                                  [&](const BinaryOp& row) { return row.text == text; });
    if (op == kBinaryOps.end() || op->precedence < lowest || Is(PyTokenKind::kString)) return left;
    const bool negated = Accept("not");
    Take();
    const bool is_not = text == "is" && Accept("not");
    const int precedence = op->precedence;
    const PyExprId right = Binary(precedence == kPower ? kPower : precedence + 1, depth + 1);
    const bool plain = !negated && !is_not && !(precedence == kComparison && compared);
    compared = compared || precedence == kComparison;
    left = Make(plain ? PyExprKind::kBinary : PyExprKind::kOpaque, at, text, {left, right});
  }
  return left;
}

PyExprId PyExpressions::Unary(int depth) {
  const PyToken at = peek();
  if (depth > kMaxPyDepth) TooDeep();
  if (failed_) return Make(PyExprKind::kOpaque, at, "");
  if (Is("-") || Is("+") || Is("~")) {
    Take();
    return Make(PyExprKind::kUnary, at, at.text, {Binary(kUnaryOperand, depth + 1)});
  }
  if (Accept("not")) return Make(PyExprKind::kUnary, at, at.text, {Binary(kComparison, depth + 1)});
  if (Accept("await")) return Unary(depth + 1);
  return Postfix(depth);
}

PyExprId PyExpressions::Postfix(int depth) {
  PyExprId value = Atom(depth);
  while (!failed_) {
    const PyToken at = peek();
    if (Accept(".")) {
      if (!Is(PyTokenKind::kName)) {
        Fail("expected an attribute name");
        break;
      }
      const PyToken name = Take();
      value = Make(PyExprKind::kAttribute, name, name.text, {value});
    } else if (Accept("(")) {
      value = Call(value, depth);
    } else if (Accept("[")) {
      const PyExprId index = Index(depth);
      Expect("]");
      value = Make(PyExprKind::kSubscript, at, "", {value, index});
    } else {
      break;
    }
  }
  return value;
}

PyExprId PyExpressions::Call(PyExprId callee, int depth) {
  PyToken at = peek();
  // A call stands where its callee does, so that messages point at the start of
  // `fd.ops.add(...)`.
  for (PyExprId e = callee; e >= 0;
       e = module_.exprs[e].children.empty() ? kNoPy : module_.exprs[e].children[0]) {
    at.line = module_.exprs[e].line;
    at.column = module_.exprs[e].column;
  }
  std::vector<PyExprId> children = {callee};
  std::vector<PyKeyword> keywords;
  while (!failed_ && !Accept(")")) {
    if (Accept("**")) {
      keywords.push_back({"", Expression(depth + 1)});
    } else if (Is(PyTokenKind::kName) && ahead().text == "=" &&
               ahead().kind == PyTokenKind::kOperator) {
      const std::string_view name = Take().text;
      Take();
      keywords.push_back({name, Expression(depth + 1)});
    } else {
      const PyToken start = peek();
      const PyExprId value = Expression(depth + 1);
      children.push_back(Is("for") || Is("async") ? Comprehension(value, start, depth) : value);
    }
    if (!Is(")")) Expect(",");
  }
  return Make(PyExprKind::kCall, at, "", std::move(children), std::move(keywords));
}

PyExprId PyExpressions::Index(int depth) {
  const PyToken at = peek();
  std::vector<PyExprId> items = {IndexItem(depth)};
  bool tuple = false;
  while (!failed_ && Accept(",")) {
    tuple = true;
    if (Is("]")) break;
    items.push_back(IndexItem(depth));
  }
  return tuple ? Make(PyExprKind::kTuple, at, "", std::move(items)) : items[0];
}
PyExprId PyExpressions::IndexItem(int depth) {
  const PyToken at = peek();
  std::vector<PyExprId> parts;
  bool slice = false;
  PyExprId part = kNoPy;
  while (!failed_ && !Is("]") && !Is(",")) {
    if (Accept(":")) {
      slice = true;
      parts.push_back(std::exchange(part, kNoPy));
    } else if (part == kNoPy) {
      part = Expression(depth + 1);
    } else {
      Fail("expected ']'");
    }
  }
  if (!slice) return part == kNoPy ? Make(PyExprKind::kOpaque, at, "") : part;
  parts.push_back(part);
  parts.resize(3, kNoPy);
  return Make(PyExprKind::kSlice, at, "", std::move(parts));
}

PyExprId PyExpressions::Comprehension(PyExprId element, const PyToken& at, int depth) {
  Accept("async");
  Expect("for");
  std::vector<PyExprId> children = {element, TargetList(depth)};
  Expect("in");
  children.push_back(Binary(1, depth + 1));
  if (!failed_ && Accept("if")) children.push_back(Binary(1, depth + 1));
  const bool simple = !Is("for") && !Is("if");
  while (!failed_ && (Is("for") || Is("if"))) {
    if (Accept("for")) {
      TargetList(depth);
      Expect("in");
    } else {
      Take();
    }
    Binary(1, depth + 1);
  }
  return Make(simple ? PyExprKind::kComprehension : PyExprKind::kOpaque, at, "",
              std::move(children));
}

// Names and tuples of them before `in`, which must not be read as an operator.
PyExprId PyExpressions::TargetList(int depth) {
  const PyToken at = peek();
  std::vector<PyExprId> items;
  bool tuple = false;
  do {
    if (EndsExpression()) break;
    items.push_back(Binary(5, depth + 1));
    tuple = tuple || Is(",");
  } while (!failed_ && Accept(","));
  if (items.empty()) Fail("expected a name");
  return tuple || items.empty() ? Make(PyExprKind::kTuple, at, "", std::move(items)) : items[0];
}

PyExprId PyExpressions::Atom(int depth) {
  if (depth > kMaxPyDepth) TooDeep();
  const PyToken at = peek();
  if (failed_) return Make(PyExprKind::kOpaque, at, "");
  switch (at.kind) {
    case PyTokenKind::kName:
      if (IsKeyword(at.text)) break;
      Take();
      return Make(PyExprKind::kName, at, at.text);
    case PyTokenKind::kInteger:
      Take();
      return Make(PyExprKind::kInteger, at, at.text);
    case PyTokenKind::kFloat:
      Take();
      return Make(PyExprKind::kFloat, at, at.text);
    case PyTokenKind::kString:
      Take();
      while (Is(PyTokenKind::kString)) Take();
      return Make(PyExprKind::kString, at, at.text);
    default:
      break;
  }
  if (Accept("(")) return Bracketed(")", PyExprKind::kTuple, at, depth);
  if (Accept("[")) return Bracketed("]", PyExprKind::kList, at, depth);
  if (Accept("{")) return Braces(at, depth);
  if (Accept("...")) return Make(PyExprKind::kOpaque, at, "");
  Fail(at.kind == PyTokenKind::kInvalid ? "unreadable text" : "expected an expression");
  return Make(PyExprKind::kOpaque, at, "");
}

PyExprId PyExpressions::Bracketed(std::string_view close, PyExprKind kind, const PyToken& at,
                                  int depth) {
  std::vector<PyExprId> items;
  bool comma = false;
  while (!failed_ && !Is(close)) {
    items.push_back(Expression(depth + 1));
    if (Is("for") || Is("async")) {
      const PyExprId made = Comprehension(items.back(), at, depth);
      Expect(close);
      return made;
    }
    if (!Is(close)) {
      Expect(",");
      comma = true;
    }
  }
  Expect(close);
  if (kind == PyExprKind::kTuple && items.size() == 1 && !comma) return items[0];
  return Make(kind, at, "", std::move(items));
}

PyExprId PyExpressions::Braces(const PyToken& at, int depth) {
  while (!failed_ && !Is("}")) {
    Accept("**");
    Expression(depth + 1);
    if (Accept(":")) Expression(depth + 1);
    if (Is("for") || Is("async")) Comprehension(kNoPy, at, depth);
    if (!Is("}")) Expect(",");
  }
  Expect("}");
  return Make(PyExprKind::kOpaque, at, "");
}

}  // namespace seamfuzz
