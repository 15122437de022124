// Every typing rule of Graph::Add* under its label, contract rules, composites and rebuilding.
#include "generator/ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Graph Parsed(std::string_view text) {
  Result<Graph> graph = ParseGraph(text);
  if (graph.ok()) return *graph;
  ADD_FAILURE() << graph.error().Text();
  return Graph();
}

// The rule that a graph's text breaks; "" when there is none.
std::string Rule(std::string_view text) {
  Result<Graph> graph = ParseGraph(text);
  return graph.ok() ? "" : graph.error().rule;
}
std::string Message(std::string_view text) {
  Result<Graph> graph = ParseGraph(text);
  return graph.ok() ? "" : graph.error().message;
}
std::string InputRule(std::string_view input) {
  return Rule("graph { B = input f32[2] a = " + std::string(input) + " output a }");
}
std::string OpRule(std::string_view op) {
  return Rule("graph { a = input f32[4] m = input f32[2, 3] i = input i32[4] b = " +
              std::string(op) + " output b }");
}

std::vector<std::string> Contract(std::string_view text) {
  std::vector<std::string> rules;
  for (const Error& error : BrokenContract(Parsed(text))) rules.push_back(error.rule);
  return rules;
}

TEST(GraphRule, node_limit) {
  Graph graph;
  for (int i = 0; i < kMaxNodes; ++i) {
    ASSERT_TRUE(graph.AddInput("a" + std::to_string(i), {DType::kF32, {}}).ok());
  }
  EXPECT_EQ(graph.AddInput("b", {DType::kF32, {}}).error().rule, "node_limit");
  EXPECT_EQ(graph.Add("neg", {Operand::Value(0)}).error().rule, "node_limit");
  for (int i = 0; i < kMaxNodes; ++i) ASSERT_TRUE(graph.AddOutput(0).ok());
  EXPECT_EQ(graph.AddOutput(0).error().rule, "node_limit");
  EXPECT_EQ(graph.AddUpdate(0, 1).error().rule, "node_limit");
}

TEST(GraphRule, name) {
  for (std::string_view name : {"", "1a", "a.b", "inf", "nan", "true", "strides", "in", "at"}) {
    EXPECT_EQ(Graph().AddInput(name, {DType::kF32, {}}).error().rule, "name") << name;
  }
  EXPECT_EQ(Graph().AddInput(std::string(65, 'a'), {DType::kF32, {}}).error().rule, "name");
  EXPECT_TRUE(Graph().AddInput(std::string(64, 'a'), {DType::kF32, {}}).ok());
}

TEST(GraphRule, name_taken) {
  EXPECT_EQ(Rule("graph { a = input f32[4] a = input f32[4] }"), "name_taken");
  EXPECT_EQ(Rule("graph { a = input f32[4] a = neg(a) }"), "name_taken");
}

TEST(GraphRule, negative_dim) { EXPECT_EQ(InputRule("input f32[2, -1]"), "negative_dim"); }

TEST(GraphRule, element_limit) {
  EXPECT_EQ(InputRule("input bool[1099511627776]"), "element_limit");
  EXPECT_EQ(InputRule("input bool[4294967296, 4294967296, 4294967296]"), "element_limit");
  EXPECT_EQ(OpRule("full(shape=[65536, 65536], value=0, dtype=f32)"), "element_limit");
  EXPECT_EQ(InputRule("input f32[0, 9223372036854775807, 9223372036854775807]"), "element_limit");
  EXPECT_EQ(InputRule("input bool[0, 268435456]"), "");
}

TEST(GraphRule, strides_rank) {
  EXPECT_EQ(InputRule("input f32[2, 3] strides [1]"), "strides_rank");
  EXPECT_EQ(InputRule("input f32[2, 3] strides []"), "strides_rank");
}

TEST(GraphRule, negative_stride) {
  EXPECT_EQ(InputRule("input f32[2] strides [-1]"), "negative_stride");
}

TEST(GraphRule, negative_offset) { EXPECT_EQ(InputRule("input f32[2] at -1"), "negative_offset"); }

TEST(GraphRule, storage_limit) {
  EXPECT_EQ(InputRule("input f32[67108864]"), "");
  EXPECT_EQ(InputRule("input f32[67108864] at 1"), "storage_limit");
  EXPECT_EQ(InputRule("input f64[67108864]"), "storage_limit");
  EXPECT_EQ(InputRule("input f32[3] strides [9223372036854775807]"), "storage_limit");
  EXPECT_EQ(InputRule("input f32[3] at 9223372036854775807"), "storage_limit");
}

