// Affine index maps: derived from a placement by its values at the origin and along each axis, then
// verified.
#include "generator/ir/index_map.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace seamfuzz {
namespace {

// Up to here a candidate map is verified at every element of its space.
constexpr int64_t kEnumerated = 4096;
// Above: at every corner, along every axis and at this many pseudo-random points.
constexpr int kSampled = 256;

// place(index of the mid space) -> position further on, or kNowhere where there is none (a fill,
// another operand).
constexpr int64_t kNowhere = -1;

void DropUnitExtents(AffineMap& map) {
  for (int d = 0; d < map.space.size(); ++d) {
    if (map.space[d] <= 1) map.coefficients[d] = 0;
  }
}

int64_t PositionAt(const AffineMap& map, const IntList& index) {
  return map.offset + Dot(index, map.coefficients);
}

// True when every step of `outer` stays inside one dim of `mid`, without carry into the next, so
// that the index into `mid` is itself affine in the index of the space.
bool StepsAlongDims(const AffineMap& outer, const Shape& mid) {
  const Strides strides = ContiguousStrides(mid);
  IntList low = Unravel(outer.offset, mid);
  IntList high = low;
  for (int d = 0; d < outer.space.size(); ++d) {
    int64_t rest = outer.coefficients[d];
    const int64_t reach = outer.space[d] - 1;
    for (int m = 0; m < mid.size() && rest != 0; ++m) {
      if (mid[m] <= 1) continue;
      const int64_t step = rest / strides[m];
      rest -= step * strides[m];
      (step < 0 ? low : high)[m] += step * reach;
    }
    if (rest != 0) return false;
  }
  for (int m = 0; m < mid.size(); ++m) {
    if (low[m] < 0 || high[m] >= mid[m]) return false;
  }
  return true;
}

// Visits enough of a space to tell whether `agrees(index)` holds everywhere; false at the first
// that does not.
template <typename Agrees>
bool HoldsOverSpace(const Shape& space, const Agrees& agrees) {
  IntList index = IntList::Filled(space.size(), 0);
  if (NumElements(space) <= kEnumerated) {
    do {
      if (!agrees(index)) return false;
    } while (NextIndex(index, space));
    return true;
  }
  for (int corner = 0; corner < 1 << space.size(); ++corner) {
    for (int d = 0; d < space.size(); ++d) index[d] = (corner >> d & 1) != 0 ? space[d] - 1 : 0;
    if (!agrees(index)) return false;
  }
  for (int d = 0; d < space.size(); ++d) {
    index = IntList::Filled(space.size(), 0);
    for (; index[d] < space[d]; ++index[d]) {
      if (!agrees(index)) return false;
    }
  }
  uint64_t state = 1;
  for (int i = 0; i < kSampled; ++i) {
    for (int d = 0; d < space.size(); ++d) {
      state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
      index[d] = static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(space[d]));
    }
    if (!agrees(index)) return false;
  }
  return true;
}

// The composition of `outer`, a map into row-major positions of `mid`, with `place`.
template <typename PlaceIndex>
std::optional<AffineMap> Compose(const AffineMap& outer, const Shape& mid,
                                 const PlaceIndex& place) {
  AffineMap map{outer.space, IntList::Filled(outer.space.size(), 0), 0};
  const int64_t elements = NumElements(map.space);
  if (elements == 0) return map;
  // Samples prove little where dims of `mid` mix; placements themselves treat the dims of `mid` one
  // by one.
  if (elements > kEnumerated && !StepsAlongDims(outer, mid)) return std::nullopt;
  const auto position = [&](const IntList& index) {
    return place(Unravel(PositionAt(outer, index), mid));
  };
  IntList index = IntList::Filled(map.space.size(), 0);
  map.offset = position(index);
  if (map.offset == kNowhere) return std::nullopt;
  for (int d = 0; d < map.space.size(); ++d) {
    if (map.space[d] <= 1) continue;
    index[d] = 1;
    const int64_t next = position(index);
    if (next == kNowhere) return std::nullopt;
    map.coefficients[d] = next - map.offset;
    index[d] = 0;
  }
  const auto agrees = [&](const IntList& at) { return position(at) == PositionAt(map, at); };
  if (!HoldsOverSpace(map.space, agrees)) return std::nullopt;
  return map;
}

