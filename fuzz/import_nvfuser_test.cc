// Scripts as people file them -> cases.
#include "fuzz/import_nvfuser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/files.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// The graph of the only case, or the error.
std::string Imported(std::string_view source) {
  const Result<std::vector<ImportedCase>> cases = ImportNvfuser(source);
  if (!cases.ok()) return cases.error().Text();
  return cases->size() == 1 ? Print(cases->front().value) : fmt::format("{} cases", cases->size());
}

// A definition of x and y with the given body.
std::string Body(std::string_view lines) {
  return Imported(
      fmt::format("def f(fd):\n    x = fd.define_tensor([4, 3], dtype=DataType.Float)\n"
                  "    y = fd.define_tensor([4, 3], dtype=DataType.Half)\n{}",
                  lines));
}

std::vector<std::string> Names(std::string_view file) {
  const Result<std::string> source =
      ReadFile(fmt::format("{}/corpus/imports/{}", SEAMFUZZ_SOURCE_DIR, file));
  const Result<std::vector<ImportedCase>> cases = ImportNvfuser(*source);
  std::vector<std::string> names;
  for (const ImportedCase& c : *cases) names.push_back(c.name);
  return names;
}

TEST(Import, NamesEachFusionAfterItsFunction) {
  EXPECT_THAT(Names("legacy_relu_second_reader.py"), ElementsAre("one_fusion", "two_segments"));
  EXPECT_THAT(Names("direct_running_mean.py"), ElementsAre(""));
}

TEST(Import, KeepsNamesOrderAndTheCut) {
  const Result<std::string> source =
      ReadFile(fmt::format("{}/corpus/imports/legacy_relu_second_reader.py", SEAMFUZZ_SOURCE_DIR));
  const Result<std::vector<ImportedCase>> cases = ImportNvfuser(*source);
  EXPECT_THAT(Print((*cases)[1].value), HasSubstr("graph {\n"
                                                  "  base = input f32[10, 2]\n"
                                                  "  wide = input f32[2, 10, 2]\n"
                                                  "  clipped = relu(base)\n"
                                                  "  barrier = segment_set(base)\n"
                                                  "  total = add(barrier, wide)\n"
                                                  "  base <- clipped\n"
                                                  "  output total\n"
                                                  "}\n"));
}

TEST(Import, ReadsThe2022Frontend) {
  EXPECT_THAT(Imported("from torch._C._nvfuser import Fusion, FusionDefinition\n"
                       "fs = Fusion()\n"
                       "with FusionDefinition(fs) as fd:\n"
                       "    t0 = fd.define_tensor(3)\n"
                       "    s0 = fd.define_scalar()\n"
                       "    c0 = fd.define_constant(3.0)\n"
                       "    t1 = fd.ops.sum(fd.ops.mul(fd.ops.mul(t0, c0), s0), [-1], False)\n"
                       "    fd.add_output(t1)\n"
                       "a = torch.ones(2, 4, 8, device='cuda')\n"
                       "for _ in range(5):\n"
                       "    outputs = fs.execute([a, 2.0])\n"),
              testing::AllOf(HasSubstr("t0 = input f32[2, 4, 8]\n  s0 = input scalar f64\n"),
                             HasSubstr("sum(T3, dims=[2])"), HasSubstr("data s0 [2]")));
}

TEST(Import, ReadsThe2023Keywords) {
  EXPECT_THAT(
      Imported("def f(fd):\n"
               "    a = fd.define_tensor(symbolic_sizes=[-1, 1], contiguity=[True, None], "
               "dtype=DataType.BFloat16)\n"
               "    b = fd.ops.reshape(a, original_shape=[8, 1], new_shape=[2, 4])\n"
               "    v, m = fd.ops.var_mean(b, axes=[1], correction=0, keepdim=True)\n"
               "    fd.add_output(v)\n"
               "    fd.add_output(m)\n"
               "inputs = [torch.randn(8, 1)]\n"),
      testing::AllOf(HasSubstr("a = input bf16[8, 1]"), HasSubstr("reshape(a, shape=[2, 4])"),
                     HasSubstr("v = var(b, dims=[1], keepdim=true, correction=0)"),
                     HasSubstr("m = mean(b, dims=[1], keepdim=true)")));
}

TEST(Import, ReadsAnIssueTextWithFences) {
  EXPECT_THAT(
      Imported(
          "# It's broken (see below\n```python\ndef f(fd: FusionDefinition):\n  a = "
          "fd.define_tensor([2])\n"
          "  fd.add_output(fd.ops.relu(a), alias_input=a)\n```\ngives\n```\nTraceback (\n```\n"),
      HasSubstr("a = input f32[2]\n  T1 = relu(a)\n  a <- T1\n"));
}

