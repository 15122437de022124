// Passes that take away effects, nodes, cuts and operands, or put simpler ones in their place.
#include <algorithm>
#include <optional>
#include <vector>

#include "fuzz/minimize/edit.h"
#include "fuzz/minimize/pass.h"
#include "generator/case/values.h"
#include "oracle/interpret.h"

namespace seamfuzz {
namespace {

bool IsCut(const Graph& graph, ValueId v) { return graph.node(v).op == SegmentSetOp(); }

template <typename Keep>
std::vector<ValueId> Select(const Graph& graph, Keep keep) {
  std::vector<ValueId> selected;
  // From the last: what stands near the effects takes most with it.
  for (ValueId v = graph.size() - 1; v >= 0; --v) {
    if (keep(v)) selected.push_back(v);
  }
  return selected;
}
std::vector<ValueId> Computed(const Graph& graph) {
  return Select(graph, [&](ValueId v) { return !graph.is_input(v); });
}
std::vector<ValueId> Inputs(const Graph& graph) {
  return Select(graph, [&](ValueId v) { return graph.is_input(v); });
}

// ---- drop-effects
// ---------------------------------------------------------------------------------------------------

int Effects(const Case& c) { return static_cast<int>(c.graph.effects().size()); }

std::optional<Case> DropEffects(const Case& c, int first, int count) {
  GraphEdit edit(c.graph);
  std::fill_n(edit.drop_effect.begin() + first, count, true);
  return Apply(c, edit);
}

// ---- replace-by-input
// -----------------------------------------------------------------------------------------------

int ComputedNodes(const Case& c) { return static_cast<int>(Computed(c.graph).size()); }

std::optional<Case> ReplaceByInput(const Case& c, int first, int count) {
  GraphEdit edit(c.graph);
  const std::vector<ValueId> nodes = Computed(c.graph);
  for (int i = first; i < first + count; ++i) edit.nodes[nodes[i]].as_input = true;
  return Apply(c, edit);
}

// The new inputs hold what the reference gives, so that users see what they saw (indices stay in
// range).
std::optional<Case> ReplaceByValue(const Case& c, int first, int count) {
  const Result<Reference> reference = Interpret(c.graph, Mode::kMonolithic, EntryBytes(c));
  if (!reference.ok()) return std::nullopt;
  GraphEdit edit(c.graph);
  const std::vector<ValueId> nodes = Computed(c.graph);
  for (int i = first; i < first + count; ++i) {
    edit.nodes[nodes[i]].as_input = true;
    std::vector<Scalar>& data = edit.nodes[nodes[i]].data.emplace();
    for (const Permitted& element : reference->values[nodes[i]].elements) {
      data.push_back(element.low);
    }
  }
  return Apply(c, edit);
}

// ---- replace-by-operand
// ---------------------------------------------------------------------------------------------

struct NodeOperand {
  ValueId node;
  ValueId operand;
};

template <typename Keep>
std::vector<NodeOperand> OperandPairs(const Graph& graph, Keep keep) {
  std::vector<NodeOperand> pairs;
  for (ValueId v : Computed(graph)) {
    for (const Operand& operand : graph.node(v).operands) {
      if (!operand.is_literal() && keep(v, operand.value)) pairs.push_back({v, operand.value});
    }
  }
  return pairs;
}

// The first pair of each node acts.
std::optional<Case> ReadOperands(const Case& c, const std::vector<NodeOperand>& pairs, int first,
                                 int count) {
  GraphEdit edit(c.graph);
  for (int i = first; i < first + count; ++i) {
    NodeEdit& node = edit.nodes[pairs[i].node];
    if (node.read_instead == kNoValue) node.read_instead = pairs[i].operand;
  }
  return Apply(c, edit);
}

std::vector<NodeOperand> SameType(const Case& c) {
  return OperandPairs(c.graph, [&](ValueId v, ValueId operand) {
    return c.graph.type(v) == c.graph.type(operand) && !IsCut(c.graph, v);
  });
}
int SameTypeOperands(const Case& c) { return static_cast<int>(SameType(c).size()); }
std::optional<Case> ReplaceByOperand(const Case& c, int first, int count) {
  return ReadOperands(c, SameType(c), first, count);
}

std::vector<NodeOperand> Cuts(const Case& c) {
  return OperandPairs(c.graph, [&](ValueId v, ValueId) { return IsCut(c.graph, v); });
}
int CutNodes(const Case& c) { return static_cast<int>(Cuts(c).size()); }
std::optional<Case> RemoveCuts(const Case& c, int first, int count) {
  return ReadOperands(c, Cuts(c), first, count);
}

// ---- output-instead
// -------------------------------------------------------------------------------------------------

// An effect and the value that it takes instead, as an output.
struct OutputChange {
  size_t effect;
  ValueId value;
};

// An update becomes an output of its value; any effect one of an operand of its value's node,
// whatever its type.
std::vector<OutputChange> OutputChanges(const Graph& graph) {
  std::vector<OutputChange> changes;
  for (size_t e = 0; e < graph.effects().size(); ++e) {
    const Effect& effect = graph.effects()[e];
    if (effect.is_update()) changes.push_back({e, effect.value});
    for (const Operand& operand : graph.node(effect.value).operands) {
      if (!operand.is_literal()) changes.push_back({e, operand.value});
    }
  }
  return changes;
}
int OutputUnits(const Case& c) { return static_cast<int>(OutputChanges(c.graph).size()); }
std::optional<Case> OutputInstead(const Case& c, int first, int count) {
  GraphEdit edit(c.graph);
  for (const Effect& effect : c.graph.effects()) edit.effect_value.push_back(effect.value);
  const std::vector<OutputChange> changes = OutputChanges(c.graph);
  for (int i = first; i < first + count; ++i) {
    edit.as_output[changes[i].effect] = true;
    edit.effect_value[changes[i].effect] = changes[i].value;
  }
  return Apply(c, edit);
}

// ---- share-inputs
// ---------------------------------------------------------------------------------------------------

// Pairs of inputs of one type: users of the later read the earlier.
std::vector<NodeOperand> InputPairs(const Graph& graph) {
  std::vector<NodeOperand> pairs;
  const std::vector<ValueId> inputs = Inputs(graph);
  for (ValueId later : inputs) {
    for (ValueId earlier : inputs) {
      if (earlier < later && graph.type(earlier) == graph.type(later)) {
        pairs.push_back({later, earlier});
      }
    }
  }
  return pairs;
}
int EqualInputs(const Case& c) { return static_cast<int>(InputPairs(c.graph).size()); }
std::optional<Case> ShareInputs(const Case& c, int first, int count) {
  return ReadOperands(c, InputPairs(c.graph), first, count);
}

// ---- operands-to-literals
// -------------------------------------------------------------------------------------------

int InputNodes(const Case& c) { return static_cast<int>(Inputs(c.graph).size()); }
std::optional<Case> InputsToLiterals(const Case& c, int first, int count) {
  GraphEdit edit(c.graph);
  const std::vector<ValueId> inputs = Inputs(c.graph);
  for (int i = first; i < first + count; ++i) {
    // 2 is no neutral element of anything, and exact in every dtype but bool.
    edit.nodes[inputs[i]].literal = Operand::Integer(2);
  }
  return Apply(c, edit);
}

// ---- simpler-op
// -----------------------------------------------------------------------------------------------------

struct OpChange {
  ValueId node;
  OpId op;
};

// Simpler ops of the same form that take as many operands; the simplest first. A cut is no simpler
// op: it is counted apart.
std::vector<OpChange> OpChanges(const Graph& graph) {
  std::vector<OpChange> changes;
  for (ValueId v : Computed(graph)) {
    const Node& node = graph.node(v);
    if (IsCut(graph, v)) continue;
    const OpRow& row = node.row();
    std::vector<OpId> simpler;
    for (OpId op = 0; op < OpRows().size(); ++op) {
      const OpRow& other = Row(op);
      const int arity = static_cast<int>(node.operands.size());
      if (op != SegmentSetOp() && other.form == row.form && other.rank < row.rank &&
          other.weight > 0 && other.min_arity <= arity && arity <= other.max_arity) {
        simpler.push_back(op);
      }
    }
    std::stable_sort(simpler.begin(), simpler.end(),
                     [](OpId a, OpId b) { return Row(a).rank < Row(b).rank; });
    for (OpId op : simpler) changes.push_back({v, op});
  }
  return changes;
}
int SimplerOps(const Case& c) { return static_cast<int>(OpChanges(c.graph).size()); }
std::optional<Case> SimplifyOp(const Case& c, int first, int) {
  GraphEdit edit(c.graph);
  const OpChange change = OpChanges(c.graph)[first];
  edit.nodes[change.node].op = change.op;
  return Apply(c, edit);
}

constexpr Pass kPasses[] = {
    {"drop-effects", "drop an output or an update", Effects, DropEffects},
    {"replace-by-input", "a node becomes an input of its type", ComputedNodes, ReplaceByInput},
    {"replace-by-value", "a node becomes an input that holds its value", ComputedNodes,
     ReplaceByValue},
    {"replace-by-operand", "users of a node read its operand", SameTypeOperands, ReplaceByOperand},
    {"output-instead", "an update becomes an output, an effect an output of an operand of its node",
     OutputUnits, OutputInstead},
    {"remove-cuts", "users of a segment_set read its operand", CutNodes, RemoveCuts},
    {"share-inputs", "users of an input read an earlier one of its type", EqualInputs, ShareInputs},
    {"inputs-to-literals", "users of an input read the literal 2", InputNodes, InputsToLiterals},
    {"simpler-op", "a node is computed by a simpler op of its form", SimplerOps, SimplifyOp,
     /*chunks=*/false},
};

}  // namespace

std::span<const Pass> GraphPasses() { return kPasses; }

}  // namespace seamfuzz
