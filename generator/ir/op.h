// An op is one row. Forms are closed: consumers branch on the form, never on the op.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "generator/ir/dtype.h"
#include "generator/ir/result.h"
#include "generator/ir/shape.h"

namespace seamfuzz {

// How outputs relate to inputs.
enum class Form : uint8_t {
  kSource,       // no tensor operand: out[i] = generate(i)
  kElementwise,  // out[i] = evaluate(in_0[i], in_1[i], ...) with NumPy broadcasting
  kReduce,       // out[i] = combine over the reduced dims; `dims`, `keepdim`
  kMove,         // out[i] = in_k[place(i)], or a fill
  kIndex,        // the place depends on data: gather family, scatter family
  kScan,         // out[..., j, ...] = combine over 0..j of one dim
  kContract,     // matmul
  kComposite,    // defined by a small graph of other ops
};
inline constexpr int kFormCount = 8;
std::string_view FormName(Form form);

using OpId = uint16_t;  // position of the row in the table

// Which dtypes an op takes, what it computes in and what it gives.
enum class TypeRule : uint8_t {
  kSame,           // one dtype, taken from operand 0: moves, set, neg, abs
  kPromote,        // operands promote to a common dtype, which is the result's (add, maximum)
  kPromoteNumber,  // as kPromote, bool refused (sub, neg)
  kPromoteFloat,   // as kPromote, integers and bool become f32 (exp, div)
  kFloat,          // float operands only, promoted
  kIntegral,       // integers and bool only, promoted (bitwise_and)
  kCompare,        // promoted; the result is bool
  kTest,           // operand 0's dtype; the result is bool (isnan, logical_not)
  kLogical,        // each operand read as bool; the result is bool
  kWhere,          // bool condition, then kPromote of the others
  kCast,           // attribute dtype
  kSum,            // reductions that give i64 for integers and bool (sum, prod, cumsum)
  kIndexed,  // operand 0's dtype; the operand at `index_operand` is i32 or i64; further ones have
             // operand 0's dtype
  kMatmul,   // one float dtype
};

// Named attributes. One row of a fixed table (name, kind, which list) in op.cc says how each is
// spelled.
enum class AttrKey : uint8_t {
  kNone,
  kDims,
  kDim,
  kKeepdim,
  kDType,
  kShape,
  kStart,
  kEnd,
  kStride,
  kLow,
  kHigh,
  kValue,
  kCorrection,
  kStep,
  kShift,
  kIndex,
  kDiagonal,
  kEps,
};
enum class AttrKind : uint8_t { kIntList, kInt, kBool, kNumber, kDType };
struct AttrKeyRow {
  AttrKey key;
  std::string_view name;  // the text form: "keepdim"
  AttrKind kind;
};
std::span<const AttrKeyRow> AttrKeyRows();

struct Attr {
  AttrKey key;
  IntList list;               // kIntList
  Scalar value = {.i = 0};    // kInt, kBool in .i; kNumber in .f
  DType dtype = DType::kF32;  // kDType
  friend bool operator==(const Attr& a, const Attr& b);
};
// Sorted by key, each key once. Defaults that the op's row names are filled in by Graph::Add, so
// that equal nodes are equal.
using Attrs = std::vector<Attr>;
const Attr* FindAttr(const Attrs& attrs, AttrKey key);

struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// How the set of values of an elementwise op follows from the sets of its operands (design 6).
enum class Monotone : uint8_t {
  kCorners,   // monotone in each operand for fixed others: the extremes are at corners, and at
              // `critical` points
  kPeriodic,  // sin, cos: extremes at multiples of pi/2
  kStep,      // corners, but with jumps: a finite set or a hull (floor, sign, comparisons)
  kEquality,  // eq, ne: decided only by points or disjoint sets
  kPoint,     // known only where every operand is a point (fmod, bitwise ops)
};

// The bound of |result| in the exact lane from the bounds of the operands (integer-valued data).
// kNever: the op does not keep integers, so the exact lane does not draw it.
enum class ExactRule : uint8_t {
  kNever,
  kMax,      // the largest of the operands' bounds (maximum, cat); a fill counts with its |value|
  kSum,      // their sum (add)
  kProduct,  // their product (mul)
  kOne,      // 1 (comparisons, sign)
  kFirst,    // operand 0's (neg, amax, permute, gather)
  kOther,    // the largest of the operands after the first (where)
  kCount,    // Source: the larger |generate| of the first and the last position (full, iota)
  kCountTimesMax,  // how many elements are combined, times operand 0's (sum, cumsum)
  kContract,       // the contracted extent, times the product of both (matmul)
  kModulus,        // operand 1's (fmod, remainder)
  kClamp,          // the larger of operands 1 and 2 (clamp)
};

struct Domain {  // operand values for which the op is defined; outside it any value is permitted
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// Where one output element of a Move comes from: operand `operand` at `index`, or the fill where
// operand < 0.
struct Place {
  int operand = 0;
  IntList index;
};

struct Node;  // generator/ir/graph.h
class Graph;
struct Operand;

// One attribute that an op takes. Graph::Add fills in the defaults of kInt, kBool and kNumber; an
// absent optional list stays absent (or empty) and means what ListAttr below says.
struct AttrSpec {
  AttrKey key = AttrKey::kNone;
  bool required = false;
  // Default of kInt, kBool and kNumber; lists: what an absent list holds for each dim.
  double value = 0;
};

inline constexpr double kNoCritical = std::numeric_limits<double>::quiet_NaN();

struct OpRow {
  std::string_view name;
  Form form = Form::kElementwise;
  int min_arity = 1;
  int max_arity = 1;
  TypeRule types = TypeRule::kSame;
  // The keys it takes, in the order of the text form; unused: key kNone.
  std::array<AttrSpec, 4> attrs = {};

