// What scripts say, as text; and that every op of every target gives Python that compiles.
#include "engine/foreign/script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/foreign/export_torch.h"
#include "engine/foreign/program.h"
#include "engine/foreign/python_files.h"
#include "engine/foreign/rows.h"
#include "generator/case/pattern.h"
#include "generator/case/text.h"
#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Graph Parsed(std::string_view text) {
  const Result<Graph> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().Text());
  return graph.ok() ? *graph : Graph();
}

Case CaseOf(std::string_view graph) {
  Case c;
  c.graph = Parsed(graph);
  return c;
}

// The expression of the last node.
std::string Expression(std::string_view text, const ScriptDialect& dialect) {
  const Graph graph = Parsed(text);
  return OpExpression(graph, graph.size() - 1, PythonNames(graph), dialect);
}

TEST(OpText, WrapsLiteralsWhereTensorsAreWanted) {
  EXPECT_EQ(Expression("graph { x = input f16[4] y = maximum(x, 2) }", kTorchDialect),
            "torch.maximum(x, torch.tensor(2, dtype=torch.float16, device=device))");
}

TEST(OpText, CastsOperandsThatPromote) {
  EXPECT_EQ(Expression("graph { x = input f32[4] y = input i32[4] z = add(x, y) }", kJaxDialect),
            "x + y.astype(jnp.float32)");
}

TEST(OpText, AsksForOneRoundingOfNarrowFloats) {
  EXPECT_EQ(Expression("graph { x = input bf16[4] y = exp(x) }", kJaxDialect),
            "(jnp.exp(x.astype(jnp.float32))).astype(jnp.bfloat16)");
}

TEST(OpText, SpreadsExtentsOverTheResultsRank) {
  EXPECT_EQ(
      Expression("graph { x = input f32[4] y = broadcast_in_dim(x, shape=[2, 4, 3], dims=[1]) }",
                 kTorchDialect),
      "x.reshape([1, 4, 1]).expand([2, 4, 3])");
}

TEST(Numbers, ReadBackToTheSameValue) {
  EXPECT_EQ(PythonNumber(FloatScalar(0.1f), DType::kF32), "0.10000000149011612");
  EXPECT_EQ(PythonNumber(FloatScalar(-0.0), DType::kF64), "-0.0");
  EXPECT_EQ(PythonNumber(IntScalar(1), DType::kBool), "True");
}

TEST(Names, LeavePythonsOwnAlone) {
  const Graph graph =
      Parsed("graph { lambda = input f32[4] _x = neg(lambda) VIEWS = neg(_x) T3 = neg(VIEWS) }");
  EXPECT_THAT(PythonNames(graph), ElementsAre("v_lambda", "v__x", "v_VIEWS", "T3"));
}

TEST(Pieces, TakeWhatEarlierOnesGive) {
  const Graph graph =
      Parsed("graph { x = input f32[4] y = neg(x) z = segment_set(y) w = add(z, x) output w }");
  const std::vector<Piece> pieces = PiecesOf(graph, Mode::kSegmented);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_THAT(pieces[0].gives, ElementsAre(1));
  EXPECT_THAT(pieces[1].takes, ElementsAre(0, 1));
  EXPECT_EQ(PiecesOf(graph, Mode::kMonolithic).size(), 1u);
}

// Copies for each effect, as text: "10".
std::string Copies(std::string_view text) {
  std::string out;
  for (const bool copy : CopiesBeforeCommits(Parsed(text))) out += copy ? '1' : '0';
  return out;
}

TEST(Copies, WhatTheCommitWritesIsReadFirst) {
  EXPECT_EQ(Copies("graph { x = input f32[4] y = neg(x) x <- y output x }"), "01");
}

TEST(Copies, SwapsNeedOne) {
  EXPECT_EQ(Copies("graph { x = input f32[4] y = input f32[4] x <- y y <- x }"), "01");
}

