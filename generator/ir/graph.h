// Graphs and traces: nodes in SSA form, then (graph) or among them (trace) ordered effects.
// Graph::Add* is the only door.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generator/ir/op.h"
#include "generator/ir/result.h"
#include "generator/ir/shape.h"

namespace seamfuzz {

using ValueId = int32_t;  // position of the node that makes the value
inline constexpr ValueId kNoValue = -1;

// A graph has at most this many nodes and as many effects; no op takes more operands.
inline constexpr int kMaxNodes = 4096;
inline constexpr int kMaxArity = 8;

// A computed value, or a literal: `mul(T4, 0.9)`. A literal takes part in promotion by category
// only, as in PyTorch.
struct Operand {
  ValueId value = kNoValue;
  Scalar literal = {.i = 0};          // meaningful when value == kNoValue
  DType literal_dtype = DType::kF64;  // kF64, kI64 or kBool: how the literal was spelled
  bool is_literal() const { return value == kNoValue; }
  static Operand Value(ValueId v) { return {.value = v}; }
  static Operand Number(double v) { return {.literal = {.f = v}, .literal_dtype = DType::kF64}; }
  static Operand Integer(int64_t v) { return {.literal = {.i = v}, .literal_dtype = DType::kI64}; }
  friend bool operator==(const Operand& a, const Operand& b) {
    return a.value == b.value && (a.value != kNoValue || (a.literal_dtype == b.literal_dtype &&
                                                          a.literal.i == b.literal.i));
  }
};

// Where an input lives. Text: `input f32[4, 3] strides [1, 4] in S at 2`.
struct Layout {
  Strides strides;      // in elements, one a dim
  std::string storage;  // equal to the input's name unless inputs share storage
  int64_t offset = 0;   // in elements of the input's dtype
  bool scalar = false;  // `input scalar f64`: a 0-dim value passed by value; never updated
  friend bool operator==(const Layout&, const Layout&) = default;
};

struct Node {
  OpId op = 0;
  std::string
      name;  // unique in the graph; an identifier [A-Za-z_][A-Za-z0-9_]*, at most 64 characters
  TensorType type;  // computed by Graph::Add
  std::vector<Operand> operands;
  Attrs attrs;
  Layout layout;  // inputs only
  const OpRow& row() const { return Row(op); }
  friend bool operator==(const Node&, const Node&) = default;
};

struct Effect {
  ValueId value = kNoValue;
  ValueId target = kNoValue;  // the updated input (a trace: any value), kNoValue for an output
  int32_t position = 0;       // trace: how many nodes stand before it; graph: always all of them
  bool is_update() const { return target != kNoValue; }
  friend bool operator==(const Effect&, const Effect&) = default;
};

enum class Reading : uint8_t { kGraph, kTrace };

// A topologically ordered vector of small values; copied with `=`, compared with `==`; stores
// nothing that can be computed but each node's type. Every Add* either appends a typed node or
// returns the broken typing rule and changes nothing.
class Graph {
 public:
  explicit Graph(Reading reading = Reading::kGraph) : reading_(reading) {}

  // A tensor input. Rules: node_limit, name, name_taken, negative_dim, element_limit, strides_rank,
  // negative_stride, negative_offset, storage_limit, scalar_rank, scalar_layout. (A list with more
  // than kMaxRank entries cannot be built; the parser says rank_limit.) An empty `layout.strides`
  // with rank > 0 means contiguous, an empty `layout.storage` the input's own.
  Result<ValueId> AddInput(std::string_view name, const TensorType& type, Layout layout = {});

  // Rules: node_limit, name, name_taken, unknown_value, arity, attribute, element_limit, those of
  // InferDTypes and BroadcastShapes, and the shape rules of the op's row. Messages open with the
  // node's name. An empty `name` takes the first free T<i> from the number of nodes on. The cast op
  // reads its dtype from `attrs`.
  Result<ValueId> Add(OpId op, std::vector<Operand> operands, Attrs attrs = {},
                      std::string_view name = {});
  // The same by op name; for definitions, importers and tests. Rule unknown_op too.
  Result<ValueId> Add(std::string_view op, std::vector<Operand> operands, Attrs attrs = {},
                      std::string_view name = {});

  // `target <- value`. Graph: the target must be an input (rule update_target) that is no scalar;
  // contract rules are not checked here. Trace: the value must broadcast to the target's shape
  // (rule copy_shape); any dtype is cast.
  Status AddUpdate(ValueId target, ValueId value);
  Status AddOutput(ValueId value);

  Reading reading() const { return reading_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(ValueId v) const { return nodes_[v]; }
  const TensorType& type(ValueId v) const { return nodes_[v].type; }
  const std::vector<Effect>& effects() const { return effects_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  bool is_input(ValueId v) const { return nodes_[v].op == InputOp(); }
  ValueId Find(std::string_view name) const;  // kNoValue when there is none
  void Reserve(int nodes) { nodes_.reserve(nodes); }

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  ValueId Append(Node node);

  Reading reading_;
  std::vector<Node> nodes_;
  std::vector<Effect> effects_;
};

// ---- What follows from a graph
// --------------------------------------------------------------------------------------

// The dtype that an op computes in: the promoted dtype of its operands by the row's TypeRule (what
// `evaluate`, `combine` get). For kLogical bool, for kTest and kCompare the promoted operand dtype,
// for kWhere that of the branches.
DType ComputeDType(const Graph& graph, const Node& node);

// One storage: the inputs that view it, in node order, and its size in bytes (the furthest byte of
// any of them).
struct StorageInfo {
  std::string name;
  std::vector<ValueId> inputs;
  int64_t bytes = 0;
  bool updated = false;  // an update names one of its inputs
};
// In order of first appearance.
std::vector<StorageInfo> Storages(const Graph& graph);
// Position in Storages(graph) of each input's storage; -1 for other nodes.
std::vector<int> StorageOf(const Graph& graph);
// Byte offset of the element at `index` of an input, from the start of its storage.
inline int64_t ByteOffset(const Node& input, const IntList& index) {
  return (input.layout.offset + Dot(index, input.layout.strides)) * Row(input.type.dtype).bytes;
}

// Contract rules of design 2.1, in text order: {"U1", "T0 is updated twice"}. Empty for a
// well-formed graph.
std::vector<Error> BrokenContract(const Graph& graph);

// Nodes from which an effect can be reached; inputs count as live when an effect or a live node
// names them.
std::vector<bool> LiveNodes(const Graph& graph);

// The graph with every Composite replaced by its definition, names of other nodes kept
// (`origin[i]`: the node of `graph` that node i came from). Definitions may nest. Always succeeds:
// definitions are typed when their node is added.
struct Expanded {
  Graph graph;
  std::vector<ValueId> origin;
  std::vector<ValueId>
      image;  // for each node of `graph` the node of the result that holds its value
};
Expanded ExpandComposites(const Graph& graph);

// A copy with the nodes in `keep` only (operands of kept nodes must be kept) and the effects in
// `keep_effects`. `substitute[v]` (size graph.size(), identity by default) names the value that
// users of v read instead; it must come before those users. Returns the broken rule when the new
// operands do not type. For the minimizer and repairs.
Result<Graph> Rebuild(const Graph& graph, const std::vector<bool>& keep,
                      const std::vector<bool>& keep_effects,
                      const std::vector<ValueId>& substitute);

}  // namespace seamfuzz
