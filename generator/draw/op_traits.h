// What the generator must know of an op beyond its row: how to draw its attributes and the shapes
// of its operands. Found out once by asking the row's own shape rule, so that a new op needs
// nothing here.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "generator/ir/op.h"

namespace seamfuzz {

// How the shapes of an op's operands hang together.
enum class OperandShapes : uint8_t {
  kUnknown,      // no probe fits: never drawn, and a test fails
  kNone,         // Source
  kOne,          // a single operand
  kBroadcast,    // NumPy broadcasting
  kJoined,       // equal but for `dim` (cat)
  kMatmul,       // [..., m, k] and [..., k, n]
  kLinear,       // [..., k], weight [n, k], bias [n] (linear)
  kVectorIndex,  // one-dim indices: which slices along `dim` (index_select)
  kSameIndex,    // indices of operand 0's rank, no larger beside `dim` (gather, scatter)
  kTableIndex,   // any indices into the rows of a matrix (embedding)
};

// What the attributes of a Move mean for the shape.
enum class MoveKind : uint8_t {
  kNone,         // no attribute ties the shape: each is drawn for itself (flip, roll, triu, select)
  kPermutation,  // `dims` is a permutation
  kUnitDims,     // `dims` of extent 1 go away (squeeze)
  kNewDims,      // `dims` are places of new extents 1 (unsqueeze)
  kReshape,      // `shape` with as many elements
  kExpand,       // `shape` of the same rank that the operand broadcasts to
  kBroadcast,    // `shape`, and `dims` that say where the operand's dims go in it
  kSlice,        // `start`, `end`, `stride` inside the operand
  kPad,          // `low`, `high` elements more
};
inline constexpr int kMoveKindCount = 9;

struct OpTraits {
  OpId op = 0;
  Form form = Form::kElementwise;
  TypeRule types = TypeRule::kSame;
  ExactRule exact = ExactRule::kNever;
  bool keeps_integers = false;  // the exact lane may draw it
  int weight = 0;
  int min_arity = 1;
  int max_arity = 1;
  OperandShapes operands = OperandShapes::kUnknown;
  MoveKind move = MoveKind::kNone;
  int min_rank = 0;         // of operand 0, or of a Source's result; see max_rank
  int max_rank = kMaxRank;  // 1 for iota, 2 for embedding
  bool takes_empty = true;  // may combine no elements (sum, not amax)
};

// Every op with a weight, ordered by form.
std::span<const OpTraits> DrawnOps();
// The ops of a form: [begin, end) in DrawnOps().
struct OpSpan {
  int begin = 0;
  int end = 0;
};
const std::array<OpSpan, kFormCount>& DrawnOpsOfForm();
// The heaviest Move of a kind, the input op where there is none.
OpId MoveOp(MoveKind kind);

}  // namespace seamfuzz
