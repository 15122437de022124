// The Python subset: structure where it reads, messages where it does not.
#include "fuzz/python_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/python_lexer.h"

namespace seamfuzz {
namespace {

using testing::ElementsAre;

// The tree as text: calls f(a, k=b), operators in brackets.
std::string Shown(const PyModule& m, PyExprId id) {
  if (id == kNoPy) return "_";
  const PyExpr& e = m.expr(id);
  std::string parts;
  for (size_t i = 0; i < e.children.size(); ++i) {
    const bool callee =
        i == 0 && (e.kind == PyExprKind::kCall || e.kind == PyExprKind::kSubscript ||
                   e.kind == PyExprKind::kAttribute);
    if (callee) continue;
    parts += (parts.empty() ? "" : " ") + Shown(m, e.children[i]);
  }
  for (const PyKeyword& k : e.keywords)
    parts += " " + std::string(k.name) + "=" + Shown(m, k.value);
  switch (e.kind) {
    case PyExprKind::kAttribute:
      return Shown(m, e.children[0]) + "." + std::string(e.text);
    case PyExprKind::kCall:
      return Shown(m, e.children[0]) + "(" + parts + ")";
    case PyExprKind::kSubscript:
      return Shown(m, e.children[0]) + "[" + parts + "]";
    case PyExprKind::kSlice:
      return "slice<" + parts + ">";
    case PyExprKind::kList:
      return "[" + parts + "]";
    case PyExprKind::kOpaque:
      return "?";
    case PyExprKind::kComprehension:
      return "each<" + parts + ">";
    default:
      return e.children.empty() && e.kind != PyExprKind::kTuple
                 ? std::string(e.text)
                 : "(" + std::string(e.text) + " " + parts + ")";
  }
}

std::string First(std::string_view source) {
  const Result<PyModule> m = ParsePython(source);
  if (!m.ok()) return m.error().Text();
  const PyStatement& s = m->statement(m->body[0]);
  return s.kind == PyStatementKind::kOpaque ? s.message : Shown(*m, s.value);
}

TEST(PythonParser, BindsAsPythonDoes) {
  EXPECT_EQ(First("a + b * -c ** 2"), "(+ a (* b (- (** c 2))))");
  EXPECT_EQ(First("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(First("not a == b or c"), "(or (not (== a b)) c)");
  EXPECT_EQ(First("2 ** 3 ** 4"), "(** 2 (** 3 4))");
}

TEST(PythonParser, ReadsCallsOverSeveralLines) {
  EXPECT_EQ(First("fd.ops.sum(\n    T0,  # the sum\n    dims=[0, -1],\n)"),
            "fd.ops.sum(T0 dims=[0 (- 1)])");
}

TEST(PythonParser, ReadsTuplesSubscriptsAndComprehensions) {
  EXPECT_EQ(First("T1, T2 = f(x)"), "f(x)");
  EXPECT_EQ(First("(a,)"), "( a)");
  EXPECT_EQ(First("x[1:, ::2]"), "x[( slice<1 _ _> slice<_ _ 2>)]");
  EXPECT_EQ(First("[i.clone() for i in inputs]"), "each<i.clone() i inputs>");
}

TEST(PythonParser, ReadsOverWhatItHasNoUseFor) {
  EXPECT_EQ(First("f(lambda x: x + 1, {'a': 1, **b}, a < b < c)"), "f(? ? ?)");
  EXPECT_EQ(First("print(f\"{x!r} and 'quotes'\")"), "print(f\"{x!r} and 'quotes'\")");
}

TEST(PythonParser, KeepsTheMessageOfALineThatDoesNotParse) {
  EXPECT_EQ(First("f(a b)"), "expected ','");
  EXPECT_EQ(First("x = 'open"), "unreadable text");
}

TEST(PythonParser, GoesOnAfterALineThatDoesNotParse) {
  const Result<PyModule> m = ParsePython("match x:\n    a = 1\nb = 2\n");
  EXPECT_EQ(m->statement(m->body[0]).kind, PyStatementKind::kOpaque);
  EXPECT_EQ(m->statement(m->body[0]).body.size(), 1u);
  EXPECT_EQ(m->statement(m->body[1]).kind, PyStatementKind::kAssign);
}

TEST(PythonParser, BoundsEveryKindOfNesting) {
  const std::string deep(100000, '(');
  EXPECT_EQ(ParsePython(deep).error().rule, "nesting");
  std::string chain = "a";
  for (int i = 0; i < 100000; ++i) chain += "+a";
  EXPECT_EQ(ParsePython(chain).error().rule, "nesting");
  std::string blocks;
  for (int i = 0; i < 300; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  EXPECT_EQ(ParsePython(blocks).error().rule, "nesting");
}

TEST(PythonLexer, IndentsAndDedents) {
  std::vector<PyTokenKind> kinds;
  for (const PyToken& t : TokenizePython("if a:\n  b\n\n  # note\nc")) kinds.push_back(t.kind);
  using enum PyTokenKind;
  EXPECT_THAT(kinds, ElementsAre(kName, kName, kOperator, kNewline, kIndent, kName, kNewline,
                                 kDedent, kName, kNewline, kEnd));
}

}  // namespace
}  // namespace seamfuzz