TEST(Import, ReadsATestMethod) {
  EXPECT_THAT(Imported("class TestAlias(TestCase):\n"
                       "    @skipIf(True, 'x')\n"
                       "    def test_it(self):\n"
                       "        inputs = [torch.randn(5, device='cuda')]\n"
                       "        def fusion_func(fd: FusionDefinition):\n"
                       "            a = fd.from_pytorch(inputs[0])\n"
                       "            fd.add_output(fd.ops.neg(a))\n"
                       "        out, _ = self.exec_nvfuser(fusion_func, inputs)\n"
                       "        self.assertEqual(out[0], {'a': [1 < 2 < 3]})\n"),
              HasSubstr("a = input f32[5]"));
}

TEST(Import, UnrollsLoopsAndCallsHelpers) {
  EXPECT_THAT(Body("    def twice(v, times=2):\n        return v * times\n"
                   "    for i in range(2):\n        x = twice(x)\n    fd.add_output(x)\n"),
              HasSubstr("x_2 = mul(x, 2)\n  x_3 = mul(x_2, 2)\n  output x_3"));
}

TEST(Import, ReadsOperatorsAsOps) {
  EXPECT_THAT(Body("    z = -x + y / 2.0 > abs(x)\n    fd.add_output(z)\n"),
              testing::AllOf(HasSubstr("neg(x)"), HasSubstr("div(y, 2.0)"), HasSubstr("abs(x)"),
                             HasSubstr("z = gt(")));
}

TEST(Import, FoldsSizesToConstants) {
  EXPECT_THAT(Body("    n = fd.ops.size(x, 0)\n    v = x.shape()\n"
                   "    z = fd.ops.reshape(x, [fd.ops.div(fd.ops.mul(n, v[1]), 2), "
                   "fd.ops.at(fd.ops.define_vector, 0) if False else 2])\n"
                   "    fd.add_output(z)\n"),
              HasSubstr("z = reshape(x, shape=[6, 2])"));
}

TEST(Import, CastsBeforeAReductionWithADType) {
  EXPECT_THAT(Body("    fd.add_output(fd.ops.sum(y, dims=[1], dtype=DataType.Float))\n"),
              HasSubstr("T2 = cast(y, dtype=f32)\n  T3 = sum(T2, dims=[1])"));
  EXPECT_THAT(Body("    fd.add_output(fd.ops.max(y, 0, True, DataType.Null))\n"),
              HasSubstr("amax(y, dims=[0], keepdim=true)"));
}

TEST(Import, MapsShapeOps) {
  EXPECT_THAT(Body("    fd.add_output(fd.ops.broadcast(x, [True, False, False]))\n"),
              HasSubstr("broadcast_in_dim(x, shape=[1, 4, 3], dims=[1, 2])"));
  EXPECT_THAT(Body("    fd.add_output(fd.ops.pad(x, [1, 2], 0.5))\n"),
              HasSubstr("pad(x, low=[0, 1], high=[0, 2], value=0.5)"));
  EXPECT_THAT(Body("    fd.add_output(fd.ops.slice(x, start_indices=[1, -2], end_indices=[9, -1], "
                   "strides=[1, 1]))\n"),
              HasSubstr("slice(x, start=[1, 1], end=[4, 2])"));
  EXPECT_THAT(Body("    fd.add_output(fd.ops.squeeze(fd.ops.sum(x, [-1], True), dims=[1]))\n"),
              HasSubstr("squeeze(T2, dims=[1])"));
}

TEST(Import, TakesLayoutsFromTheInputs) {
  EXPECT_THAT(
      Imported("def f(fd):\n    a = fd.define_tensor([-1, -1])\n    fd.add_output(fd.ops.neg(a))\n"
               "inputs = [torch.randn((40,)).as_strided((4, 3), (1, 10))]\n"),
      HasSubstr("a = input f32[4, 3] strides [1, 10]"));
  EXPECT_THAT(Imported("def f(fd):\n    a = fd.define_tensor([4, 3], contiguity=[True, False], "
                       "stride_order=[0, 1])\n"
                       "    fd.add_output(fd.ops.neg(a))\n"),
              HasSubstr("a = input f32[4, 3] strides [2, 8]"));
}

TEST(Import, SeesThatInputsShareStorage) {
  EXPECT_THAT(Imported("base = torch.randn(8)\ninputs = [base[0:4], base[2:6]]\n"
                       "with FusionDefinition() as fd:\n    a = fd.from_pytorch(inputs[0])\n    b "
                       "= fd.from_pytorch(inputs[1])\n"
                       "    fd.add_output(fd.ops.neg(b), a)\nfd.execute(inputs)\n"),
              HasSubstr("a = input f32[4] in S\n  b = input f32[4] in S at 2\n"));
  EXPECT_THAT(
      Imported(
          "base = torch.randn(8)\nwith FusionDefinition() as fd:\n    a = fd.define_tensor([-1])\n"
          "    b = fd.define_tensor([-1])\n    fd.add_output(fd.ops.neg(b), a)\n"
          "fd.execute([i.clone() for i in (base, base)])\n"),
      HasSubstr("a = input f32[8]\n  b = input f32[8]\n"));
}

