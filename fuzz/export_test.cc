// Exported nvFuser scripts: what they say, that Python reads them, that importing them gives the
// same answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/foreign/export_nvfuser.h"
#include "fuzz/files.h"
#include "fuzz/import_nvfuser.h"
#include "fuzz/script_expectation.h"
#include "generator/case/text.h"
#include "generator/case/values.h"
#include "generator/draw/draw.h"
#include "oracle/interpret.h"

namespace seamfuzz {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Case Parsed(std::string_view graph) {
  Result<ParsedCase> parsed =
      ParseCase("seamfuzz 1\n" + std::string(graph) + "\nvalues exact seed 1\n");
  EXPECT_TRUE(parsed.ok()) << parsed.error().Text();
  return std::move(parsed->value);
}
std::string Script(const Case& c) {
  const Result<ScriptExpectation> expectation = ExpectationOf(c);
  EXPECT_TRUE(expectation.ok());
  return ExportNvfuser(c, &*expectation);
}
std::string Script(std::string_view graph) { return Script(Parsed(graph)); }

TEST(ExportNvfuser, KeepsTheCutInOneDefinitionOnly) {
  EXPECT_THAT(Script("graph {\n T0 = input f32[10, 2]\n T1 = input f32[2, 10, 2]\n T2 = relu(T0)\n "
                     "T3 = segment_set(T0)\n"
                     " T4 = add(T3, T1)\n T0 <- T2\n output T4\n}"),
              AllOf(HasSubstr("def monolithic(fd):\n"
                              "    T0 = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], "
                              "dtype=DataType.Float, is_cpu=False)\n"
                              "    T1 = fd.define_tensor(shape=[-1, -1, -1], contiguity=[True, "
                              "True, True], dtype=DataType.Float, is_cpu=False)\n"
                              "    T2 = fd.ops.relu(T0)\n"
                              "    T4 = fd.ops.add(T0, T1)\n"
                              "    fd.add_output(T2, T0)\n"
                              "    fd.add_output(T4)\n"),
                    HasSubstr("    T3 = fd.ops.segment_set(T0)\n    T4 = fd.ops.add(T3, T1)\n")));
}

TEST(ExportNvfuser, DeclaresLayouts) {
  EXPECT_THAT(Script("graph {\n w = input f32[4, 3] strides [1, 4]\n x = input f32[4, 3] strides "
                     "[3, 0]\n y = input f32[4, 1]\n z = input f32[4, 3] strides [6, 2]\n"
                     " output w\n output x\n output y\n output z\n}"),
              AllOf(HasSubstr("w = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], "
                              "dtype=DataType.Float, is_cpu=False, stride_order=[0, 1])"),
                    HasSubstr("x = fd.define_tensor(shape=[-1, -1], contiguity=[False, None], "
                              "dtype=DataType.Float, is_cpu=False)"),
                    HasSubstr("y = fd.define_tensor(shape=[-1, 1], contiguity=[True, None], "
                              "dtype=DataType.Float, is_cpu=False)"),
                    HasSubstr("z = fd.define_tensor(shape=[-1, -1], contiguity=[True, False], "
                              "dtype=DataType.Float, is_cpu=False)")));
}

TEST(ExportNvfuser, SharesStorageBetweenInputs) {
  EXPECT_THAT(
      Script(
          "graph {\n x = input f32[4] in S\n y = input f32[4] in S at 2\n z = neg(y)\n x <- z\n}"),
      HasSubstr("    (\"x\", 0, \"f32\", [4], [1], 0),\n    (\"y\", 0, \"f32\", [4], [1], 2),\n"));
}

TEST(ExportNvfuser, GivesEachUpdateAnOutputOfItsOwn) {
  EXPECT_THAT(Script("graph {\n x = input f32[4]\n y = input f32[4]\n x <- y\n y <- x\n}"),
              AllOf(HasSubstr("fd.add_output(fd.ops.set(y), x)"),
                    HasSubstr("fd.add_output(fd.ops.set(x), y)")));
}

TEST(ExportNvfuser, JudgesTheSecondCallWhereTheFirstLeavesNoChoice) {
  const Case c = Parsed("graph {\n a = input f32[1]\n b = add(a, 1)\n a <- b\n}");
  const Result<ScriptExpectation> expectation = ExpectationOf(c);
  ASSERT_EQ(expectation->segmented.size(), 2u);
  EXPECT_EQ(expectation->segmented[1][0].elements[0].low.f,
            expectation->segmented[0][0].elements[0].low.f + 1);
}

TEST(ExportNvfuser, SaysWhichOpNvfuserLacks) {
  EXPECT_EQ(
      Unspeakable(Parsed("graph {\n a = input f32[4]\n b = flip(a, dims=[0])\n output b\n}").graph,
                  kNvfuserDialect),
      "nvfuser has no op flip");
}

TEST(ExportNvfuser, SaysThatSlicesHaveNoStride) {
  EXPECT_EQ(NvfuserLacks(Parsed("graph {\n x = input f32[4]\n y = slice(x, start=[0], end=[4], "
                                "stride=[2])\n output y\n}")),
            "nvfuser has no slice with a stride: y");
}

// The same case with one lane away from its default.
Case With(Case c, std::string_view lane, std::string_view value) {
  c.schedule.lanes[std::string(lane)] = value;
  return c;
}

TEST(ExportNvfuser, MakesAFirstCallOfOtherSizes) {
  const Case c = Parsed(
      "graph {\n x = input f32[4, 3] strides [1, 4]\n y = input f32[3]\n z = add(x, y)\n output "
      "z\n}");
  EXPECT_THAT(Script(With(c, "first_call", "other_sizes")),
              AllOf(HasSubstr("    ([8, 6], [1, 8]),\n    ([6], [1]),\n]"),
                    HasSubstr("define_tensor(shape=[-1, -1], ")));
}

TEST(ExportNvfuser, FirstCallLeavesSizesThatTheTextHolds) {
  const Case c = Parsed(
      "graph {\n x = input f32[4, 3]\n y = broadcast_in_dim(x, shape=[2, 4, 3], dims=[1, 2])\n z = "
      "sum(x, dims=[0])\n output z\n}");
  EXPECT_EQ(NvfuserLacks(With(c, "first_call", "other_sizes")),
            "nvfuser takes no other sizes where the definition names them: lane first_call");
}

TEST(ExportNvfuser, FirstCallNeedsSymbolicSizes) {
  const Case c = With(Parsed("graph {\n x = input f32[4]\n y = neg(x)\n output y\n}"), "first_call",
                      "other_sizes");
  EXPECT_EQ(NvfuserLacks(c), "");
  EXPECT_NE(NvfuserLacks(With(c, "shapes", "fixed")), "");
}

TEST(ExportNvfuser, GivesSwitchesToEachCall) {
  const Case c = Parsed("graph {\n x = input f32[4]\n y = neg(x)\n output y\n}");
  EXPECT_THAT(Script(With(c, "disable", "index_hoist")),
              HasSubstr("ENABLE = []\nDISABLE = [\"index_hoist\"]\n"));
}

// Seen on an H200 with nvFuser 0.2.36: NVRTC finds no operator for 16-bit operands.
TEST(ExportNvfuser, CastsAround16BitArithmetic) {
  EXPECT_THAT(Script("graph {\n x = input f16[4]\n y = add(x, 1.0)\n z = neg(y)\n output z\n}"),
              HasSubstr("    w0 = fd.ops.cast(x, dtype=DataType.Float)\n"
                        "    w1 = fd.ops.add(w0, 1.0)\n"
                        "    y = fd.ops.cast(w1, dtype=DataType.Half)\n"
                        "    w2 = fd.ops.cast(y, dtype=DataType.Float)\n"
                        "    w3 = fd.ops.neg(w2)\n"
                        "    z = fd.ops.cast(w3, dtype=DataType.Half)\n"
                        "    fd.add_output(z)\n"));
}

TEST(ExportNvfuser, CastsInsteadOfReducingAScalarTensor) {
  EXPECT_THAT(Script("graph {\n x = input i32[]\n y = sum(x)\n output y\n}"),
              HasSubstr("y = fd.ops.cast(x, dtype=DataType.Int)\n"));
}

TEST(ExportNvfuser, WritesIntegersAsIntegers) {
  EXPECT_THAT(Script("graph {\n x = input i32[4]\n y = pad(x, low=[1], high=[0], value=3)\n z = "
                     "select(y, dim=0, index=2)\n output z\n}"),
              AllOf(HasSubstr("fd.ops.pad(x, [1, 0], fd.define_scalar(3, dtype=DataType.Int32))"),
                    HasSubstr("fd.ops.select(y, fd.define_scalar(2, dtype=DataType.Int), 0)")));
}

// Draws until `wanted` cases can be spelled for nvFuser.
std::vector<Case> Spelled(int wanted, const DrawConfig& config) {
  std::vector<Case> cases;
  for (uint64_t index = 0; static_cast<int>(cases.size()) < wanted; ++index) {
    Case c = DrawCase(7, index, config);
    const bool spelled = Unspeakable(c.graph, kNvfuserDialect).empty() && NvfuserLacks(c).empty();
    if (spelled) cases.push_back(std::move(c));
  }
  return cases;
}

TEST(ExportNvfuser, EveryScriptIsPython) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "seamfuzz_export_nvfuser";
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const Case& c : Spelled(40, DrawConfig{})) {
    ASSERT_TRUE(WriteFile(folder / fmt::format("case_{}.py", number++), Script(c)).ok());
  }
  EXPECT_EQ(std::system(fmt::format("python3 -m compileall -q {}", folder.string()).c_str()), 0);
  std::filesystem::remove_all(folder);
}