TEST(Copies, AnUpdateFromItsOwnViewNeedsOne) {
  EXPECT_EQ(Copies("graph { x = input f32[2, 2] y = permute(x, dims=[1, 0]) x <- y }"), "1");
}

TEST(Copies, OutputsMustNotShareMemory) {
  EXPECT_EQ(
      Copies(
          "graph { x = input f32[4] y = neg(x) z = reshape(y, shape=[2, 2]) output y output z }"),
      "01");
  EXPECT_EQ(Copies("graph { x = input f32[4] y = neg(x) output y output y }"), "00");
}

TEST(TorchScript, CopiesBeforeItCommits) {
  const std::string text = ExportTorch(
      CaseOf("graph { x = input f32[4] y = neg(x) z = reshape(x, shape=[2, 2]) x <- y output z }"),
      nullptr);
  EXPECT_THAT(text, HasSubstr("    _z = z.clone()\n    x.copy_(y)\n    return [_z]\n"));
}

TEST(TorchScript, CutsAreGraphBreaksOrSeparateCompiles) {
  Case c =
      CaseOf("graph { x = input f32[4] y = neg(x) z = segment_set(y) w = exp(z) x <- y output w }");
  EXPECT_THAT(ExportTorch(c, nullptr),
              HasSubstr("y = -x\n    torch._dynamo.graph_break()\n    w = torch.exp(y)\n"));
  c.schedule.lanes["boundary"] = "compile";
  EXPECT_THAT(ExportTorch(c, nullptr),
              AllOf(HasSubstr("SEGMENTS = [segment_0, segment_1]"), Not(HasSubstr("graph_break"))));
}

TEST(WhyNot, NamesTheLanesValues) {
  Case c = CaseOf("graph { a = input f32[4] b = neg(a) output b }");
  EXPECT_THAT(WhyNot(*FindForeignRow("inductor"), c), IsEmpty());
  c.schedule.lanes["backend"] = "__import__('os')";
  EXPECT_EQ(WhyNot(*FindForeignRow("inductor"), c),
            "lane backend of inductor is one of inductor, aot_eager");
}

TEST(WhyNot, NamesTheOpThatATargetLacks) {
  EXPECT_EQ(WhyNot(*FindForeignRow("tinygrad"),
                   CaseOf("graph { a = input f32[4] b = fmod(a, 3) output b }")),
            "tinygrad has no op fmod");
}

TEST(Rows, DeviationsArePatternsWithLinks) {
  for (const ForeignRow& row : ForeignRows()) {
    for (const DeviationRow& deviation : row.deviations) {
      EXPECT_TRUE(ParsePattern(deviation.pattern).ok()) << deviation.pattern;
      EXPECT_THAT(deviation.link, HasSubstr("https://"));
    }
  }
}

TEST(PythonFiles, AreThoseOfTheTree) {
  const std::filesystem::path folder = SEAMFUZZ_SOURCE_DIR "/engine/foreign/python";
  EXPECT_GE(PythonFiles().size(), 9u);
  for (const PythonFileRow& file : PythonFiles()) {
    std::ostringstream text;
    text << std::ifstream(folder / file.name).rdbuf();
    EXPECT_EQ(file.text, text.str()) << file.name;
  }
}

