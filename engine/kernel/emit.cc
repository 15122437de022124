// One function for each form that can be inlined.
#include "engine/kernel/emit.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/kernel/access.h"
#include "generator/ir/check.h"

namespace seamfuzz {

void Emitter::BeginKernel(std::vector<bool> computed, std::vector<bool> stored) {
  computed_ = std::move(computed);
  stored_ = std::move(stored);
}

int Emitter::Emit(Draft& draft, Instruction instruction, std::span<const int> operands) {
  instruction.first = static_cast<int>(draft.loop.operands.size());
  instruction.count = static_cast<int>(operands.size());
  draft.loop.operands.insert(draft.loop.operands.end(), operands.begin(), operands.end());
  draft.loop.body.push_back(instruction);
  return static_cast<int>(draft.loop.body.size()) - 1;
}

int Emitter::EmitLoad(Draft& draft, ValueId v, int access, int position) {
  const DType dtype = graph_.type(v).dtype;
  return Emit(draft, {.code = Opcode::kLoad,
                      .dtype = dtype,
                      .value_dtype = dtype,
                      .node = v,
                      .access = access,
                      .position = position});
}

int Emitter::EmitRoot(Draft& draft, ValueId v, int access) {
  const int value = EmitComputed(draft, v, access, kLoopIndex);
  const int result = ForwardsUnrounded(v) ? value : Rounded(draft, value);
  RecordReads(draft, v, {.access = access});
  return result;
}

// The register of value `v` at a place: loaded where the value is in memory, else computed here.
int Emitter::EmitValue(Draft& draft, ValueId v, int access, int position) {
  for (const Emitted& emitted : emitted_) {
    if (emitted.value == v && emitted.access == access && emitted.position == position)
      return emitted.result;
  }
  const int result =
      IsLoaded(v) ? EmitLoad(draft, v, access, position) : EmitComputed(draft, v, access, position);
  emitted_.push_back({v, access, position, result});
  return result;
}

// The same, and the reads behind it are those of operand `k` of `reader`.
int Emitter::EmitOperand(Draft& draft, ValueId v, int access, int position, ValueId reader, int k) {
  const int result = EmitValue(draft, v, access, position);
  Read read{.access = access, .position = position, .reader = reader, .reader_operand = k};
  if (input_.faults.any()) read.relation = OwnRelation(reader, k);
  RecordReads(draft, v, read);
  return result;
}

// `v` computed in this loop, whatever its place; an input is loaded.
int Emitter::EmitComputed(Draft& draft, ValueId v, int access, int position) {
  const Node& node = graph_.node(v);
  const DType dtype = node.type.dtype;
  if (graph_.is_input(v)) return EmitLoad(draft, v, access, position);
  if (CopiesOperand(node)) {
    const int value = EmitValue(draft, node.operands[0].value, access, position);
    const bool rounds = node.op == SegmentSetOp() && input_.mode == Mode::kSegmented;
    return rounds ? Rounded(draft, value) : value;
  }
  switch (node.row().form) {
    case Form::kSource:
      return Emit(draft, {.code = Opcode::kGenerate,
                          .dtype = dtype,
                          .value_dtype = dtype,
                          .node = v,
                          .access = access,
                          .position = position});
    case Form::kElementwise:
      return EmitElementwise(draft, v, access, position);
    case Form::kMove:
      return EmitMove(draft, v, access, position);
    case Form::kIndex: {
      const int place = EmitPosition(draft, v, access, position);
      const ValueId data = node.operands[0].value;
      return EmitOperand(draft, data, RootAccess(program_, graph_.type(data).shape), place, v, 0);
    }
    default:
      CHECK(false);
      return -1;
  }
}

int Emitter::EmitElementwise(Draft& draft, ValueId v, int access, int position) {
  const Node& node = graph_.node(v);
  const DType compute = ComputeDType(graph_, node);
  std::array<int, kMaxArity> registers;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    const Operand& operand = node.operands[k];
    if (operand.is_literal()) {
      registers[k] =
          Emit(draft, {.code = Opcode::kConstant,
                       .dtype = compute,
                       .value_dtype = compute,
                       .constant = Convert(operand.literal, operand.literal_dtype, compute)});
      continue;
    }
    const int at = BroadcastAccess(program_, access, v, static_cast<int>(k));
    const int value = EmitOperand(draft, operand.value, at, position, v, static_cast<int>(k));
    // Excess precision may pass between ops of one narrow dtype only.
    registers[k] = graph_.type(operand.value).dtype == compute ? value : Rounded(draft, value);
  }
  Instruction apply{
      .code = Opcode::kApply, .dtype = node.type.dtype, .value_dtype = compute, .node = v};
  // A cast always rounds; another narrow op may keep the precision that it was computed in.
  const bool casts = node.row().types == TypeRule::kCast;
  if (IsNarrowFloat(node.type.dtype) && compute == node.type.dtype && !casts) {
    apply.dtype = DType::kF32;
  }
  if (ForwardsUnrounded(v)) apply.dtype = compute;
  return Emit(draft, apply, {registers.data(), node.operands.size()});
}