// Same graph twice, by two pieces of code that share nothing but the language: what the exporter
// writes as nvFuser text, the importer reads back to the same answers.
TEST(ExportNvfuser, ImportingAScriptGivesTheSameAnswers) {
  DrawConfig config;
  config.strides = false;
  config.shared_storage = false;
  config.schedule = false;
  int64_t compared = 0;
  for (Case& c : Spelled(300, config)) {
    c.schedule.lanes["shapes"] = "fixed";
    const std::string script = ExportNvfuser(c, nullptr);
    const Result<std::vector<ImportedCase>> imported = ImportNvfuser(script);
    ASSERT_TRUE(imported.ok()) << imported.error().Text() << "\n" << script;
    ASSERT_EQ(imported->size(), 2u) << script;
    const std::vector<StorageBytes> entry = EntryBytes(c);
    const Result<Reference> want = Interpret(c.graph, Mode::kSegmented, entry);
    const Graph& graph = (*imported)[1].value.graph;
    const Result<Reference> got = Interpret(graph, Mode::kSegmented, entry);
    ASSERT_TRUE(want.ok() && got.ok()) << script;
    ASSERT_EQ(graph.effects().size(), c.graph.effects().size()) << script;
    for (size_t e = 0; e < graph.effects().size(); ++e) {
      const PermittedTensor& a = want->values[static_cast<size_t>(c.graph.effects()[e].value)];
      const PermittedTensor& b = got->values[static_cast<size_t>(graph.effects()[e].value)];
      ASSERT_EQ(a.dtype, b.dtype) << script;
      ASSERT_EQ(a.shape, b.shape) << script;
      for (int64_t i = 0; i < NumElements(a.shape); ++i) {
        if (!a.IsPoint(i) || !b.IsPoint(i)) continue;
        ++compared;
        ASSERT_EQ(a.Text(i), b.Text(i)) << Print(c) << script;
      }
    }
  }
  EXPECT_GT(compared, 10000);
}

}  // namespace
}  // namespace seamfuzz