// A graph with one node of this op, on inputs that suit it, or nullopt where none of a few tries
// types.
std::optional<Graph> OneNode(OpId op) {
  const OpRow& row = Row(op);
  for (const Shape& shape : {Shape{4}, Shape{4, 4}, Shape{}}) {
    for (const DType dtype : {DType::kF32, DType::kI64, DType::kBool}) {
      Attrs attrs;
      for (const AttrSpec& spec : row.attrs) {
        if (spec.key == AttrKey::kNone || !spec.required) continue;
        Attr attr{.key = spec.key};
        const bool dims = spec.key == AttrKey::kDims || spec.key == AttrKey::kShape ||
                          spec.key == AttrKey::kStart || spec.key == AttrKey::kEnd;
        for (int d = 0; dims && d < shape.size(); ++d) {
          attr.list.push_back(spec.key == AttrKey::kDims    ? d
                              : spec.key == AttrKey::kStart ? 0
                                                            : shape[d]);
        }
        attr.dtype = dtype;
        attrs.push_back(attr);
      }
      Graph graph;
      std::vector<Operand> operands;
      for (int k = 0; k < row.min_arity; ++k) {
        const DType own = k == row.index_operand                    ? DType::kI64
                          : row.types == TypeRule::kWhere && k == 0 ? DType::kBool
                                                                    : dtype;
        const Result<ValueId> input = graph.AddInput("x" + std::to_string(k), {own, shape});
        if (input.ok()) operands.push_back(Operand::Value(*input));
      }
      if (graph.Add(op, operands, attrs).ok() && graph.AddOutput(graph.size() - 1).ok())
        return graph;
    }
  }
  return std::nullopt;
}

// Writes FOLDER/ENGINE_OP.py for each op that the engine takes; returns the ops that it takes but
// OneNode has no graph for.
std::vector<std::string_view> WriteScripts(const ForeignRow& row,
                                           const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::vector<std::string_view> left_out;
  for (OpId op = 1; op < OpRows().size(); ++op) {
    const std::string_view text = Row(op).*row.dialect->op;
    if (text == "-" || (text.empty() && Row(op).form != Form::kComposite)) continue;
    Case c;
    if (const std::optional<Graph> graph = OneNode(op)) c.graph = *graph;
    if (c.graph.size() == 0) left_out.push_back(Row(op).name);
    if (c.graph.size() == 0 || !WhyNot(row, c).empty()) continue;
    const ScriptExpectation nothing;
    std::ofstream(folder / fmt::format("{}_{}.py", row.name, Row(op).name))
        << row.script(c, &nothing);
  }
  return left_out;
}

TEST(Scripts, EveryOpGivesPythonThatCompiles) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "every_op";
  for (const ForeignRow& row : ForeignRows()) {
    EXPECT_THAT(WriteScripts(row, folder / row.name), IsEmpty()) << row.name;
  }
  const std::string command = "python3 -m compileall -q " + folder.string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// Exit status of `nvfuser_signatures.py check` on the scripts of a folder.
int CheckNvfuserCalls(const std::filesystem::path& folder) {
  const std::string tool = SEAMFUZZ_SOURCE_DIR "/engine/foreign/nvfuser_signatures";
  const std::string command =
      fmt::format("python3 {0}.py check {0}.txt {1}/*.py", tool, folder.string());
  return WEXITSTATUS(std::system(command.c_str()));
}

TEST(NvfuserScripts, CallWhatNvfuserHasWithTheArgumentsItTakes) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "calls";
  const ForeignRow& row = *FindForeignRow("nvfuser");
  WriteScripts(row, folder);
  std::ofstream(folder / "layouts.py") << row.script(
      CaseOf(
          "graph { s = input scalar f64  x = input f16[3, 4] strides [1, 3] at 2  y = mul(x, s)  "
          "z = segment_set(y)  w = sum(z, dims=[0], keepdim=true)  output w  x <- y }"),
      nullptr);
  EXPECT_EQ(CheckNvfuserCalls(folder), 0);
}

class WrongCall : public ::testing::TestWithParam<std::string_view> {};

TEST_P(WrongCall, DoesNotFitTheSignatures) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "wrong_call";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "script.py") << GetParam() << "\n";
  EXPECT_EQ(CheckNvfuserCalls(folder), 1);
}

INSTANTIATE_TEST_SUITE_P(Each, WrongCall,
                         ::testing::Values("fd.ops.add(a)", "fd.ops.sum(a, axes=[0])",
                                           "fd.ops.flip(a, [0])", "fd.ops.cast(a, DataType.Half16)",
                                           "fd.ops.add(arg0=a, arg1=b)"));

}  // namespace
}  // namespace seamfuzz
