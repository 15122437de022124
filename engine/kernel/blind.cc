// The class of a read by the rules of design 2.4, and the fault that overlooks that class.
#include "engine/kernel/blind.h"

#include <algorithm>

namespace seamfuzz {
namespace {

struct Blindness {
  HazardClass to;
  Fault fault;
};
constexpr Blindness kBlindness[] = {
    {HazardClass::kA0, Fault::kEarlyStore},       {HazardClass::kA1, Fault::kBroadcastWar},
    {HazardClass::kA2, Fault::kInKernelWar},      {HazardClass::kA3, Fault::kReductionWar},
    {HazardClass::kA4, Fault::kDuplicateScatter}, {HazardClass::kB1, Fault::kWarOrder},
    {HazardClass::kB4, Fault::kNoCycleTemp},      {HazardClass::kC1, Fault::kSameTensorTwice},
    {HazardClass::kC2, Fault::kOverlapBlind},     {HazardClass::kD1, Fault::kDropSnapshot},
    {HazardClass::kD2, Fault::kScatterInPlace},
};

// What a value is a plain copy of: through copies and cuts, and moves where `moves`.
ValueId SourceOf(const Graph& graph, ValueId v, bool moves) {
  while (!graph.is_input(v)) {
    const Node& node = graph.node(v);
    const bool moved = moves && node.row().form == Form::kMove && node.operands.size() == 1;
    if (!IsCopy(node) && !moved) break;
    v = node.operands[0].value;
  }
  return v;
}

// Following "is updated from" leads from the target of `update` over other inputs to the target of
// `reader`, and on to where it began: A <- B; B <- A.
bool IsCycle(const Graph& graph, const Effect& update, const Effect& reader) {
  ValueId at = update.target;
  bool met = false;
  for (size_t steps = 0; steps < graph.effects().size(); ++steps) {
    const auto next = std::find_if(graph.effects().begin(), graph.effects().end(),
                                   [at](const Effect& e) { return e.target == at; });
    if (next == graph.effects().end()) return false;
    at = SourceOf(graph, next->value, true);
    met = met || at == reader.target;
    if (at == update.target) return met;
  }
  return false;
}

// The gather of T at the very indices that the scatter into T writes: `A[i] += ...`.
bool ReadsWhereItWrites(const Graph& graph, const Draft& draft, const Read& read, ValueId scatter) {
  if (draft.value != scatter || draft.is_base_copy || read.position == kLoopIndex) return false;
  const Node& writer = graph.node(scatter);
  const Instruction& position = draft.loop.body[read.position];
  const Node& reader = graph.node(position.node);
  const int k = reader.row().index_operand;
  return reader.row().resolve == writer.row().resolve &&
         reader.row().index_at == writer.row().index_at && reader.attrs == writer.attrs &&
         position.access == draft.loop.body[draft.store_position].access &&
         reader.operands[k].value == writer.operands[writer.row().index_operand].value;
}

// Of a read of the target itself in the writer's segment: by how the reader's index meets the
// target's elements.
HazardClass InKernelClass(const PlanInput& input, const Program& program, const Read& read,
                          const Effect& update) {
  if (read.reader != kNoValue) {
    const Form form = input.graph.node(read.reader).row().form;
    if (form == Form::kReduce || form == Form::kScan || form == Form::kContract)
      return HazardClass::kA3;
    if (form == Form::kIndex && read.reader_operand == 0) return HazardClass::kA2;
  }
  const int relation = read.reader != kNoValue ? read.relation : read.access;
  std::vector<int32_t> places = EnumerateAccess(program, relation);
  const int64_t elements = NumElements(input.graph.type(update.target).shape);
  bool identity = static_cast<int64_t>(places.size()) == elements;
  for (size_t i = 0; identity && i < places.size(); ++i)
    identity = places[i] == static_cast<int32_t>(i);
  if (identity) return HazardClass::kA0;
  std::erase(places, -1);
  std::sort(places.begin(), places.end());
  const bool shared = std::adjacent_find(places.begin(), places.end()) != places.end();
  return shared ? HazardClass::kA1 : HazardClass::kA2;
}

// By the shared rules, in their order. nullopt: no hazard, or one that no fault overlooks.
std::optional<HazardClass> ClassOf(const PlanInput& input, const Program& program,
                                   const Draft& draft, const Read& read, const Effect& update) {
  const Graph& graph = input.graph;
  const Node& target = graph.node(update.target);
  if (read.input != update.target) {
    const Node& other = graph.node(read.input);
    if (other.type.dtype != target.type.dtype) return std::nullopt;
    const bool same = other.type.shape == target.type.shape &&
                      other.layout.strides == target.layout.strides &&
                      other.layout.offset == target.layout.offset;
    return same ? HazardClass::kC1 : HazardClass::kC2;
  }
  const ValueId writer = SourceOf(graph, update.value, false);
  if (read.reader == kNoValue) {
    for (const Effect& effect : graph.effects()) {
      if (effect.value != draft.value) continue;
      return effect.is_update() && IsCycle(graph, update, effect) ? HazardClass::kB4
                                                                  : HazardClass::kD1;
    }
  }
  if (read.copied) return HazardClass::kD1;
  const bool writer_scatters = graph.node(writer).row().scatters;
  if (read.reader != kNoValue && graph.node(read.reader).row().scatters &&
      read.reader_operand == 0) {
    if (read.reader == writer) return std::nullopt;
    return HazardClass::kD2;
  }
  if (writer_scatters &&
      SourceOf(graph, graph.node(writer).operands[0].value, true) == update.target &&
      draft.value == writer) {
    if (!ReadsWhereItWrites(graph, draft, read, writer)) return std::nullopt;
    return HazardClass::kA4;
  }
  const ValueId reader = read.reader != kNoValue ? read.reader : draft.value;
  if (input.segments.of[reader] != input.segments.of[writer]) return HazardClass::kB1;
  return InKernelClass(input, program, read, update);
}

}  // namespace

bool IsOverlooked(const PlanInput& input, const Program& program, const Draft& draft,
                  const Read& read, int effect) {
  if (input.faults.none()) return false;
  const auto is_planted = [&](const Blindness& row) { return input.Has(row.fault); };
  if (std::none_of(std::begin(kBlindness), std::end(kBlindness), is_planted)) return false;
  const std::optional<HazardClass> read_class =
      ClassOf(input, program, draft, read, input.graph.effects()[effect]);
  return std::any_of(std::begin(kBlindness), std::end(kBlindness),
                     [&](const Blindness& row) { return row.to == read_class && is_planted(row); });
}

}  // namespace seamfuzz
