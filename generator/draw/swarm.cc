// Draws the features of a case.
#include "generator/draw/swarm.h"

#include <algorithm>
#include <bit>

namespace seamfuzz {
namespace {

// Around 8, with a tail of tiny and of long graphs (design 11).
int DrawOpCount(Choices& choices, int max_ops) {
  constexpr std::array kWeights = {1, 3, 6, 2};
  int count = 0;
  switch (choices.Weighted(kWeights)) {
    case 0:
      count = choices.Between(1, 2);
      break;
    case 1:
      count = choices.Between(3, 5);
      break;
    case 2:
      count = choices.Between(6, 10);
      break;
    default:
      count = choices.Between(11, 16);
      break;
  }
  return std::min(count, std::max(max_ops, 1));
}

// Blocks have 4 threads: 5 is one block plus one, 64 and 65 are several waves of blocks.
int64_t DrawElements(Choices& choices, int64_t limit) {
  constexpr std::array<int64_t, 16> kSizes = {1,  4,  5,  9,  16,  24,  33,  60,
                                              64, 65, 72, 96, 100, 128, 256, 1000};
  constexpr std::array kWeights = {1, 2, 2, 2, 4, 5, 6, 10, 10, 10, 8, 6, 5, 3, 2, 1};
  return std::min(kSizes[choices.Weighted(kWeights)], limit);
}

// One to three dtypes a case, f32 most of all; bool and 16-bit integers are made by comparisons and
// casts anyway.
std::array<int, kDTypeCount> DrawDTypes(Choices& choices, const DrawConfig& config, Lane lane) {
  // bool i8 i32 i64 f16 bf16 f32 f64. Between two narrow ops excess precision is permitted, which
  // makes long chains of them weak in the bounded lane: fewer there.
  std::array<int, kDTypeCount> weights = {3, 4, 5, 5, 7, 7, 24, 5};
  if (lane == Lane::kBounded) weights = {3, 3, 4, 4, 2, 2, 30, 8};
  for (int d = 0; d < kDTypeCount; ++d) {
    if (!config.dtypes.test(d)) weights[d] = 0;
  }
  std::array<int, kDTypeCount> drawn = {};
  if (std::none_of(weights.begin(), weights.end(), [](int w) { return w > 0; })) weights.fill(1);
  const int count = choices.Between(1, 3);
  for (int i = 0; i < count; ++i) drawn[choices.Weighted(weights)] += i == 0 ? 4 : 2;
  return drawn;
}

bool Contains(const std::vector<OpId>& ops, OpId op) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

void DrawOpWeights(Choices& choices, const DrawConfig& config, Swarm& swarm) {
  // Elementwise ops are the bulk of real fusions. Source, Elementwise, Reduce, Move, Index, Scan,
  // Contract, Composite.
  constexpr std::array kFormWeights = {2, 40, 10, 16, 8, 4, 4, 6};
  const std::span<const OpTraits> ops = DrawnOps();
  swarm.op_weight_sums.resize(ops.size());
  int total = 0;
  // One op in four and one form in eight sits out.
  const uint64_t ops_out = choices.Bits() & choices.Bits();
  const uint64_t forms_out = choices.Bits() & choices.Bits() & choices.Bits();
  const bool exact = swarm.lane == Lane::kExact;
  for (int form = 0; form < kFormCount; ++form) {
    const OpSpan span = DrawnOpsOfForm()[form];
    const bool is_out =
        form != static_cast<int>(Form::kElementwise) && (forms_out >> form & 1) != 0;
    const bool is_on = config.forms.test(form) && !is_out;
    const int before = total;
    for (int i = span.begin; i < span.end; ++i) {
      const OpTraits& traits = ops[i];
      const bool out = (ops_out >> (i % 64) & 1) != 0 || (exact && !traits.keeps_integers) ||
                       (!config.ops.empty() && !Contains(config.ops, traits.op));
      if (is_on && !out) total += traits.weight;
      swarm.op_weight_sums[i] = total;
    }
    if (total > before) swarm.form_weights[form] = kFormWeights[form];
  }
}

}  // namespace

int DrawOpOf(Choices& choices, const Swarm& swarm, Form form) {
  const OpSpan span = DrawnOpsOfForm()[static_cast<int>(form)];
  const std::vector<int>& sums = swarm.op_weight_sums;
  const int before = span.begin == 0 ? 0 : sums[span.begin - 1];
  const int drawn = before + choices.Below(sums[span.end - 1] - before);
  return static_cast<int>(
      std::upper_bound(sums.begin() + span.begin, sums.begin() + span.end, drawn) - sums.begin());
}

Shape DrawShape(Choices& choices, int rank, int64_t elements, int64_t limit, bool zero_size) {
  Shape shape;
  int64_t left = elements;
  for (int d = 0; d < rank; ++d) {
    int64_t extent = left;
    if (d + 1 < rank) {
      // A random share of the bits that are left, then any number with so many bits: 3, 5, 7 as
      // often as 4 and 8.
      const int bits = choices.Below(std::bit_width(static_cast<uint64_t>(left)) + 1);
      extent = std::min<int64_t>(choices.Between(1, 1 << bits), left);
    }
    shape.push_back(std::max<int64_t>(extent, 1));
    left = std::max<int64_t>(left / shape[d], 1);
  }
  // The large extent is last so far: any dim may have it.
  for (int d = rank - 1; d > 0; --d) std::swap(shape[d], shape[choices.Below(d + 1)]);
  if (rank > 0 && zero_size) shape[choices.Below(rank)] = 0;
  if (NumElements(shape) > limit) shape = Shape::Filled(rank, 1);
  return shape;
}

Swarm DrawSwarm(Choices& choices, const DrawConfig& config) {
  Swarm swarm;
  swarm.lane = choices.Percent(40) ? Lane::kBounded : Lane::kExact;
  swarm.special = swarm.lane == Lane::kBounded && config.special && choices.OneIn(16);
  swarm.ops = DrawOpCount(choices, config.max_ops);
  constexpr std::array kUpdateWeights = {3, 10, 5, 1};
  swarm.updates = choices.Weighted(kUpdateWeights);

  constexpr std::array kRankWeights = {2, 12, 18, 12, 4, 2};
  const int64_t limit = std::max(config.max_elements, 1);
  const int64_t elements = DrawElements(choices, limit);
  const int rank = std::min(choices.Weighted(kRankWeights), std::min(config.max_rank, 5));
  swarm.shape = DrawShape(choices, rank, elements, limit, config.zero_size && choices.OneIn(50));
  swarm.max_elements = std::min(limit, 3 * elements + 16);

  swarm.dtype_weights = DrawDTypes(choices, config, swarm.lane);
  DrawOpWeights(choices, config, swarm);

  constexpr std::array kCutPercents = {0, 4, 10, 25};
  swarm.cut_percent = kCutPercents[choices.Below(4)];
  swarm.layout_percent = config.strides && choices.Percent(40) ? 35 : 0;
  swarm.share_percent = config.shared_storage && choices.Percent(40) ? 40 : 0;
  swarm.literal_percent = choices.Percent(70) ? 20 : 0;
  return swarm;
}

}  // namespace seamfuzz