  // Shape of the result; operand dtypes are already checked. Null for Elementwise (broadcasting is
  // the form's), for `input`, and for Composite (its definition is typed).
  Result<Shape> (*infer)(std::span<const TensorType> operands, const Attrs& attrs) = nullptr;

  // Elementwise: the unrounded result from operands already converted to `dtype`, the dtype it
  // computes in. The result is in the register of EvaluatedDType(row, dtype); Convert takes it from
  // there to the node's dtype.
  Scalar (*evaluate)(std::span<const Scalar> operands, DType dtype) = nullptr;
  // Source: the element at a row-major position.
  Scalar (*generate)(int64_t position, const TensorType& type, const Attrs& attrs) = nullptr;
  // Reduce and Scan: the neutral element and one step, unrounded. `combine` is associative and
  // commutative over the reals.
  Scalar (*identity)(DType dtype) = nullptr;
  Scalar (*combine)(Scalar a, Scalar b, DType dtype) = nullptr;
  // Move: from the output index and operand shapes. A fill is attribute `value` converted to the
  // dtype, 0 without it.
  Place (*place)(const IntList& index, std::span<const TensorType> operands,
                 const TensorType& result, const Attrs& attrs) = nullptr;
  // Index: which operand holds the indices; whether it writes into a copy of operand 0 (scatter) or
  // reads from it.
  int index_operand = -1;
  bool scatters = false;
  // Index: the index into operand 0 that belongs to index `at` of the iteration space (the result's
  // shape for readers, the index operand's shape for scatters); `value` is the index operand's
  // element for it, `index_at` the place of it.
  IntList (*index_at)(const IntList& at, const Attrs& attrs) = nullptr;
  IntList (*resolve)(const IntList& at, int64_t value, const Attrs& attrs) = nullptr;
  // Composite: builds the definition out of other ops; the last node added is the result.
  Result<Operand> (*define)(Graph& graph, std::span<const Operand> operands,
                            const Attrs& attrs) = nullptr;

  // The oracle's knowledge.
  Monotone monotone = Monotone::kCorners;
  // Interior extremes (abs: 0), and ends of where it is defined (log: 0).
  std::array<double, 2> critical = {kNoCritical, kNoCritical};
  // Permitted error of a float result in units in the last place of f32 (f64: the same count),
  // counted from the correctly rounded one.
  int ulp = 0;
  // Frameworks answer differently for a NaN operand (sign): the element is unjudged there.
  bool nan_differs = false;
  // signbit, reciprocal, atan2: the element is unjudged where an operand may be a zero.
  bool observes_zero_sign = false;
  Domain domain;

