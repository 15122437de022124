// Recursive descent for statements, precedence climbing for expressions; depth is bounded
// everywhere.
#include "fuzz/python_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fuzz/python_lexer.h"

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

class Parser {
 public:
  explicit Parser(std::string_view source) : tokens_(TokenizePython(source)) {}

  Result<PyModule> Run() {
    while (peek().kind != PyTokenKind::kEnd && !too_deep_) Statement(module_.body, 0);
    if (too_deep_) {
      return Error{"nesting", fmt::format("nested deeper than {}", kMaxPyDepth), deep_line_,
                   deep_column_};
    }
    return std::move(module_);
  }

 private:
  // ---- Tokens ----
  const PyToken& peek() const { return tokens_[next_]; }
  const PyToken& ahead() const { return tokens_[std::min(next_ + 1, tokens_.size() - 1)]; }
  PyToken Take() {
    PyToken token = tokens_[next_];
    if (token.kind != PyTokenKind::kEnd) ++next_;
    return token;
  }
  bool Is(std::string_view text) const {
    return peek().text == text &&
           (peek().kind == PyTokenKind::kOperator || peek().kind == PyTokenKind::kName);
  }
  bool Is(PyTokenKind kind) const { return peek().kind == kind; }
  bool Accept(std::string_view text) {
    if (!Is(text)) return false;
    Take();
    return true;
  }
  void Expect(std::string_view text) {
    if (!Accept(text)) Fail(fmt::format("expected '{}'", text));
  }
  // The first message of a statement is kept; parsing then unwinds because failed_ stops every
  // loop.
  void Fail(std::string message) {
    if (failed_) return;
    failed_ = true;
    message_ = std::move(message);
    failed_at_ = peek();
  }
  void TooDeep() {
    Fail("nested too deep");
    if (too_deep_) return;
    too_deep_ = true;
    deep_line_ = peek().line;
    deep_column_ = peek().column;
  }

