// The op table against examples from the documentation of PyTorch, JAX and NumPy: a source that
// shares no code with us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "generator/ir/graph.h"
#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Scalar FromNumber(double value, DType dtype) {
  return Convert(FloatScalar(value), DType::kF64, dtype);
}
double ToNumber(Scalar value, DType dtype) {
  return IsFloat(dtype) ? value.f : static_cast<double>(value.i);
}

// The op on lists of numbers, element by element; a list of one number is a literal.
Numbers Elementwise(std::string_view op, const std::vector<Numbers>& operands,
                    DType dtype = DType::kF32) {
  const OpRow& row = Row(*FindOp(op));
  size_t length = 0;
  for (const Numbers& list : operands) length = std::max(length, list.size());
  const DType compute = row.types == TypeRule::kLogical ? DType::kBool : dtype;
  Numbers results;
  for (size_t i = 0; i < length; ++i) {
    std::vector<Scalar> point;
    for (const Numbers& list : operands) {
      const Scalar given = FromNumber(list.size() == 1 ? list[0] : list[i], dtype);
      point.push_back(Convert(given, dtype, compute));
    }
    const DType result = EvaluatedDType(row, compute);
    results.push_back(ToNumber(Round(result, row.evaluate(point, compute)), result));
  }
  return results;
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct ElementwiseExample {
  std::string_view op;
  std::vector<Numbers> operands;
  Numbers expected;
  DType dtype = DType::kF32;
};

// Numbers are printed there with four decimals: operands and results may be off by half of the
// last. Where the op is continuous a result is right if it lies among what the op gives for
// operands that far apart; elsewhere the examples are exact.
bool Explains(const ElementwiseExample& example, size_t i) {
  const Monotone monotone = Row(*FindOp(example.op)).monotone;
  if (monotone != Monotone::kCorners && monotone != Monotone::kPeriodic) return false;
  constexpr double kHalf = 0.5e-4;
  double low = kInf, high = -kInf;
  for (double step : {-kHalf, 0.0, kHalf}) {
    std::vector<Numbers> moved;
    for (const Numbers& list : example.operands) {
      moved.push_back(list);
      if (list.size() == 1) continue;  // a literal, exact
      for (double& value : moved.back()) value += step;
    }
    const double value = Elementwise(example.op, moved, example.dtype)[i];
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low - kHalf <= example.expected[i] && example.expected[i] <= high + kHalf;
}

// https://pytorch.org/docs/stable/generated/torch.NAME.html for each NAME; those with an empty
// example there follow from the definition that the page gives, at points where it is a known
// constant.
TEST(Elementwise, AgreesWithTheExamplesOfPyTorch) {
  const ElementwiseExample examples[] = {
      {"abs", {{-1, -2, 3}}, {1, 2, 3}, DType::kI64},
      {"neg", {{0.0090, -0.2262, -0.0682}}, {-0.0090, 0.2262, 0.0682}},
      {"sign", {{0.7, -1.2, 0, 2.3}}, {1, -1, 0, 1}},
      {"exp", {{0, std::log(2)}}, {1, 2}},
      {"exp2", {{0, 1, 3, 4}}, {1, 2, 8, 16}},
      {"expm1", {{0, std::log(2)}}, {0, 1}},
      {"log",
       {{4.7767, 4.3234, 1.2156, 0.2411, 4.5739}},
       {1.5637, 1.4640, 0.1952, -1.4226, 1.5204}},
      {"log2", {{0.8419, 0.8003, 0.9971, 0.5287}}, {-0.2483, -0.3213, -0.0042, -0.9196}},
      {"log1p", {{-1.0090, 1.0249, -0.5372, 0.2492}}, {kNan, 0.7055, -0.7705, 0.2225}},
      {"sqrt", {{-2.0755, 1.0226, 0.0831, 0.4806}}, {kNan, 1.0112, 0.2883, 0.6933}},
      {"rsqrt", {{-0.0370, 0.2970, 1.5420, -0.9105}}, {kNan, 1.8351, 0.8053, kNan}},
      {"reciprocal", {{-0.4595, -2.1219, -1.4314, 0.7298}}, {-2.1763, -0.4713, -0.6986, 1.3702}},
      {"sin", {{-0.5461, 0.1347, -2.7266, -0.2746}}, {-0.5194, 0.1343, -0.4032, -0.2711}},
      {"cos", {{1.4309, 1.2706, -0.8562, 0.9796}}, {0.1395, 0.2957, 0.6553, 0.5574}},
      {"tanh", {{0.8986, -0.7279, 1.1745, 0.2611}}, {0.7156, -0.6218, 0.8257, 0.2553}},
      {"sigmoid", {{0.9213, 1.0887, -0.8858, -1.7683}}, {0.7153, 0.7481, 0.2920, 0.1458}},
      {"silu", {{0, 1, -1}}, {0, 0.7311, -0.2689}},
      {"erf", {{0, -1, 10}}, {0, -0.8427, 1}},
      {"relu", {{-1, 0, 2.5, kNan}}, {0, 0, 2.5, kNan}},
      {"floor", {{-0.8166, 1.5308, -0.2530, -0.2091}}, {-1, 1, -1, -1}},
      {"ceil", {{-0.6341, -1.4208, -1.0900, 0.5826}}, {0, -1, -1, 1}},
      {"round", {{4.7, -2.3, 9.1, -7.7}}, {5, -2, 9, -8}},
      {"round", {{-0.5, 0.5, 1.5, 2.5}}, {0, 0, 2, 2}},
      {"trunc", {{3.4742, 0.5466, -0.8008, -0.9079}}, {3, 0, 0, 0}},
      {"isfinite", {{1, kInf, 2, -kInf, kNan}}, {1, 0, 1, 0, 0}},
      {"isinf", {{1, kInf, 2, -kInf, kNan}}, {0, 1, 0, 1, 0}},
      {"isnan", {{1, kNan, 2}}, {0, 1, 0}},
      {"signbit", {{0.7, -1.2, 0, 2.3, -0.0}}, {0, 1, 0, 0, 1}},
      {"logical_not", {{0, 1, -10}}, {1, 0, 0}, DType::kI8},
      {"logical_not", {{0, 1.5, -10}}, {1, 0, 0}, DType::kF64},
      {"bitwise_not", {{-1, -2, 3}}, {0, 1, -4}, DType::kI8},
      {"bitwise_and", {{-1, -2, 3}, {1, 0, 3}}, {1, 0, 3}, DType::kI8},
      {"bitwise_or", {{-1, -2, 3}, {1, 0, 3}}, {-1, -2, 3}, DType::kI8},
      {"bitwise_xor", {{-1, -2, 3}, {1, 0, 3}}, {-2, -2, 0}, DType::kI8},
      {"bitwise_xor", {{1, 1, 0}, {0, 1, 0}}, {1, 0, 0}, DType::kBool},
      {"logical_and", {{0, 1, 10, 0}, {4, 0, 1, 0}}, {0, 0, 1, 0}, DType::kI8},
      {"logical_or", {{0, 1, 10, 0}, {4, 0, 1, 0}}, {1, 1, 1, 0}, DType::kI8},
      {"fmod", {{-3, -2, -1, 1, 2, 3}, {2}}, {-1, 0, -1, 1, 0, 1}},
      {"fmod", {{1, 2, 3, 4, 5}, {-1.5}}, {1, 0.5, 0, 1, 0.5}},
      {"remainder", {{-3, -2, -1, 1, 2, 3}, {2}}, {1, 0, 1, 1, 0, 1}},
      {"remainder", {{1, 2, 3, 4, 5}, {-1.5}}, {-0.5, -1, 0, -0.5, -1}},
      {"pow", {{0.4331, 1.2475, 0.6834, -0.2791}, {2}}, {0.1875, 1.5561, 0.4670, 0.0779}},
      {"pow", {{1, 2, 3, 4}, {1, 2, 3, 4}}, {1, 4, 27, 256}},
      {"atan2", {{1, -1, 0}, {1, 0, -1}}, {0.7854, -1.5708, 3.1416}},
      {"add", {{0.0202, 1.0985, 1.3506, -0.6056}, {20}}, {20.0202, 21.0985, 21.3506, 19.3944}},
      {"sub", {{1, 2}, {0, 1}}, {1, 1}, DType::kI64},
      {"mul", {{0.2015, -0.4255, 2.6087}, {100}}, {20.1494, -42.5491, 260.8663}},
      {"div",
       {{0.3810, 1.2774, -0.2972, -0.3719, 0.4637}, {0.5}},
       {0.7620, 2.5548, -0.5944, -0.7438, 0.9274}},
      {"maximum", {{1, 2, -1}, {3, 0, 4}}, {3, 2, 4}, DType::kI64},
      {"minimum", {{1, 2, -1}, {3, 0, 4}}, {1, 0, -1}, DType::kI64},
      {"maximum", {{1, kNan}, {kNan, 1}}, {kNan, kNan}},
      {"eq", {{1, 2, 3, 4}, {1, 1, 4, 4}}, {1, 0, 0, 1}},
      {"ne", {{1, 2, 3, 4}, {1, 1, 4, 4}}, {0, 1, 1, 0}},
      {"ge", {{1, 2, 3, 4}, {1, 1, 4, 4}}, {1, 1, 0, 1}},
      {"gt", {{1, 2, 3, 4}, {1, 1, 4, 4}}, {0, 1, 0, 0}},
      {"le", {{1, 2, 3, 4}, {1, 1, 4, 4}}, {1, 0, 1, 1}},
      {"lt", {{1, 2, 3, 4}, {1, 1, 4, 4}}, {0, 0, 1, 0}},
      {"clamp",
       {{-1.7120, 0.1734, -0.0478, -0.0922}, {-0.5}, {0.5}},
       {-0.5, 0.1734, -0.0478, -0.0922}},
      {"where", {{1, 0, 0, 1}, {0.3139, 0.3898, -0.7197, 0.0478}, {1}}, {0.3139, 1, 1, 0.0478}},
  };
  for (const ElementwiseExample& example : examples) {
    const Numbers got = Elementwise(example.op, example.operands, example.dtype);
    ASSERT_EQ(got.size(), example.expected.size()) << example.op;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(Same(got[i], example.expected[i]) || Explains(example, i))
          << example.op << " gives " << got[i] << " for " << example.expected[i];
    }
  }
}

// Integer ops wrap as torch.int8 does: 127 + 1, -(-128), 100 * 3.
TEST(Elementwise, IntegersWrap) {
  EXPECT_THAT(Elementwise("add", {{127}, {1}}, DType::kI8), ElementsAre(-128));
  EXPECT_THAT(Elementwise("neg", {{-128}}, DType::kI8), ElementsAre(-128));
  EXPECT_THAT(Elementwise("mul", {{100}, {3}}, DType::kI8), ElementsAre(44));
}

// ---- Moves and gathers: positions in operands -------------------------------------------------

Graph Parsed(std::string_view statements) {
  Result<Graph> graph = ParseGraph("graph { " + std::string(statements) + " }");
  EXPECT_TRUE(graph.ok()) << graph.error().Text();
  return *std::move(graph);
}

// The last node as a list: the row-major position, from `first` on, of the operand element that
// each result element is; -1 a fill.
std::vector<int64_t> Places(std::string_view statements, int64_t first = 0) {
  const Graph graph = Parsed(statements);
  const Node& node = graph.nodes().back();
  std::vector<TensorType> operands;
  for (const Operand& operand : node.operands) operands.push_back(graph.type(operand.value));
  std::vector<int64_t> places;
  IntList index = IntList::Filled(node.type.shape.size(), 0);
  if (NumElements(node.type.shape) == 0) return places;
  do {
    const Place place = node.row().place(index, operands, node.type, node.attrs);
    places.push_back(place.operand < 0 ? -1
                                       : first + 100 * place.operand +
                                             Ravel(place.index, operands[place.operand].shape));
  } while (NextIndex(index, node.type.shape));
  return places;
}

// https://pytorch.org/docs/stable/generated/torch.roll.html
TEST(Move, Roll) {
  EXPECT_THAT(Places("x = input f32[4, 2] y = roll(x, shift=[1], dims=[0])", 1),
              ElementsAre(7, 8, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Places("x = input f32[4, 2] y = roll(x, shift=[-1], dims=[0])", 1),
              ElementsAre(3, 4, 5, 6, 7, 8, 1, 2));
  EXPECT_THAT(Places("x = input f32[4, 2] y = roll(x, shift=[2, 1], dims=[0, 1])", 1),
              ElementsAre(6, 5, 8, 7, 2, 1, 4, 3));
}

// https://pytorch.org/docs/stable/generated/torch.flip.html
TEST(Move, Flip) {
  EXPECT_THAT(Places("x = input f32[2, 2, 2] y = flip(x, dims=[0, 1])"),
              ElementsAre(6, 7, 4, 5, 2, 3, 0, 1));
}

// https://pytorch.org/docs/stable/generated/torch.triu.html: what is kept on and above the
// diagonal.
TEST(Move, Triu) {
  EXPECT_THAT(Places("x = input f32[3, 3] y = triu(x)"), ElementsAre(0, 1, 2, -1, 4, 5, -1, -1, 8));
  EXPECT_THAT(Places("x = input f32[3, 3] y = triu(x, diagonal=1)"),
              ElementsAre(-1, 1, 2, -1, -1, 5, -1, -1, -1));
  EXPECT_THAT(Places("x = input f32[3, 3] y = triu(x, diagonal=-1)"),
              ElementsAre(0, 1, 2, 3, 4, 5, -1, 7, 8));
}

// https://numpy.org/doc/stable/user/basics.indexing.html: x[1:7:2] of 0..9.
TEST(Move, Slice) {
  EXPECT_THAT(Places("x = input f32[10] y = slice(x, start=[1], end=[7], stride=[2])"),
              ElementsAre(1, 3, 5));
}

// https://docs.jax.dev/en/latest/_autosummary/jax.lax.slice.html: rows 1 to 2 and columns 0 to 2 of
// a 3 x 4 arange.
TEST(Move, SliceOfAMatrix) {
  EXPECT_THAT(Places("x = input f32[3, 4] y = slice(x, start=[1, 0], end=[3, 2])"),
              ElementsAre(4, 5, 8, 9));
}

// https://numpy.org/doc/stable/reference/generated/numpy.pad.html: pad [1, 2, 3, 4, 5] by (2, 3).
TEST(Move, Pad) {
  EXPECT_THAT(Places("x = input f32[5] y = pad(x, low=[2], high=[3], value=4)", 1),
              ElementsAre(-1, -1, 1, 2, 3, 4, 5, -1, -1, -1));
}

// https://numpy.org/doc/stable/reference/generated/numpy.concatenate.html: a is 2 x 2, b 1 x 2,
// axis 0; then b.T, axis 1.
TEST(Move, Cat) {
  EXPECT_THAT(Places("a = input f32[2, 2] b = input f32[1, 2] y = cat(a, b, dim=0)"),
              ElementsAre(0, 1, 2, 3, 100, 101));
  EXPECT_THAT(Places("a = input f32[2, 2] b = input f32[2, 1] y = cat(a, b, dim=1)"),
              ElementsAre(0, 1, 100, 2, 3, 101));
  EXPECT_THAT(Places("a = input f32[0] b = input f32[2] y = cat(a, b, dim=0)"),
              ElementsAre(100, 101));
}

// https://numpy.org/doc/stable/reference/generated/numpy.transpose.html: [[0, 1], [2, 3]] gives
// [[0, 2], [1, 3]].
TEST(Move, Permute) {
  EXPECT_THAT(Places("x = input f32[2, 2] y = permute(x, dims=[1, 0])"), ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(Places("x = input f32[1, 2, 3] y = permute(x, dims=[2, 0, 1])"),
              ElementsAre(0, 3, 1, 4, 2, 5));
}

// https://numpy.org/doc/stable/reference/generated/numpy.reshape.html: arange(6) as 3 x 2.
TEST(Move, Reshape) {
  EXPECT_THAT(Places("x = input f32[2, 3] y = reshape(x, shape=[3, 2])"),
              ElementsAre(0, 1, 2, 3, 4, 5));
}

// https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html: [[1], [2], [3]] to 3 x 4.
TEST(Move, Expand) {
  EXPECT_THAT(Places("x = input f32[3, 1] y = expand(x, shape=[3, 4])", 1),
              ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
}

// https://openxla.org/stablehlo/spec#broadcast_in_dim, its operand [[1, 2, 3]] of 1 x 3 with the
// dims in rising order.
TEST(Move, BroadcastInDim) {
  EXPECT_THAT(
      Places("x = input f32[1, 3] y = broadcast_in_dim(x, shape=[2, 3, 2], dims=[0, 1])", 1),
      ElementsAre(1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3));
}

// https://pytorch.org/docs/stable/generated/torch.select.html: "equivalent to slicing": select(0,
// index) is tensor[index].
TEST(Move, Select) {
  EXPECT_THAT(Places("x = input f32[2, 3] y = select(x, dim=0, index=1)"), ElementsAre(3, 4, 5));
  EXPECT_THAT(Places("x = input f32[2, 3] y = select(x, dim=1, index=2)"), ElementsAre(2, 5));
}

// The last node, an Index op: the position in operand 0 that belongs to each index of the iteration
// space, `indices` being the elements of the index operand.
std::vector<int64_t> Resolved(std::string_view statements, const std::vector<int64_t>& indices) {
  const Graph graph = Parsed(statements);
  const Node& node = graph.nodes().back();
  const TensorType& data = graph.type(node.operands[0].value);
  const TensorType& index_type = graph.type(node.operands[node.row().index_operand].value);
  const Shape& space = node.row().scatters ? index_type.shape : node.type.shape;
  std::vector<int64_t> positions;
  IntList at = IntList::Filled(space.size(), 0);
  do {
    const int64_t value = indices[Ravel(node.row().index_at(at, node.attrs), index_type.shape)];
    positions.push_back(Ravel(node.row().resolve(at, value, node.attrs), data.shape));
  } while (NextIndex(at, space));
  return positions;
}

// https://pytorch.org/docs/stable/generated/torch.gather.html: [[1, 2], [3, 4]] gives [[1, 1], [4,
// 3]], as positions.
TEST(Index, Gather) {
  EXPECT_THAT(
      Resolved("x = input f32[2, 2] i = input i64[2, 2] y = gather(x, i, dim=1)", {0, 0, 1, 0}),
      ElementsAre(0, 0, 3, 2));
}

// https://pytorch.org/docs/stable/generated/torch.index_select.html: rows 0 and 2, columns 0 and 2
// of a 3 x 4.
TEST(Index, IndexSelect) {
  EXPECT_THAT(
      Resolved("x = input f32[3, 4] i = input i64[2] y = index_select(x, i, dim=0)", {0, 2}),
      ElementsAre(0, 1, 2, 3, 8, 9, 10, 11));
  EXPECT_THAT(
      Resolved("x = input f32[3, 4] i = input i64[2] y = index_select(x, i, dim=1)", {0, 2}),
      ElementsAre(0, 2, 4, 6, 8, 10));
}

// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html: index [[0, 1, 2, 0]] along
// dim 0 of a 3 x 5.
TEST(Index, Scatter) {
  EXPECT_THAT(
      Resolved(
          "x = input i64[3, 5] i = input i64[1, 4] s = input i64[1, 4] y = scatter(x, i, s, dim=0)",
          {0, 1, 2, 0}),
      ElementsAre(0, 6, 12, 3));
}

// https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html: rows of a 10 x 3
// table by a batch of 2 x 4.
TEST(Index, Embedding) {
  EXPECT_THAT(Resolved("w = input f32[10, 3] i = input i64[2, 1] y = embedding(w, i)", {9, 2}),
              ElementsAre(27, 28, 29, 6, 7, 8));
}

// ---- Shapes -----------------------------------------------------------------------------------

std::string ShapeOf(std::string_view statements) {
  return Parsed(statements).nodes().back().type.shape.Text();
}
std::string RuleOf(std::string_view statements) {
  const Result<Graph> graph = ParseGraph("graph { " + std::string(statements) + " }");
  return graph.ok() ? "" : graph.error().rule;
}

// https://pytorch.org/docs/stable/generated/torch.matmul.html
TEST(Shapes, Matmul) {
  EXPECT_EQ(ShapeOf("a = input f32[3] b = input f32[3] y = matmul(a, b)"), "[]");
  EXPECT_EQ(ShapeOf("a = input f32[3, 4] b = input f32[4] y = matmul(a, b)"), "[3]");
  EXPECT_EQ(ShapeOf("a = input f32[10, 3, 4] b = input f32[4] y = matmul(a, b)"), "[10, 3]");
  EXPECT_EQ(ShapeOf("a = input f32[10, 3, 4] b = input f32[10, 4, 5] y = matmul(a, b)"),
            "[10, 3, 5]");
  EXPECT_EQ(ShapeOf("a = input f32[10, 3, 4] b = input f32[4, 5] y = matmul(a, b)"), "[10, 3, 5]");
}

// https://pytorch.org/docs/stable/generated/torch.nn.functional.pad.html: 3 x 3 x 4 x 2 by p1d, p2d
// and p3d.
TEST(Shapes, Pad) {
  EXPECT_EQ(ShapeOf("x = input f32[3, 3, 4, 2] y = pad(x, low=[0, 0, 0, 1], high=[0, 0, 0, 1])"),
            "[3, 3, 4, 4]");
  EXPECT_EQ(ShapeOf("x = input f32[3, 3, 4, 2] y = pad(x, low=[0, 0, 2, 1], high=[0, 0, 2, 1])"),
            "[3, 3, 8, 4]");
  EXPECT_EQ(ShapeOf("x = input f32[3, 3, 4, 2] y = pad(x, low=[0, 3, 2, 0], high=[0, 3, 1, 1])"),
            "[3, 9, 7, 3]");
}

// https://pytorch.org/docs/stable/notes/broadcasting.html
TEST(Shapes, Broadcast) {
  EXPECT_EQ(ShapeOf("a = input f32[5, 3, 4, 1] b = input f32[3, 1, 1] y = add(a, b)"),
            "[5, 3, 4, 1]");
  EXPECT_EQ(ShapeOf("a = input f32[1] b = input f32[3, 1, 7] y = add(a, b)"), "[3, 1, 7]");
  EXPECT_EQ(RuleOf("a = input f32[5, 2, 4, 1] b = input f32[3, 1, 1] y = add(a, b)"), "broadcast");
}

TEST(Shapes, OfOtherExamplesOfPyTorch) {
  EXPECT_EQ(ShapeOf("x = input f32[2, 3, 5] y = permute(x, dims=[2, 0, 1])"),
            "[5, 2, 3]");  // torch.permute
  EXPECT_EQ(ShapeOf("x = input f32[2, 1, 2, 1, 2] y = squeeze(x, dims=[1, 3])"),
            "[2, 2, 2]");                                                       // torch.squeeze
  EXPECT_EQ(ShapeOf("x = input f32[4] y = unsqueeze(x, dims=[1])"), "[4, 1]");  // torch.unsqueeze
  EXPECT_EQ(ShapeOf("x = input f32[4, 5, 6] y = sum(x, dims=[2, 1])"), "[4]");  // torch.sum
  EXPECT_EQ(ShapeOf("x = input f32[4, 4] y = amax(x, dims=[1], keepdim=true)"),
            "[4, 1]");  // torch.amax
  EXPECT_EQ(ShapeOf("w = input f32[10, 3] i = input i64[2, 4] y = embedding(w, i)"),
            "[2, 4, 3]");  // F.embedding
  EXPECT_EQ(ShapeOf("x = input f32[128, 20] w = input f32[30, 20] y = linear(x, w)"),
            "[128, 30]");  // nn.Linear
}

// One rejected case for each label of a shape rule.
TEST(Shapes, BreakTheirRuleUnderItsLabel) {
  EXPECT_EQ(RuleOf("y = iota(shape=[2, 2], dtype=i64)"), "iota_shape");
  EXPECT_EQ(RuleOf("y = iota(shape=[2], value=0.5, dtype=i64)"), "iota_value");
  EXPECT_EQ(RuleOf("x = input f32[2] y = sum(x, dims=[1])"), "reduce_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = sum(x, dims=[0, 0])"), "reduce_dims");
  EXPECT_EQ(RuleOf("x = input f32[0] y = amax(x)"), "reduce_empty");
  EXPECT_EQ(RuleOf("x = input f32[0, 2] y = amin(x, dims=[1])"), "");
  EXPECT_EQ(RuleOf("x = input f32[] y = cumsum(x, dim=0)"), "scan_dim");
  EXPECT_EQ(RuleOf("x = input f32[2] y = broadcast_in_dim(x, shape=[2, 3], dims=[2])"),
            "broadcast_dims");
  EXPECT_EQ(RuleOf("x = input f32[2, 3] y = broadcast_in_dim(x, shape=[2, 3], dims=[1, 0])"),
            "broadcast_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = broadcast_in_dim(x, shape=[3], dims=[0])"),
            "broadcast_extent");
  EXPECT_EQ(RuleOf("x = input f32[2] y = expand(x, shape=[3, 2])"), "expand_shape");
  EXPECT_EQ(RuleOf("x = input f32[6] y = reshape(x, shape=[4])"), "reshape_elements");
  EXPECT_EQ(RuleOf("x = input f32[2, 3] y = permute(x, dims=[0, 0])"), "permute_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = squeeze(x, dims=[0])"), "squeeze_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = unsqueeze(x, dims=[2])"), "unsqueeze_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = slice(x, start=[0, 0], end=[1, 1])"), "slice_rank");
  EXPECT_EQ(RuleOf("x = input f32[2] y = slice(x, start=[0], end=[3])"), "slice_bounds");
  EXPECT_EQ(RuleOf("x = input f32[2] y = pad(x, low=[-1], high=[0])"), "pad_widths");
  EXPECT_EQ(RuleOf("x = input i8[2] y = pad(x, low=[1], high=[0], value=0.5)"), "pad_value");
  EXPECT_EQ(RuleOf("x = input f32[2] y = cat(x, dim=1)"), "cat_dim");
  EXPECT_EQ(RuleOf("x = input f32[2, 2] a = input f32[3, 3] y = cat(x, a, dim=0)"), "cat_shape");
  EXPECT_EQ(RuleOf("x = input f32[2] y = flip(x, dims=[1])"), "flip_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = roll(x, shift=[1, 1], dims=[0])"), "roll_dims");
  EXPECT_EQ(RuleOf("x = input f32[2] y = select(x, dim=1, index=0)"), "select_dim");
  EXPECT_EQ(RuleOf("x = input f32[2] y = select(x, dim=0, index=2)"), "select_index");
  EXPECT_EQ(RuleOf("x = input f32[2] y = triu(x)"), "triu_rank");
  EXPECT_EQ(RuleOf("x = input f32[2] i = input i64[1] y = gather(x, i, dim=1)"), "index_dim");
  EXPECT_EQ(RuleOf("x = input f32[2] i = input i64[1, 1] y = index_select(x, i, dim=0)"),
            "index_rank");
  EXPECT_EQ(RuleOf("x = input f32[2, 2] i = input i64[3, 1] y = gather(x, i, dim=1)"),
            "index_shape");
  EXPECT_EQ(RuleOf("x = input f32[2] i = input i64[1] y = embedding(x, i)"), "embedding_rank");
  EXPECT_EQ(
      RuleOf("x = input f32[2] i = input i64[1] s = input f32[2] y = scatter(x, i, s, dim=0)"),
      "scatter_source");
  EXPECT_EQ(RuleOf("x = input f32[] w = input f32[2] y = matmul(x, w)"), "matmul_rank");
  EXPECT_EQ(RuleOf("x = input f32[2, 3] w = input f32[2, 3] y = matmul(x, w)"), "matmul_inner");
  EXPECT_EQ(RuleOf("x = input f32[2] w = input f32[3, 2] b = input f32[1] y = linear(x, w, b)"),
            "linear_bias");
  EXPECT_EQ(RuleOf("x = input f32[2] y = var(x, correction=-1)"), "var_correction");
}

}  // namespace
}  // namespace seamfuzz