  // The generator's and the minimizer's knowledge.
  ExactRule exact = ExactRule::kNever;
  int weight = 10;  // relative frequency; 0: never drawn
  int rank = 50;    // minimizer order: a smaller rank is a simpler op

  // Text columns. Placeholders: {0} {1} {2} operands as they stand (a literal is a bare number);
  // {t0} {t1} {t2} the same as tensors of the computing dtype (a literal is wrapped as a 0-dim
  // tensor, an operand of another dtype is cast), for functions that take tensors only and targets
  // that promote in another way; {operands} all of them, comma separated; {NAME} an attribute by
  // its text name, as a Python list, number or True/False (an absent list by ListAttr); {shape} the
  // result's shape; {dtype} the result's dtype in the target's words ("torch.float32",
  // "jnp.float32", "DataType.Float", "dtypes.float32"); {kept} the dims of the result that are not
  // in `dims`; {pad_widths} low and high interleaved, last dim first; {spread} the extents of
  // operand 0 at `dims` and 1 elsewhere, in the result's rank. `{{` and `}}` are braces. cuda: an
  // expression over {0} {1} {2}, C values of the computing dtype's register type (Elementwise), or
  // over {0} {1}, two partial results (Reduce, Scan); it may call CudaPrelude(). Other forms have
  // none: the printer writes them by form. Empty: the form's generic text applies (Composite: its
  // definition is printed); "-": the target has no such op.
  std::string_view cuda;
  std::string_view torch;
  std::string_view jax;
  std::string_view nvfuser;
  std::string_view tinygrad;
};

namespace op_internal {
extern const std::span<const OpRow> kTable;  // constant-initialized
}  // namespace op_internal
inline std::span<const OpRow> OpRows() { return op_internal::kTable; }
inline const OpRow& Row(OpId op) { return op_internal::kTable[op]; }
std::optional<OpId> FindOp(std::string_view name);

// ---- What follows from a row ------------------------------------------------------------------

// An operand as promotion sees it: 0-dim tensors and literals take part by category only, as in
// PyTorch.
struct OperandType {
  enum class Kind : uint8_t { kTensor, kZeroDim, kLiteral };
  DType dtype = DType::kF32;  // of a literal: kF64, kI64 or kBool, as it was spelled
  Kind kind = Kind::kTensor;
};
struct OpDTypes {
  DType compute;  // what evaluate, combine get; of other forms the result's
  DType result;
};
// By the row's TypeRule. Rules: dtype; operand_literal (a literal outside Elementwise);
// operand_tensor (literals only).
Result<OpDTypes> InferDTypes(const OpRow& row, std::span<const OperandType> operands,
                             const Attrs& attrs);
// The dtype whose register holds what `evaluate` returns: bool for tests, comparisons and logic,
// else `compute`.
DType EvaluatedDType(const OpRow& row, DType compute);

// NumPy broadcasting, literals left out. Rules: broadcast.
Result<Shape> BroadcastShapes(std::span<const Shape* const> shapes);

// The value of an attribute that Graph::Add filled in or the row requires.
int64_t IntAttr(const Attrs& attrs, AttrKey key);
bool BoolAttr(const Attrs& attrs, AttrKey key);
double NumberAttr(const Attrs& attrs, AttrKey key);
// A list: as given, or where absent or empty: `dims` is every dim of operand 0 (rank `rank`) when
// it is optional, other lists hold the spec's `value` for each dim.
IntList ListAttr(const OpRow& row, const Attrs& attrs, AttrKey key, int rank);

// Ops that the semantics itself names (design 2.1).
inline OpId InputOp() { return 0; }
inline OpId SegmentSetOp() { return 1; }
inline OpId CastOp() { return 2; }
inline OpId SetOp() { return 3; }    // the identity that copies
inline OpId CloneOp() { return 4; }  // the snapshot

// Device functions that the cuda column calls (wrapping integer arithmetic, NaN-propagating
// extremes): C++ text without headers, once for each module. Host code that defines `__device__`
// away can compile it too.
std::string_view CudaPrelude();

}  // namespace seamfuzz