TEST(GraphRule, scalar_rank) {
  EXPECT_EQ(Graph().AddInput("a", {DType::kF64, {1}}, {.scalar = true}).error().rule,
            "scalar_rank");
}

TEST(GraphRule, scalar_layout) {
  EXPECT_EQ(InputRule("input scalar f64 in B"), "scalar_layout");
  EXPECT_EQ(InputRule("input scalar f64 at 1"), "scalar_layout");
  EXPECT_EQ(Rule("graph { s = input scalar f64 a = input f64[] in s }"), "scalar_layout");
}

TEST(GraphRule, unknown_op) {
  EXPECT_EQ(OpRule("frobnicate(a)"), "unknown_op");
  EXPECT_THAT(Message("graph { a = input f32[4] b = rellu(a) }"), HasSubstr("did you mean relu?"));
  EXPECT_EQ(Graph().Add(InputOp(), {}).error().rule, "unknown_op");
}

TEST(GraphRule, unknown_value) {
  EXPECT_EQ(OpRule("neg(c)"), "unknown_value");
  EXPECT_EQ(Graph().Add("neg", {Operand::Value(0)}).error().rule, "unknown_value");
  EXPECT_EQ(Graph().AddOutput(0).error().rule, "unknown_value");
  EXPECT_EQ(Graph().AddUpdate(0, 0).error().rule, "unknown_value");
}

TEST(GraphRule, arity) {
  EXPECT_EQ(Message("graph { a = input f32[4] T4 = add(a, a, a) }"),
            "T4: add takes 2 operands, got 3");
  EXPECT_EQ(OpRule("neg()"), "arity");
  EXPECT_EQ(OpRule("cat(a, a, a, a, a, a, a, a, a, a)"), "arity");
}

TEST(GraphRule, attribute) {
  EXPECT_EQ(OpRule("neg(a, dim=1)"), "attribute");
  EXPECT_EQ(OpRule("neg(a, volume=1)"), "attribute");
  EXPECT_EQ(OpRule("cast(a)"), "attribute");
  EXPECT_EQ(OpRule("sum(a, keepdim=true, keepdim=true)"), "attribute");
}

TEST(GraphRule, dtype) { EXPECT_EQ(OpRule("bitwise_and(a, a)"), "dtype"); }

TEST(GraphRule, broadcast) { EXPECT_EQ(OpRule("add(a, m)"), "broadcast"); }

TEST(GraphRule, operand_literal) { EXPECT_EQ(OpRule("sum(3)"), "operand_literal"); }

TEST(GraphRule, operand_tensor) { EXPECT_EQ(OpRule("add(1, 2)"), "operand_tensor"); }

TEST(GraphRule, update_target) {
  EXPECT_EQ(Rule("graph { a = input f32[4] b = neg(a) b <- a }"), "update_target");
  EXPECT_EQ(Rule("graph { s = input scalar f32 a = input f32[] s <- a }"), "update_target");
  EXPECT_EQ(Rule("trace { a = input f32[4] b = neg(a) b <- a }"), "");
}

TEST(GraphRule, copy_shape) {
  EXPECT_EQ(Rule("trace { a = input f32[4] b = input f32[3] a <- b }"), "copy_shape");
  EXPECT_EQ(Rule("trace { a = input f32[1] b = input f32[3] a <- b }"), "copy_shape");
  EXPECT_EQ(Rule("trace { a = input f32[2, 3] b = input i32[3] a <- b }"), "");
}

TEST(Graph, ARefusedNodeChangesNothing) {
  Graph graph = Parsed("graph { a = input f32[4] output a }");
  const Graph before = graph;
  EXPECT_FALSE(graph.Add("add", {Operand::Value(0)}).ok());
  EXPECT_EQ(graph, before);
}

TEST(Graph, NamesANodeAfterItsPosition) {
  Graph graph = Parsed("graph { a = input f32[4] T2 = neg(a) }");
  EXPECT_EQ(graph.node(*graph.Add("neg", {Operand::Value(0)})).name, "T3");
}

TEST(Graph, NoOpTakesMoreOperandsThanAGraphHolds) {
  for (const OpRow& row : OpRows()) EXPECT_LE(row.max_arity, kMaxArity) << row.name;
}

