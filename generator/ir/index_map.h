// Affine index maps: where an element of an iteration space lands in a value, in closed form when
// there is one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "generator/ir/graph.h"

namespace seamfuzz {

// place(i) = offset + sum_d coefficient[d] * i[d], a row-major position in a value (or a byte
// offset in a storage). `space` is the iteration space. Canonical: extents of 1 have coefficient 0,
// so equal maps compare equal.
struct AffineMap {
  Shape space;
  IntList coefficients;
  int64_t offset = 0;
  friend bool operator==(const AffineMap&, const AffineMap&) = default;
  // No two indices share a place: sorted positive |coefficients| each exceed the reach of the
  // smaller ones. Conservative.
  bool ProvablyInjective() const;
};

// The identity over a space: row-major position to itself.
AffineMap IdentityMap(const Shape& space);

// The map into operand `k` of one Move node or of one broadcasting operand, composed with `outer`,
// a map into the node's result. nullopt when it is not affine: a fill, several operands, a reshape
// of a space that is not provably contiguous.
std::optional<AffineMap> ThroughMove(const AffineMap& outer, const Node& move,
                                     std::span<const TensorType> operands, int k);
// NumPy broadcasting of an operand of `operand_shape` in an elementwise op whose result has
// `result_shape`. nullopt when `outer` does not step along single dims of the result (a broadcast
// behind a reshape: i mod 3 is not affine).
std::optional<AffineMap> ThroughBroadcast(const AffineMap& outer, const Shape& result_shape,
                                          const Shape& operand_shape);
// From positions of an input to byte offsets in its storage.
std::optional<AffineMap> ThroughLayout(const AffineMap& outer, const Node& input);

// The table of a Move, by enumeration: for each row-major position of the result the operand (-1:
// fill) and the position in it. Shared by planner, simulator and oracle as data only.
struct PlaceTable {
  std::vector<int32_t> operand;  // empty when there is a single operand and no fill
  std::vector<int32_t> position;
};
PlaceTable EnumeratePlaces(const Graph& graph, const Node& move);
// The same for one operand of a broadcasting op: the position in the operand for each position of
// the result. An operand of the result's own shape gives the identity.
std::vector<int32_t> EnumerateBroadcast(const Shape& result_shape, const Shape& operand_shape);

}  // namespace seamfuzz
