// Statements by recursive descent, with recovery at line ends.
#include "fuzz/python_parser.h"

#include <fmt/format.h>

#include "fuzz/python_expressions.h"

namespace seamfuzz {
namespace {

class Parser : public PyExpressions {
 public:
  using PyExpressions::PyExpressions;

  Result<PyModule> Run() {
    while (peek().kind != PyTokenKind::kEnd && !too_deep_) Statement(module_.body, 0);
    if (too_deep_) {
      return Error{"nesting", fmt::format("nested deeper than {}", kMaxPyDepth), deep_line_,
                   deep_column_};
    }
    return std::move(module_);
  }

 private:
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
};

}  // namespace

Result<PyModule> ParsePython(std::string_view source) { return Parser(source).Run(); }

}  // namespace seamfuzz
