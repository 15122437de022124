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

// The value that `v` is a plain copy of.
ValueId WithoutCopies(const Graph& graph, ValueId v) {
  while (!graph.is_input(v) && CopiesOperand(graph.node(v))) v = graph.node(v).operands[0].value;
  return v;
}

// The inputs whose elements `v` holds, through copies and moves alone; none when anything else is
// on the way.
void AddSources(const Graph& graph, ValueId v, std::vector<ValueId>& sources) {
  const Node& node = graph.node(v);
  if (graph.is_input(v)) sources.push_back(v);
  if (!CopiesOperand(node) && node.row().form != Form::kMove) return;
  for (const Operand& operand : node.operands) AddSources(graph, operand.value, sources);
}

// What is written to `to` comes back to `from` by updates that only copy: A <- B; B <- A.
bool ClosesCycle(const Graph& graph, ValueId from, ValueId to) {
  std::vector<ValueId> reached = {to};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const Effect& effect : graph.effects()) {
      if (!effect.is_update()) continue;
      std::vector<ValueId> sources;
      AddSources(graph, effect.value, sources);
      const bool follows = std::find(sources.begin(), sources.end(), reached[i]) != sources.end();
      const bool known = std::find(reached.begin(), reached.end(), effect.target) != reached.end();
      if (follows && !known) reached.push_back(effect.target);
    }
  }
  return std::find(reached.begin(), reached.end(), from) != reached.end();
}

bool IsAncestor(const Graph& graph, ValueId ancestor, ValueId v) {
  if (ancestor > v) return false;
  if (ancestor == v) return true;
  const std::vector<Operand>& operands = graph.node(v).operands;
  return std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
    return !operand.is_literal() && IsAncestor(graph, ancestor, operand.value);
  });
}

// The gather of T at the very indices that the scatter into T writes: `A[i] += ...`.
bool ReadsWhereItWrites(const Graph& graph, const Draft& draft, const Read& read, ValueId scatter) {
  if (draft.value != scatter || draft.is_base_copy || read.position == kLoopIndex) return false;
  const Node& writer = graph.node(scatter);
  const Instruction& position = draft.loop.body[read.position];
  const Node& reader = graph.node(position.node);
  const int k = reader.row().index_operand;
  if (reader.row().resolve != writer.row().resolve || reader.attrs != writer.attrs ||
      position.access != draft.loop.body[draft.store_position].access ||
      reader.operands[k].value != writer.operands[writer.row().index_operand].value) {
    return false;
  }
  const Shape& space = graph.type(reader.operands[k].value).shape;
  IntList at = IntList::Filled(space.size(), 0);
  do {
    if (!(reader.row().index_at(at, reader.attrs) == writer.row().index_at(at, writer.attrs)))
      return false;
  } while (NextIndex(at, space));
  return true;
}

// The extents above 1: what is left of a shape when dims of one element come and go.
Shape WithoutUnitDims(const Shape& shape) {
  Shape rest;
  for (int64_t extent : shape) {
    if (extent != 1) rest.push_back(extent);
  }
  return rest;
}

// Of a read of the target itself in the writer's segment: by how the reader's index meets the
// target's elements.
HazardClass InKernelClass(const PlanInput& input, const Program& program, const Read& read,
                          const Effect& update) {
  if (read.reader != kNoValue) {
    const OpRow& row = input.graph.node(read.reader).row();
    const Form form = row.form;
    if (form == Form::kReduce || form == Form::kScan || form == Form::kContract) {
      return HazardClass::kA3;
    }
    // The place of what a gather reads depends on data, and so does where a scatter puts it.
    if (form == Form::kIndex && (row.scatters || read.reader_operand != row.index_operand)) {
      return HazardClass::kA2;
    }
  }
  const int relation = read.reader != kNoValue ? read.relation : read.access;
  std::vector<int32_t> places = EnumerateAccess(program, relation);
  const Shape& target = input.graph.type(update.target).shape;
  bool identity = static_cast<int64_t>(places.size()) == NumElements(target) &&
                  WithoutUnitDims(SpaceOf(program, relation)) == WithoutUnitDims(target);
  for (size_t i = 0; identity && i < places.size(); ++i) {
    identity = places[i] == static_cast<int32_t>(i);
  }
  if (identity) return HazardClass::kA0;
  std::erase(places, -1);
  std::sort(places.begin(), places.end());
  const bool shared = std::adjacent_find(places.begin(), places.end()) != places.end();
  return shared ? HazardClass::kA1 : HazardClass::kA2;
}

// Of a read by the effects of the draft's own value, where there are any and all are of one class.
std::optional<HazardClass> ClassOfEffects(const PlanInput& input, const Program& program,
                                          const Draft& draft, const Read& read,
                                          const Effect& update) {
  std::optional<HazardClass> all;
  for (const Effect& effect : input.graph.effects()) {
    if (effect.value != draft.value) continue;
    HazardClass one = HazardClass::kD1;
    if (effect == update) {
      if (!read.copied) one = InKernelClass(input, program, read, update);
    } else if (effect.is_update() && ClosesCycle(input.graph, update.target, effect.target)) {
      one = HazardClass::kB4;
    }
    if (all && *all != one) return std::nullopt;
    all = one;
  }
  return all;
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
  const ValueId writer = WithoutCopies(graph, update.value);
  // A copy that is kept in memory has many readers: no fault overlooks it.
  if (read.reader == kNoValue) {
    return ClassOfEffects(input, program, draft, read, update);
  }
  if (read.copied) return HazardClass::kD1;
  if (graph.node(read.reader).row().scatters && read.reader_operand == 0) {
    // Only a scatter on the input itself can take its memory over.
    const bool whole = program.accesses[read.access].kind == StepKind::kRoot;
    if (read.reader == writer || !whole) return std::nullopt;
    return HazardClass::kD2;
  }
  const Node& scatter = graph.node(writer);
  if (scatter.row().scatters) {
    std::vector<ValueId> base;
    AddSources(graph, scatter.operands[0].value, base);
    const bool into_target = std::find(base.begin(), base.end(), update.target) != base.end();
    const bool feeds =
        read.reader == writer || IsAncestor(graph, read.reader, scatter.operands.back().value);
    if (into_target && feeds) {
      if (ReadsWhereItWrites(graph, draft, read, writer)) return HazardClass::kA4;
      return std::nullopt;
    }
  }
  const std::vector<int>& segment = input.segments.of;
  if (input.mode == Mode::kSegmented && segment[read.reader] != segment[update.value]) {
    return HazardClass::kB1;
  }
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