TEST(Import, ChoosesEqualSizesOnlyWhereOpsWantThem) {
  EXPECT_THAT(
      Imported("def f(fd):\n    a = fd.define_tensor([-1, -1])\n    b = fd.define_tensor([-1])\n   "
               " c = fd.define_tensor([-1, 6])\n"
               "    fd.add_output(fd.ops.add(a, b))\n    fd.add_output(fd.ops.matmul(a, c))\n"),
      HasSubstr("a = input f32[3, 4]\n  b = input f32[4]\n  c = input f32[4, 6]\n"));
}

TEST(Import, GivesIndicesInRange) {
  EXPECT_THAT(Body("    i = fd.define_tensor([5], dtype=DataType.Int)\n    "
                   "fd.add_output(fd.ops.index_select(x, i, 1))\n"),
              HasSubstr("data i [2, 1, 0, 2, 1]"));
}

TEST(Import, ChoosesTheLaneByTheOps) {
  EXPECT_THAT(Body("    fd.add_output(x * 2)\n"), HasSubstr("values exact seed 1"));
  EXPECT_THAT(Body("    fd.add_output(x * 0.5)\n"), HasSubstr("values bounded seed 1"));
}

TEST(Import, KeepsLinks) {
  EXPECT_THAT(Imported("# From https://github.com/NVIDIA/Fuser/issues/2839.\ndef f(fd):\n    a = "
                       "fd.define_tensor([2])\n    fd.add_output(a)\n"),
              testing::AllOf(HasSubstr("# From https"),
                             HasSubstr("origin https://github.com/NVIDIA/Fuser/issues/2839\n")));
}

TEST(Import, KeepsSpecialConstants) {
  EXPECT_THAT(Body("    fd.add_output(fd.ops.where(fd.ops.gt(x, 1e-5), x, "
                   "fd.define_scalar(float(\"-inf\"), dtype=DataType.Float)))\n"),
              testing::AllOf(HasSubstr("gt(x, 1e-05)"), HasSubstr("where(T2, x, -inf)")));
}

TEST(Import, NamesWhatTheLanguageLacks) {
  EXPECT_EQ(Body("    a = fd.ops.sdpfa_fwd(x, y)\n"),
            "4:9: unsupported_op: fd.ops.sdpfa_fwd has no equivalent");
  EXPECT_EQ(Body("    a = fd.ops.cast(x, dtype=DataType.ComplexFloat)\n"),
            "4:9: unsupported_dtype: DataType.ComplexFloat has no equivalent");
}

TEST(Import, PointsAtTheMistake) {
  EXPECT_EQ(Body("    a = fd.ops.relu(x)\n    fd.add_output(x, a)\n"),
            "5:5: update_target: fd.add_output: what it should update is computed, not an input");
  EXPECT_THAT(Body("    z = fd.ops.add(x, fd.ops.permute(x, [1, 0]))\n"),
              StartsWith("4:9: broadcast: add:"));
  EXPECT_EQ(Body("    fd.add_output(mystery(fd, x))\n"),
            "4:19: unknown_function: mystery takes the definition but is not in the script");
  EXPECT_EQ(Body("    fd.add_output(fd.ops.relu(get()))\n"),
            "4:19: unknown_value: an operand cannot be known without running the script");
  EXPECT_EQ(Body("    if random() > 1:\n        pass\n"),
            "4:5: unsupported_statement: the condition cannot be known without running the script");
}

TEST(Import, ReadsFilesFromWindows) {
  EXPECT_THAT(Imported("\xEF\xBB\xBF# A note.\r\ndef f(fd):\r\n    a = fd.define_tensor([2])\r\n"
                       "    fd.add_output(fd.ops.neg(\r\n        a))\r\n"),
              testing::AllOf(HasSubstr("# A note.\n"), HasSubstr("T1 = neg(a)\n  output T1\n")));
}

TEST(Import, SaysThatAScriptHasNoFusion) {
  EXPECT_EQ(Imported("def f(x):\n    return x.relu()\n"),
            "1:1: no_fusion: no FusionDefinition here");
  EXPECT_THAT(Imported("\x01\xff("), HasSubstr("no_fusion"));
  EXPECT_THAT(Imported(""), HasSubstr("no_fusion"));
}

TEST(Import, RefusesAbsurdSizes) {
  EXPECT_THAT(Imported("def f(fd):\n    a = fd.define_tensor([1099511627776, 1099511627776])\n    "
                       "fd.add_output(a)\n"),
              HasSubstr("element_limit"));
}

}  // namespace
}  // namespace seamfuzz