// Strides that read an operand of `operand_shape` over `result_shape`: 0 where it is broadcast.
Strides BroadcastStrides(const Shape& result_shape, const Shape& operand_shape) {
  const Strides contiguous = ContiguousStrides(operand_shape);
  const int missing = result_shape.size() - operand_shape.size();
  Strides strides = IntList::Filled(result_shape.size(), 0);
  for (int d = 0; d < operand_shape.size(); ++d) {
    if (operand_shape[d] != 1) strides[missing + d] = contiguous[d];
  }
  return strides;
}

}  // namespace

bool AffineMap::ProvablyInjective() const {
  if (NumElements(space) <= 1) return true;
  std::vector<std::pair<int64_t, int64_t>> steps;  // |coefficient|, reach
  for (int d = 0; d < space.size(); ++d) {
    if (space[d] <= 1) continue;
    const int64_t step = std::abs(coefficients[d]);
    steps.emplace_back(step, step * (space[d] - 1));
  }
  std::sort(steps.begin(), steps.end());
  int64_t reach = 0;
  for (const auto& [step, step_reach] : steps) {
    if (step <= reach) return false;
    reach += step_reach;
  }
  return true;
}

AffineMap IdentityMap(const Shape& space) {
  AffineMap map{space, ContiguousStrides(space), 0};
  if (NumElements(space) == 0) map.coefficients = IntList::Filled(space.size(), 0);
  DropUnitExtents(map);
  return map;
}

std::optional<AffineMap> ThroughMove(const AffineMap& outer, const Node& move,
                                     std::span<const TensorType> operands, int k) {
  const OpRow& row = move.row();
  return Compose(outer, move.type.shape, [&](const IntList& index) {
    const Place place = row.place(index, operands, move.type, move.attrs);
    return place.operand == k ? Ravel(place.index, operands[k].shape) : kNowhere;
  });
}

std::optional<AffineMap> ThroughBroadcast(const AffineMap& outer, const Shape& result_shape,
                                          const Shape& operand_shape) {
  if (result_shape == operand_shape) return outer;
  const Strides strides = BroadcastStrides(result_shape, operand_shape);
  return Compose(outer, result_shape, [&](const IntList& index) { return Dot(index, strides); });
}

std::optional<AffineMap> ThroughLayout(const AffineMap& outer, const Node& input) {
  return Compose(outer, input.type.shape,
                 [&](const IntList& index) { return ByteOffset(input, index); });
}

PlaceTable EnumeratePlaces(const Graph& graph, const Node& move) {
  const OpRow& row = move.row();
  std::vector<TensorType> operands;
  operands.reserve(move.operands.size());
  for (const Operand& operand : move.operands) operands.push_back(graph.type(operand.value));
  const auto elements = static_cast<size_t>(NumElements(move.type.shape));
  PlaceTable table;
  table.position.resize(elements);
  if (elements == 0) return table;
  IntList index = IntList::Filled(move.type.shape.size(), 0);
  for (size_t i = 0; i < elements; ++i) {
    const Place place = row.place(index, operands, move.type, move.attrs);
    if (place.operand != 0 && table.operand.empty()) table.operand.resize(elements, 0);
    if (!table.operand.empty()) table.operand[i] = place.operand;
    if (place.operand >= 0) {
      table.position[i] = static_cast<int32_t>(Ravel(place.index, operands[place.operand].shape));
    }
    NextIndex(index, move.type.shape);
  }
  return table;
}

std::vector<int32_t> EnumerateBroadcast(const Shape& result_shape, const Shape& operand_shape) {
  std::vector<int32_t> positions(static_cast<size_t>(NumElements(result_shape)));
  if (positions.empty()) return positions;
  const Strides strides = BroadcastStrides(result_shape, operand_shape);
  IntList index = IntList::Filled(result_shape.size(), 0);
  for (int32_t& position : positions) {
    position = static_cast<int32_t>(Dot(index, strides));
    NextIndex(index, result_shape);
  }
  return positions;
}

}  // namespace seamfuzz
