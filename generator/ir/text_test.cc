// The text of graphs: canonical printing, error positions, and bytes that are no text at all.
#include "generator/ir/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace seamfuzz {
namespace {

using testing::HasSubstr;

// Printed in canonical form, or the error.
std::string Canonical(std::string_view text) {
  const Result<Graph> graph = ParseGraph(text);
  return graph.ok() ? Print(*graph) : graph.error().Text();
}

// The canonical text of one node, after inputs that it may use.
std::string Node(std::string_view node) {
  const Result<Graph> graph = ParseGraph(
      "graph { a = input f32[4, 3] i = input i32[4] b = input bool[4, 3] x = " + std::string(node) +
      " }");
  return graph.ok() ? PrintNode(*graph, 3).substr(4) : graph.error().Text();
}

TEST(GraphText, TheExampleOfTheDesignIsCanonical) {
  constexpr std::string_view kText = R"(graph {
  T0 = input f32[10, 2]
  T1 = input f32[2, 10, 2]
  T2 = relu(T0)
  T3 = segment_set(T0)
  T4 = add(T3, T1)
  T0 <- T2
  output T4
}
)";
  EXPECT_EQ(Canonical(kText), kText);
}

TEST(GraphText, ALineMayHoldEverything) {
  EXPECT_EQ(Canonical("graph{a=input f32[4]b=neg(a)a<-b output b}"),
            "graph {\n  a = input f32[4]\n  b = neg(a)\n  a <- b\n  output b\n}\n");
}

TEST(GraphText, InputsGiveLayoutAndStorage) {
  EXPECT_EQ(Node("input f32[4, 3] strides [1, 4]"), "input f32[4, 3] strides [1, 4]");
  EXPECT_EQ(Node("input f32[4] in S at 2"), "input f32[4] in S at 2");
  EXPECT_EQ(Node("input bf16[]"), "input bf16[]");
  EXPECT_EQ(Node("input scalar f64"), "input scalar f64");
}

TEST(GraphText, DefaultsAreLeftOut) {
  EXPECT_EQ(Node("input f32[4, 3] strides [3, 1] in x at 0"), "input f32[4, 3]");
  EXPECT_EQ(Node("sum(a, dims=[], keepdim=false)"), "sum(a)");
}

TEST(GraphText, AttributesAreNamed) {
  EXPECT_EQ(Node("sum(a, keepdim=true, dims=[1])"), "sum(a, dims=[1], keepdim=true)");
  EXPECT_EQ(Node("cast(a, dtype=bf16)"), "cast(a, dtype=bf16)");
  EXPECT_EQ(Node("slice(a, start=[0,1], end=[4,3])"), "slice(a, start=[0, 1], end=[4, 3])");
  EXPECT_EQ(Node("full(shape=[2], value=-inf, dtype=f32)"),
            "full(shape=[2], value=-inf, dtype=f32)");
  EXPECT_EQ(Node("full(shape=[], value=3, dtype=i32)"), "full(shape=[], value=3, dtype=i32)");
}

TEST(GraphText, LiteralsKeepTheirCategory) {
  EXPECT_EQ(Node("mul(a, 0.9)"), "mul(a, 0.9)");
  EXPECT_EQ(Node("mul(i, 2)"), "mul(i, 2)");
  EXPECT_EQ(Node("mul(i, 2.0)"), "mul(i, 2.0)");
  EXPECT_EQ(Node("mul(a, 1e30)"), "mul(a, 1e+30)");
  EXPECT_EQ(Node("mul(a, -0.0)"), "mul(a, -0.0)");
  EXPECT_EQ(Node("where(b, inf, nan)"), "where(b, inf, nan)");
  EXPECT_EQ(Node("where(b, a, -inf)"), "where(b, a, -inf)");
  EXPECT_EQ(Node("logical_and(b, true)"), "logical_and(b, true)");
}

TEST(GraphText, UpdatesOfATraceKeepTheirPlace) {
  constexpr std::string_view kText =
      "trace {\n  a = input f32[4]\n  b = add(a, 1)\n  a <- b\n  c = add(a, 2)\n  output c\n}\n";
  EXPECT_EQ(Canonical(kText), kText);
}

TEST(GraphText, AValueMayBeCalledOutput) {
  EXPECT_EQ(Canonical("graph { output = input f32[4] output output }"),
            "graph {\n  output = input f32[4]\n  output output\n}\n");
}

TEST(GraphText, CommentsAreSkipped) {
  EXPECT_EQ(Canonical("graph { # one\n a = input f32[4] # two\n}"),
            "graph {\n  a = input f32[4]\n}\n");
}