// Planted (narrow-forward): a value that is narrowed for an effect keeps its wide register, which
// readers in the loop get.
bool Emitter::ForwardsUnrounded(ValueId v) const {
  const Node& node = graph_.node(v);
  if (!input_.Has(Fault::kNarrowForward) || graph_.is_input(v) ||
      node.row().types != TypeRule::kCast)
    return false;
  const DType from = ComputeDType(graph_, node);
  const bool narrows =
      IsFloat(from) && IsFloat(node.type.dtype) && Row(node.type.dtype).digits < Row(from).digits;
  return narrows && std::any_of(graph_.effects().begin(), graph_.effects().end(),
                                [v](const Effect& effect) { return effect.value == v; });
}

int Emitter::EmitMove(Draft& draft, ValueId v, int access, int position) {
  const Node& node = graph_.node(v);
  PlaceTable& table = program_.places[v];
  if (table.position.empty()) table = EnumeratePlaces(graph_, node);
  if (table.operand.empty()) {
    return EmitValue(draft, node.operands[0].value, MoveAccess(program_, access, v, 0), position);
  }
  std::array<int, kMaxArity> registers;
  DType dtype = node.type.dtype;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    registers[k] = EmitValue(draft, node.operands[k].value,
                             MoveAccess(program_, access, v, static_cast<int>(k)), position);
    if (draft.loop.body[registers[k]].dtype != node.type.dtype)
      dtype = draft.loop.body[registers[k]].dtype;
  }
  const Attr* fill = FindAttr(node.attrs, AttrKey::kValue);
  Instruction select{.code = Opcode::kSelect,
                     .dtype = dtype,
                     .value_dtype = node.type.dtype,
                     .node = v,
                     .access = access,
                     .position = position};
  select.constant =
      Convert(FloatScalar(fill != nullptr ? fill->value.f : 0), DType::kF64, node.type.dtype);
  return Emit(draft, select, {registers.data(), node.operands.size()});
}

// The position in operand 0 of an Index node, at a place of its iteration space.
int Emitter::EmitPosition(Draft& draft, ValueId v, int access, int position) {
  const Node& node = graph_.node(v);
  const int k = node.row().index_operand;
  const ValueId index = node.operands[k].value;
  const int at = IndexAccess(program_, access, v);
  const int value = EmitOperand(draft, index, at, position, v, k);
  return Emit(draft,
              {.code = Opcode::kPosition,
               .dtype = DType::kI64,
               .value_dtype = DType::kI64,
               .node = v,
               .access = access,
               .position = position},
              {value});
}

int Emitter::EmitCombine(Draft& draft, ValueId v, int element) {
  const DType accumulator = AccumulatorOf(v);
  return Emit(
      draft,
      {.code = Opcode::kCombine, .dtype = accumulator, .value_dtype = accumulator, .node = v},
      {element});
}

// Rounds a register that holds excess precision to its value's dtype.
int Emitter::Rounded(Draft& draft, int reg) {
  const Instruction& made = draft.loop.body[reg];
  if (made.code != Opcode::kApply && made.code != Opcode::kSelect) return reg;
  const DType dtype = graph_.type(made.node).dtype;
  if (made.dtype == dtype) return reg;
  return Emit(draft,
              {.code = Opcode::kConvert, .dtype = dtype, .value_dtype = dtype, .node = made.node},
              {reg});
}

int Emitter::Converted(Draft& draft, int reg, DType from, DType to) {
  if (from == to) return reg;
  return Emit(draft, {.code = Opcode::kConvert, .dtype = to, .value_dtype = from},
              {Rounded(draft, reg)});
}

// Narrow floats are combined in f32 and rounded once, where the result is stored.
DType Emitter::AccumulatorOf(ValueId v) const {
  const DType compute = ComputeDType(graph_, graph_.node(v));
  return IsNarrowFloat(compute) ? DType::kF32 : compute;
}

// ---- Reads of updated storages ----

// From the reader's own iteration space to its operand k.
int Emitter::OwnRelation(ValueId reader, int k) {
  const Node& node = graph_.node(reader);
  const OpRow& row = node.row();
  const Shape& shape = graph_.type(node.operands[k].value).shape;
  if (row.form == Form::kElementwise)
    return BroadcastAccess(program_, RootAccess(program_, node.type.shape), reader, k);
  if (k == row.index_operand && !row.scatters) {
    return IndexAccess(program_, RootAccess(program_, node.type.shape), reader);
  }
  return RootAccess(program_, shape);
}

// Follows copies and moves from `v` down to inputs that an update may change.
void Emitter::RecordReads(Draft& draft, ValueId v, Read read) {
  const Node& node = graph_.node(v);
  if (graph_.is_input(v)) {
    if (!input_.storages[input_.storage_of[v]].updated) return;
    read.input = v;
    draft.reads.push_back(read);
    return;
  }
  const bool is_root = draft.value == v && read.reader == kNoValue;
  if (!is_root && IsLoaded(v)) return;
  if (CopiesOperand(node)) {
    read.copied = read.copied || node.op != SegmentSetOp();
    RecordReads(draft, node.operands[0].value, read);
    return;
  }
  if (node.row().form != Form::kMove) return;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    Read behind = read;
    behind.access = MoveAccess(program_, read.access, v, static_cast<int>(k));
    if (read.relation >= 0)
      behind.relation = MoveAccess(program_, read.relation, v, static_cast<int>(k));
    RecordReads(draft, node.operands[k].value, behind);
  }
}

}  // namespace seamfuzz