TEST(Graph, SpellsDefaultsOutSoThatEqualNodesAreEqual) {
  EXPECT_EQ(Parsed("graph { a = input f32[4] b = sum(a) }"),
            Parsed("graph { a = input f32[4] strides [1] in a at 0 "
                   "b = sum(a, dims=[], keepdim=false) }"));
}

TEST(Graph, KnowsOneNaN) {
  Graph positive = Parsed("graph { a = input f32[4] }"), negative = positive;
  ASSERT_TRUE(positive.Add("mul", {Operand::Value(0), Operand::Number(NAN)}).ok());
  ASSERT_TRUE(negative.Add("mul", {Operand::Value(0), Operand::Number(-NAN)}).ok());
  EXPECT_EQ(positive, negative);
}

TEST(Graph, EffectsOfAGraphFollowItsNodes) {
  EXPECT_EQ(Parsed("graph { a = input f32[4] output a b = neg(a) a <- b }"),
            Parsed("graph { a = input f32[4] b = neg(a) output a a <- b }"));
}

TEST(Graph, LiteralsPromoteByCategoryOnly) {
  const Graph graph = Parsed(
      "graph { a = input f16[4] i = input i32[4] b = mul(a, 0.9) c = mul(i, 2) d = mul(i, 0.5) }");
  EXPECT_EQ(graph.type(2).dtype, DType::kF16);
  EXPECT_EQ(graph.type(3).dtype, DType::kI32);
  EXPECT_EQ(graph.type(4).dtype, DType::kF32);
  EXPECT_EQ(ComputeDType(graph, graph.node(4)), DType::kF32);
}

TEST(Storages, HoldTheFurthestByteOfTheirViews) {
  const auto storages = Storages(Parsed(
      "graph { a = input f32[4] in S  t = input f32[]  b = input i32[3] in S at 6  a <- b }"));
  ASSERT_EQ(storages.size(), 2u);
  EXPECT_EQ(storages[0].name, "S");
  EXPECT_EQ(storages[0].bytes, 36);
  EXPECT_THAT(storages[0].inputs, ElementsAre(0, 2));
  EXPECT_TRUE(storages[0].updated);
  EXPECT_FALSE(storages[1].updated);
}

TEST(Contract, U1TwoUpdatesOfOneInput) {
  EXPECT_THAT(Contract("graph { a = input f32[4] b = neg(a) a <- b a <- a }"), ElementsAre("U1"));
}

TEST(Contract, U2ValueUnlikeItsTarget) {
  EXPECT_THAT(
      Contract("graph { a = input f32[4] b = input f16[4] c = input f32[1, 4] a <- b b <- c }"),
      ElementsAre("U2", "U2"));
}

TEST(Contract, U3TargetOverlapsItself) {
  EXPECT_THAT(Contract("graph { a = input f32[4] strides [0] a <- a }"), ElementsAre("U3"));
  EXPECT_THAT(Contract("graph { a = input f32[3, 3] strides [1, 2] a <- a }"), ElementsAre("U3"));
  EXPECT_THAT(Contract("graph { a = input f32[2, 3] strides [1, 2] a <- a }"), ElementsAre());
}

TEST(Contract, U4TwoTargetsOverlap) {
  EXPECT_THAT(Contract("graph { a = input f32[4] in S b = input f32[4] in S at 3 a <- a b <- b }"),
              ElementsAre("U4"));
  EXPECT_THAT(Contract("graph { a = input f32[4] in S b = input f32[4] in S at 4 a <- a b <- b }"),
              ElementsAre());
}

TEST(Contract, U4EvenAndOddElementsDoNotOverlap) {
  EXPECT_THAT(
      Contract("graph { a = input f32[4] strides [2] in S b = input f32[4] strides [2] in S at 1 "
               "a <- a b <- b }"),
      ElementsAre());
  EXPECT_THAT(
      Contract(
          "graph { a = input f32[4] strides [2] in S b = input f16[1] in S at 5 a <- a b <- b }"),
      ElementsAre("U4"));
}

TEST(Contract, SharedStorageWithOneUpdateIsWellFormed) {
  EXPECT_THAT(
      Contract("graph { a = input f32[4] in S b = input f32[4] in S at 2 a <- b output b }"),
      ElementsAre());
}

