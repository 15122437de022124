// Expressions of the Python subset; the statement parser (python_parser.cc) is built on them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/python_ast.h"
#include "fuzz/python_lexer.h"

namespace seamfuzz {

// A cursor over the tokens that builds trees into a module. After Fail every function returns
// without reading on, until the caller clears `failed_`.
class PyExpressions {
 public:
  explicit PyExpressions(std::string_view source) : tokens_(TokenizePython(source)) {}

 protected:
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
    if (!Accept(text)) Fail("expected '" + std::string(text) + "'");
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

  PyExprId Make(PyExprKind kind, const PyToken& at, std::string_view text,
                std::vector<PyExprId> children = {}, std::vector<PyKeyword> keywords = {});
  // `depth`: how deep this expression nests in others.
  PyExprId Expression(int depth);
  // `a, b` without brackets is a tuple here.
  PyExprId ExpressionList(int depth);
  // Names and tuples of them before `in`, which must not be read as an operator.
  PyExprId TargetList(int depth);
  // After the opening bracket.
  PyExprId Call(PyExprId callee, int depth);
  bool EndsExpression() const;

  std::vector<PyToken> tokens_;
  size_t next_ = 0;
  PyModule module_;
  bool failed_ = false;
  std::string message_;
  PyToken failed_at_;
  bool too_deep_ = false;
  int deep_line_ = 0;
  int deep_column_ = 0;

 private:
  PyExprId Lambda(int depth);
  PyExprId Binary(int lowest, int depth);
  PyExprId Unary(int depth);
  PyExprId Postfix(int depth);
  PyExprId Index(int depth);
  PyExprId IndexItem(int depth);
  PyExprId Comprehension(PyExprId element, const PyToken& at, int depth);
  PyExprId Atom(int depth);
  PyExprId Bracketed(std::string_view close, PyExprKind kind, const PyToken& at, int depth);
  PyExprId Braces(const PyToken& at, int depth);
};

}  // namespace seamfuzz