  // ---- Expressions ----
  PyExprId Make(PyExprKind kind, const PyToken& at, std::string_view text,
                std::vector<PyExprId> children = {}, std::vector<PyKeyword> keywords = {}) {
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
  PyExprId ExpressionList(int depth) {
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
  bool EndsExpression() const {
    return Is(PyTokenKind::kNewline) || Is(PyTokenKind::kEnd) || Is("=") || Is(")") || Is("]") ||
           Is("}") || Is(":") || Is(";") || Is("in");
  }

  PyExprId Expression(int depth) {
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

  PyExprId Lambda(int depth) {
    const PyToken at = Take();
    while (!failed_ && !Is(":")) {
      if (Is(PyTokenKind::kNewline) || Is(PyTokenKind::kEnd)) Fail("expected ':'");
      Take();
    }
    Expect(":");
    Expression(depth + 1);
    return Make(PyExprKind::kOpaque, at, "");
  }

  PyExprId Binary(int lowest, int depth) {
    if (depth > kMaxPyDepth) TooDeep();
    const PyToken at = peek();
    PyExprId left = Unary(depth);
    bool compared = false;
    while (!failed_) {
      std::string_view text = peek().text;
      if (Is("not") && ahead().text == "in") text = "in";
      const auto* op = std::find_if(kBinaryOps.begin(), kBinaryOps.end(),
                                    [&](const BinaryOp& row) { return row.text == text; });
      if (op == kBinaryOps.end() || op->precedence < lowest || Is(PyTokenKind::kString))
        return left;
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

  PyExprId Unary(int depth) {
    const PyToken at = peek();
    if (depth > kMaxPyDepth) TooDeep();
    if (failed_) return Make(PyExprKind::kOpaque, at, "");
    if (Is("-") || Is("+") || Is("~")) {
      Take();
      return Make(PyExprKind::kUnary, at, at.text, {Binary(kUnaryOperand, depth + 1)});
    }
    if (Accept("not"))
      return Make(PyExprKind::kUnary, at, at.text, {Binary(kComparison, depth + 1)});
    if (Accept("await")) return Unary(depth + 1);
    return Postfix(depth);
  }

  PyExprId Postfix(int depth) {
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

  PyExprId Call(PyExprId callee, int depth) {
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

  PyExprId Index(int depth) {
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
  PyExprId IndexItem(int depth) {
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

  PyExprId Comprehension(PyExprId element, const PyToken& at, int depth) {
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
  PyExprId TargetList(int depth) {
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

  PyExprId Atom(int depth) {
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

  PyExprId Bracketed(std::string_view close, PyExprKind kind, const PyToken& at, int depth) {
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

  PyExprId Braces(const PyToken& at, int depth) {
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

  // ---- Statements ----
  void Statement(std::vector<PyStatementId>& into, int depth) {
    if (depth > kMaxPyDepth) {
      TooDeep();
      return;
    }
    if (Is(PyTokenKind::kNewline) || Is(PyTokenKind::kDedent)) {
      Take();
      return;
    }
    if (Is(PyTokenKind::kIndent)) {  // a snippet that starts indented
      Block(into, depth);
      return;
    }
    failed_ = false;
    PyStatement made;
    made.line = peek().line;
    made.column = peek().column;
    One(made, depth);
    if (!failed_ && !made.body.empty()) {
      Add(into, std::move(made));
      return;
    }
    if (!failed_ && !Is(";") && !Is(PyTokenKind::kNewline) && !Is(PyTokenKind::kEnd))
      Fail("expected the end of the line");
    if (failed_) Recover(made, depth);
    Accept(";");
    Add(into, std::move(made));
  }

  void Add(std::vector<PyStatementId>& into, PyStatement made) {
    into.push_back(static_cast<PyStatementId>(module_.statements.size()));
    module_.statements.push_back(std::move(made));
  }

  // Skips the rest of the line and keeps its block, where fusions may stand.
  void Recover(PyStatement& made, int depth) {
    made.kind = PyStatementKind::kOpaque;
    made.message = std::move(message_);
    made.line = failed_at_.line;
    made.column = failed_at_.column;
    while (!Is(PyTokenKind::kNewline) && !Is(PyTokenKind::kEnd)) Take();
    Take();
    failed_ = too_deep_;
    if (Is(PyTokenKind::kIndent) && !too_deep_) Block(made.body, depth + 1);
    failed_ = false;
  }

  void Block(std::vector<PyStatementId>& into, int depth) {
    Take();  // the indent
    while (!Is(PyTokenKind::kDedent) && !Is(PyTokenKind::kEnd) && !too_deep_)
      Statement(into, depth + 1);
    if (Is(PyTokenKind::kDedent)) Take();
    failed_ = too_deep_;
  }

  // `: NEWLINE INDENT ... DEDENT`, or statements on the same line.
  void Suite(std::vector<PyStatementId>& into, int depth) {
    Expect(":");
    if (failed_) return;
    if (!Is(PyTokenKind::kNewline)) {
      while (!Is(PyTokenKind::kNewline) && !Is(PyTokenKind::kEnd) && !too_deep_)
        Statement(into, depth + 1);
      failed_ = too_deep_;
      return;
    }
    Take();
    if (Is(PyTokenKind::kIndent)) {
      Block(into, depth);
    } else {
      Fail("expected an indented block");
    }
  }

  void One(PyStatement& made, int depth) {
    Accept("async");
    if (Is("def")) return Function(made, depth);
    if (Is("class")) return Class(made, depth);
    if (Is("with")) {
      Take();
      return With(made, depth);
    }
    if (Is("for")) return For(made, depth);
    if (Is("if") || Is("elif")) return If(made, depth);
    if (Is("while") || Is("try") || Is("except") || Is("finally") || Is("else"))
      return OtherBlock(made, depth);
    if (Is("import") || Is("from")) return Import(made);
    if (Is("pass") || Is("del") || Is("global") || Is("nonlocal") || Is("assert") || Is("raise") ||
        Is("break") || Is("continue") || Is("@")) {
      made.kind = PyStatementKind::kPass;
      while (!Is(PyTokenKind::kNewline) && !Is(PyTokenKind::kEnd) && !Is(";")) Take();
      return;
    }
    if (Accept("return")) {
      made.kind = PyStatementKind::kReturn;
      if (!EndsExpression()) made.value = ExpressionList(0);
      return;
    }
    Simple(made);
  }

  void Simple(PyStatement& made) {
    made.kind = PyStatementKind::kExpression;
    made.value = ExpressionList(0);
    if (Accept(":")) {  // annotation
      Expression(0);
      if (!Is("=")) {
        made.kind = PyStatementKind::kPass;
        return;
      }
    }
    while (!failed_ && Accept("=")) {
      made.kind = PyStatementKind::kAssign;
      made.targets.push_back(made.value);
      made.value = ExpressionList(0);
    }
    const std::string_view op = peek().text;
    if (Is(PyTokenKind::kOperator) && op.size() >= 2 && op.back() == '=' && op != "==" &&
        op != "!=" && op != "<=" && op != ">=" && op != ":=") {
      Take();
      made.kind = PyStatementKind::kAugmented;
      made.text = op.substr(0, op.size() - 1);
      made.targets = {made.value};
      made.value = ExpressionList(0);
    }
  }

  void Function(PyStatement& made, int depth) {
    Take();
    made.kind = PyStatementKind::kFunction;
    if (!Is(PyTokenKind::kName)) return Fail("expected a function name");
    made.text = Take().text;
    Expect("(");
    while (!failed_ && !Accept(")")) {
      if (Accept("*") || Accept("**") || Accept("/")) {
        if (Is(PyTokenKind::kName)) Take();  // takes what nobody here passes
      } else if (Is(PyTokenKind::kName)) {
        PyParameter parameter{Take().text, kNoPy};
        if (Accept(":")) Expression(0);
        if (Accept("=")) parameter.default_value = Expression(0);
        made.parameters.push_back(parameter);
      } else {
        Fail("expected a parameter");
      }
      if (!Is(")")) Expect(",");
    }
    if (Accept("->")) Expression(0);
    Suite(made.body, depth);
  }

  void Class(PyStatement& made, int depth) {
    Take();
    made.kind = PyStatementKind::kClass;
    made.text = Take().text;
    if (Accept("(")) Call(Make(PyExprKind::kOpaque, peek(), ""), 0);
    Suite(made.body, depth);
  }

  // After `with` or the comma between two items: one item, the rest nested inside.
  void With(PyStatement& made, int depth) {
    made.kind = PyStatementKind::kWith;
    if (depth > kMaxPyDepth) TooDeep();
    made.value = Expression(0);
    made.targets = {Accept("as") ? TargetList(0) : kNoPy};
    if (made.targets[0] >= 0 && module_.exprs[made.targets[0]].kind == PyExprKind::kTuple) {
      return Fail("expected one name");
    }
    if (failed_ || !Accept(",")) return Suite(made.body, depth);
    PyStatement inner;
    inner.line = peek().line;
    inner.column = peek().column;
    With(inner, depth + 1);
    Add(made.body, std::move(inner));
  }

  void For(PyStatement& made, int depth) {
    Take();
    made.kind = PyStatementKind::kFor;
    made.targets = {TargetList(0)};
    Expect("in");
    made.value = ExpressionList(0);
    Suite(made.body, depth);
  }

  void If(PyStatement& made, int depth) {
    Take();
    made.kind = PyStatementKind::kIf;
    made.value = Expression(0);
    Suite(made.body, depth);
    if (failed_) return;
    if (Is("elif")) {
      if (depth > kMaxPyDepth) return TooDeep();
      PyStatement inner;
      inner.line = peek().line;
      inner.column = peek().column;
      If(inner, depth + 1);
      if (!failed_) Add(made.orelse, std::move(inner));
    } else if (Accept("else")) {
      Suite(made.orelse, depth);
    }
  }

  void OtherBlock(PyStatement& made, int depth) {
    Take();
    made.kind = PyStatementKind::kBlock;
    while (!failed_ && !Is(":")) {
      if (Is(PyTokenKind::kNewline) || Is(PyTokenKind::kEnd)) Fail("expected ':'");
      Take();
    }
    Suite(made.body, depth);
  }

  // Only `as` names matter: everything else is known by the last part of its name.
  void Import(PyStatement& made) {
    made.kind = PyStatementKind::kImport;
    while (!Is(PyTokenKind::kNewline) && !Is(PyTokenKind::kEnd) && !Is(";")) {
      const PyToken before = Take();
      if (!Is("as") || ahead().kind != PyTokenKind::kName) continue;
      Take();
      const PyToken alias = Take();
      made.targets.push_back(Make(PyExprKind::kName, alias, alias.text));
      made.targets.push_back(Make(PyExprKind::kName, before, before.text));
    }
  }

  std::vector<PyToken> tokens_;
  size_t next_ = 0;
  PyModule module_;
  bool failed_ = false;
  std::string message_;
  PyToken failed_at_;
  bool too_deep_ = false;
  int deep_line_ = 0;
  int deep_column_ = 0;
};

}  // namespace

Result<PyModule> ParsePython(std::string_view source) { return Parser(source).Run(); }

}  // namespace seamfuzz
