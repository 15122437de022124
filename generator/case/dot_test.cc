// The picture says what the text says.
#include "generator/case/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "generator/case/text.h"

namespace seamfuzz {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string DotOf(std::string_view graph) {
  const Result<ParsedCase> parsed =
      ParseCase("seamfuzz 1\n" + std::string(graph) + "\nvalues exact seed 1\n");
  return parsed.ok() ? Dot(parsed->value) : parsed.error().Text();
}

constexpr std::string_view kCut =
    "graph {\n T0 = input f32[4]\n T1 = input f32[4]\n T2 = relu(T0)\n T3 = segment_set(T2)\n T4 = "
    "add(T3, T1)\n T0 <- T2\n output T4\n}";

TEST(Dot, DrawsUpdatesAsRedDashedEdgesBackToTheInput) {
  EXPECT_THAT(DotOf(kCut), HasSubstr("\"T2\" -> \"T0\" [color=red, fontcolor=red, style=dashed, "
                                     "constraint=false, label=\"T0 <- T2\"]"));
}

TEST(Dot, FramesSegmentsAndDrawsCutsAsBars) {
  EXPECT_THAT(
      DotOf(kCut),
      AllOf(HasSubstr("label=\"segment 0\""), HasSubstr("label=\"segment 1\""),
            HasSubstr("xlabel=\"T3 = segment_set\", shape=box, style=filled, fillcolor=black")));
}

TEST(Dot, FramesInputsThatShareStorage) {
  EXPECT_THAT(
      DotOf(
          "graph {\n a = input f32[4] in S\n b = input f32[4] in S at 2\n c = neg(b)\n a <- c\n}"),
      HasSubstr("subgraph cluster_storage_S {\n  label=\"storage S\""));
}

TEST(Dot, TakesNamesThatAreWordsOfGraphviz) {
  EXPECT_THAT(DotOf("graph {\n node = input f32[4]\n edge = neg(node)\n output edge\n}"),
              AllOf(HasSubstr("\"node\" -> \"edge\";"), Not(HasSubstr("  node -> "))));
}

TEST(Dot, Renders) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "graphviz is not installed";
  FILE* dot = popen("dot -Tsvg >/dev/null", "w");
  const std::string text = DotOf(kCut);
  std::fwrite(text.data(), 1, text.size(), dot);
  EXPECT_EQ(pclose(dot), 0);
}

}  // namespace
}  // namespace seamfuzz