TEST(LiveNodes, AreThoseAnEffectReaches) {
  EXPECT_THAT(
      LiveNodes(Parsed("graph { a = input f32[4] b = neg(a) c = input f32[4] d = neg(c) c <- b }")),
      ElementsAre(true, true, true, false));
}

TEST(ExpandComposites, ReplacesANodeByItsDefinition) {
  const Graph graph = Parsed("graph { a = input f32[4] b = addcmul(a, a, 2) c = neg(b) a <- c }");
  const Expanded expanded = ExpandComposites(graph);
  EXPECT_EQ(expanded.graph, Parsed("graph { a = input f32[4] b_0 = mul(a, 2) b = add(a, b_0) "
                                   "c = neg(b) a <- c }"));
  EXPECT_THAT(expanded.origin, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(expanded.image, ElementsAre(0, 2, 3));
}

TEST(ExpandComposites, TakesNoNameOfTheGraph) {
  const Expanded expanded =
      ExpandComposites(Parsed("graph { b_0 = input f32[4] b = addcmul(b_0, b_0, 2) b_1 = neg(b) "
                              "b_2 = neg(b) output b_2 }"));
  EXPECT_EQ(expanded.graph, Parsed("graph { b_0 = input f32[4] b_3 = mul(b_0, 2) b = add(b_0, b_3) "
                                   "b_1 = neg(b) b_2 = neg(b) output b_2 }"));
}

TEST(ExpandComposites, TypesEveryCompositeAsItsRowDoes) {
  const Graph graph = Parsed(
      "graph { x = input f32[3, 4] w = input f32[5, 4] a = mean(x) b = var(x, dims=[1], "
      "keepdim=true) "
      "c = softmax(x, dim=0) d = rms_norm(x) e = linear(x, w) f = lerp(x, x, 0.5) output f }");
  const Expanded expanded = ExpandComposites(graph);
  for (ValueId v = 0; v < graph.size(); ++v) {
    EXPECT_EQ(expanded.graph.type(expanded.image[v]), graph.type(v));
    EXPECT_EQ(expanded.graph.node(expanded.image[v]).name, graph.node(v).name);
  }
  for (const Node& node : expanded.graph.nodes()) EXPECT_NE(node.row().form, Form::kComposite);
}

TEST(ExpandComposites, KeepsThePlaceOfEffectsInATrace) {
  const Expanded expanded = ExpandComposites(
      Parsed("trace { a = input f32[4] b = addcmul(a, a, 2) a <- b c = neg(a) output c }"));
  EXPECT_EQ(expanded.graph,
            Parsed("trace { a = input f32[4] b_0 = mul(a, 2) b = add(a, b_0) a <- b "
                   "c = neg(a) output c }"));
}

TEST(Rebuild, UsersReadTheSubstitute) {
  const Graph graph = Parsed("graph { a = input f32[4] b = neg(a) c = exp(b) a <- c output b }");
  const auto rebuilt = Rebuild(graph, {true, false, true}, {true, true}, {0, 0, 2});
  ASSERT_TRUE(rebuilt.ok());
  EXPECT_EQ(*rebuilt, Parsed("graph { a = input f32[4] c = exp(a) a <- c output a }"));
}

TEST(Rebuild, SaysWhatNoLongerTypes) {
  const Graph graph = Parsed(
      "graph { a = input f32[2, 3] b = permute(a, dims=[1, 0]) c = input f32[3, 2] d = add(b, c) "
      "}");
  EXPECT_EQ(Rebuild(graph, {true, false, true, true}, {}, {0, 0, 2, 3}).error().rule, "broadcast");
}

TEST(Rebuild, SaysWhichOperandIsMissing) {
  const Graph graph = Parsed("graph { a = input f32[4] b = neg(a) c = exp(b) }");
  EXPECT_EQ(Rebuild(graph, {true, false, true}, {}, {0, 1, 2}).error().message,
            "c: an operand is not kept");
}

TEST(Rebuild, KeepsThePlaceOfEffectsInATrace) {
  const Graph graph = Parsed("trace { a = input f32[4] b = neg(a) a <- a c = exp(a) output c }");
  EXPECT_EQ(*Rebuild(graph, {true, false, true}, {true, true}, {0, 1, 2}),
            Parsed("trace { a = input f32[4] a <- a c = exp(a) output c }"));
}

}  // namespace
}  // namespace seamfuzz