TEST(GraphTextError, PointsAtTheOffendingToken) {
  EXPECT_EQ(Canonical("graph {\n  a = input f32[4]\n  T4 = add(a, a, a)\n}"),
            "3:8: arity: T4: add takes 2 operands, got 3");
  EXPECT_EQ(Canonical("graph {\n  a = input f32[4]\n  b = add(a, c)\n}"),
            "3:14: unknown_value: c is not defined before its use");
  EXPECT_EQ(Canonical("graph {\n  a = input f32[4]\n  a = neg(a)\n}"),
            "3:3: name_taken: a is defined twice");
  EXPECT_EQ(Canonical("graph {\n  a = input f32[4]\n  b = exq(a)\n}"),
            "3:7: unknown_op: there is no op 'exq'; did you mean exp?");
  EXPECT_EQ(Canonical("graph {\n  a = input f32[4]\n  b = sum(a, dim=0)\n}"),
            "3:7: attribute: b: sum has no attribute dim");
  EXPECT_EQ(Canonical("graph {\n  a = input f32[4]\n  output b\n}"),
            "3:10: unknown_value: b is not defined before its use");
}

TEST(GraphTextError, SaysWhatItExpected) {
  EXPECT_THAT(Canonical("graf { }"), HasSubstr("1:1: syntax: expected graph or trace"));
  EXPECT_THAT(Canonical("graph {"), HasSubstr("1:8: syntax: expected NAME"));
  EXPECT_THAT(Canonical("graph { a = input f33[4] }"),
              HasSubstr("1:19: dtype: expected one of bool i8"));
  EXPECT_THAT(Canonical("graph { a = input f32 }"),
              HasSubstr("1:23: syntax: expected '[', got '}'"));
  EXPECT_THAT(Canonical("graph { a = input f32[4] b = neg(a }"),
              HasSubstr("syntax: expected ',', got '}'"));
  EXPECT_THAT(Canonical("graph { } }"),
              HasSubstr("1:11: syntax: expected nothing after the graph"));
  EXPECT_THAT(Canonical("graph { a b }"), HasSubstr("1:9: syntax: expected = or <- after a"));
  EXPECT_THAT(Canonical("graph { a = input f32[4] b = full(dtype=f32, a) }"),
              HasSubstr("operands come before"));
}

TEST(GraphTextError, rank_limit) {
  EXPECT_THAT(Canonical("graph { a = input f32[1,1,1,1,1,1,1,1,1] }"),
              HasSubstr("1:39: rank_limit"));
}

TEST(GraphTextError, number) {
  EXPECT_THAT(Canonical("graph { a = input f32[99999999999999999999] }"),
              HasSubstr("number: the integer"));
  EXPECT_THAT(Canonical("graph { a = input f32[4] b = mul(a, 1e999) }"),
              HasSubstr("number: 1e999"));
  EXPECT_THAT(Canonical("graph { a = input f32[4] b = mul(a, 1.2.3) }"),
              HasSubstr("number: 1.2.3"));
}

// The parser must answer any bytes with a graph or an error.
void ExpectAnswer(const std::string& text) {
  const Result<Graph> graph = ParseGraph(text);
  if (!graph.ok()) {
    EXPECT_GT(graph.error().line, 0);
    EXPECT_EQ(graph.error().message.find('\n'), std::string::npos);
    return;
  }
  const Result<Graph> again = ParseGraph(Print(*graph));
  ASSERT_TRUE(again.ok()) << again.error().Text();
  EXPECT_EQ(*again, *graph) << Print(*graph);
}

TEST(GraphTextError, SurvivesAbsurdText) {
  ExpectAnswer("");
  ExpectAnswer(std::string("graph {\0 }", 10));
  ExpectAnswer("graph { a = neg" + std::string(1000000, '(') + "}");
  ExpectAnswer("graph { a = " + std::string(1000000, 'x') + "(b) }");
  ExpectAnswer("graph { a = input f32[" + std::string(1000000, '9') + "] }");
  ExpectAnswer("graph " + std::string(1000000, '{'));
  ExpectAnswer("graph { a = input f32[4] b = neg(" + std::string(1000000, ',') + ") }");
  std::string many = "graph { a = input f32[4] b = cat(a";
  for (int i = 0; i < 100000; ++i) many += ", a";
  ExpectAnswer(many + ") }");
}

TEST(GraphTextProperty, AMutatedTextIsRefusedOrRoundTrips) {
  const std::string seed =
      "graph { T0 = input f32[4, 3] strides [1, 4] in S at 2 s = input scalar f64 i = input "
      "i32[2]\n"
      "T1 = mul(T0, 0.9) T2 = sum(T1, dims=[1], keepdim=true) T3 = cast(T2, dtype=bf16) # note\n"
      "T4 = index_select(T0, i, dim=0) T5 = where(true, T1, -inf) T6 = slice(T5, start=[0, 1], "
      "end=[4, 3])\n"
      "T7 = segment_set(T5) T0 <- T7 output T6 }";
  const std::string_view alphabet = "()[]{}=,<-#.\n 0123456789aTeinf\0\xff";
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seed;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 4);
          break;
        case 1:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
      }
    }
    ExpectAnswer(text);
    accepted += ParseGraph(text).ok() ? 1 : 0;
  }
  EXPECT_GT(accepted, 200);  // else this says nothing about round trips
}

}  // namespace
}  // namespace seamfuzz
