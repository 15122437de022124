// Inlines each value's expression into the loop of the value that is stored, by forms.
#include "engine/kernel/lower.h"

#include <algorithm>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// Bodies stay below about this many instructions: a larger expression is cut by materializing a
// value inside.
constexpr int kMaxInlineWeight = 64;
constexpr int kWarpThreads = 32;
// Room for most bodies without growing.
constexpr int kUsualBody = 8;
// Partial results of a two-pass reduction.
constexpr int kParts = 4;

int InternAccess(Program& program, Access access) {
  for (size_t i = 0; i < program.accesses.size(); ++i) {
    const Access& other = program.accesses[i];
    if (other.kind == access.kind && other.parent == access.parent && other.node == access.node &&
        other.operand == access.operand && other.to == access.to && other.from == access.from) {
      return static_cast<int>(i);
    }
  }
  program.accesses.push_back(std::move(access));
  return static_cast<int>(program.accesses.size()) - 1;
}

// The map from a loop's space (kept dims, then combined dims in `dims`) to an operand of `shape`.
AffineMap AxesMap(const Shape& space, const Shape& shape, const IntList& dims) {
  AffineMap map{space, IntList::Filled(space.size(), 0), 0};
  const Strides strides = ContiguousStrides(shape);
  int kept = 0, combined = shape.size() - dims.size();
  for (int d = 0; d < shape.size(); ++d) {
    const int axis = dims.contains(d) ? combined++ : kept++;
    if (space[axis] > 1) map.coefficients[axis] = strides[d];
  }
  return map;
}

class Lowering {
 public:
  Lowering(const PlanInput& input, const Partition& partition, Program& program)
      : input_(input),
        partition_(partition),
        program_(program),
        graph_(input.graph),
        drafts_{{}, DraftIndex(static_cast<int>(partition.kernels.size()), graph_.size())} {}

  Drafts Run() {
    for (size_t k = 0; k < partition_.kernels.size(); ++k) LowerKernel(static_cast<int>(k));
    return std::move(drafts_);
  }

 private:
  struct Emitted {
    ValueId value;
    int access;
    int position;
    int result;
  };

  void LowerKernel(int kernel) {
    const KernelDraft& draft = partition_.kernels[kernel];
    ChooseStored(kernel);
    for (int e : draft.effects) {
      const ValueId value = graph_.effects()[e].value;
      if (graph_.is_input(value) && drafts_.completes.at(kernel, value) < 0)
        LowerPointwise(kernel, value);
    }
    for (ValueId v : draft.values) {
      if (!stored_[v]) continue;
      const Node& node = graph_.node(v);
      switch (node.row().form) {
        case Form::kReduce:
          LowerReduce(kernel, v);
          break;
        case Form::kScan:
          LowerScan(kernel, v);
          break;
        case Form::kContract:
          LowerContract(kernel, v);
          break;
        default:
          node.row().scatters ? LowerScatter(kernel, v) : LowerPointwise(kernel, v);
      }
    }
  }

  // Which values of the kernel live in memory: those that leave it, those that need a loop of their
  // own, those that the schedule wants there, and those whose inlined expression would grow too
  // large.
  void ChooseStored(int kernel) {
    const KernelDraft& draft = partition_.kernels[kernel];
    stored_.assign(graph_.nodes().size(), false);
    computed_.assign(graph_.nodes().size(), false);
    std::vector<int> weight(graph_.nodes().size(), 1);
    for (int e : draft.effects) stored_[graph_.effects()[e].value] = true;
    for (ValueId v : draft.values) {
      computed_[v] = true;
      const Node& node = graph_.node(v);
      for (const Operand& operand : node.operands) {
        if (!operand.is_literal() && computed_[operand.value] && !stored_[operand.value]) {
          weight[v] += weight[operand.value];
        }
      }
      if (NeedsOwnLoop(node) || partition_.owner[v] == kernel || weight[v] > kMaxInlineWeight ||
          input_.choice(v).place == PlaceChoice::kMaterialize) {
        stored_[v] = true;
      }
    }
  }

  // ---- Loops by form ----

  Draft NewDraft(int kernel, ValueId value, LoopKind kind) {
    body_.clear();
    Draft draft{.kernel = kernel, .value = value};
    draft.loop.kind = kind;
    draft.loop.map = input_.choice(value).map;
    draft.loop.order = input_.choice(value).loop;
    draft.loop.body.reserve(kUsualBody);
    draft.loop.operands.reserve(kUsualBody);
    return draft;
  }

  int Finish(Draft draft) {
    const int number = static_cast<int>(drafts_.list.size());
    if (draft.finishes) drafts_.completes.at(draft.kernel, draft.value) = number;
    drafts_.list.push_back(std::move(draft));
    return number;
  }

  void LowerPointwise(int kernel, ValueId v) {
    Draft draft = NewDraft(kernel, v, LoopKind::kMap);
    const Shape& shape = graph_.type(v).shape;
    draft.loop.space = draft.loop.outer = shape;
    draft.store_access = RootAccess(program_, shape);
    draft.result = EmitComputed(draft, v, draft.store_access, kLoopIndex);
    if (!ForwardsUnrounded(v)) draft.result = Rounded(draft, draft.result);
    RecordReads(draft, v, {.access = draft.store_access});
    Finish(std::move(draft));
  }

  // Reduce and Contract share this: `element` emits what is combined, over a space of kept dims and
  // `combined` ones.
  template <typename Element>
  void LowerCombining(int kernel, ValueId v, const Shape& kept, const Shape& combined,
                      const Element& element) {
    Draft draft = NewDraft(kernel, v, LoopKind::kReduce);
    Loop& loop = draft.loop;
    loop.outer = loop.space = kept;
    for (int64_t extent : combined) loop.space.push_back(extent);
    loop.inner = NumElements(combined);
    loop.strategy = input_.choice(v).reduce;
    loop.team = TeamOf(loop.strategy);
    const int combined_value = element(draft);
    const DType accumulator = AccumulatorOf(v);
    const bool two_pass = loop.strategy == ReduceChoice::kTwoPass && loop.inner > 1;
    if (!two_pass) {
      draft.result = Combine(draft, v, accumulator, combined_value);
      draft.store_access = RootAccess(program_, kept);
      Finish(std::move(draft));
      return;
    }
    // First pass: strided parts of each line into a temporary; second pass: one thread for each
    // line of parts.
    loop.parts = kParts;
    Shape parts = {NumElements(kept), kParts};
    draft.result = Combine(draft, v, accumulator, combined_value);
    draft.store_access = RootAccess(program_, parts);
    draft.finishes = false;
    Buffer partial{
        .value = v, .dtype = accumulator, .shape = parts, .strides = ContiguousStrides(parts)};
    program_.buffers.push_back(partial);
    const int buffer = static_cast<int>(program_.buffers.size()) - 1;
    draft.stores.push_back({buffer});
    draft.home = buffer;
    const int first = Finish(std::move(draft));

    Draft second = NewDraft(kernel, v, LoopKind::kReduce);
    second.loop.outer = {parts[0]};
    second.loop.space = parts;
    second.loop.inner = kParts;
    second.after = {first};
    const int part = Emit(second, {.code = Opcode::kLoad,
                                   .dtype = accumulator,
                                   .value_dtype = accumulator,
                                   .node = v,
                                   .access = RootAccess(program_, parts),
                                   .buffer = buffer});
    second.result = Combine(second, v, accumulator, part);
    second.store_access = RootAccess(program_, second.loop.outer);
    Finish(std::move(second));
  }

  void LowerReduce(int kernel, ValueId v) {
    const Node& node = graph_.node(v);
    const ValueId operand = node.operands[0].value;
    const Shape& shape = graph_.type(operand).shape;
    const IntList dims = ListAttr(node.row(), node.attrs, AttrKey::kDims, shape.size());
    Shape kept, combined;
    for (int d = 0; d < shape.size(); ++d) (dims.contains(d) ? combined : kept).push_back(shape[d]);
    LowerCombining(kernel, v, kept, combined, [&](Draft& draft) {
      const int access = Axes(draft.loop.space, v, 0, shape, dims);
      const int value = EmitOperand(draft, operand, access, kLoopIndex, v, 0);
      return ToDType(draft, value, graph_.type(operand).dtype, ComputeDType(graph_, node));
    });
  }

  void LowerContract(int kernel, ValueId v) {
    const Node& node = graph_.node(v);
    const Shape& a = graph_.type(node.operands[0].value).shape;
    const DType product = AccumulatorOf(v);
    LowerCombining(kernel, v, node.type.shape, {a[a.size() - 1]}, [&](Draft& draft) {
      std::array<int, 2> factors;
      for (int k = 0; k < 2; ++k) {
        const int access = ContractAxes(draft.loop.space, v, k);
        factors[k] =
            Rounded(draft, EmitOperand(draft, node.operands[k].value, access, kLoopIndex, v, k));
      }
      return EmitWith(draft,
                      {.code = Opcode::kApply, .dtype = product, .value_dtype = product, .node = v},
                      {factors[0], factors[1]});
    });
  }

  void LowerScan(int kernel, ValueId v) {
    const Node& node = graph_.node(v);
    const Shape& shape = node.type.shape;
    const ValueId operand = node.operands[0].value;
    const IntList dims = {IntAttr(node.attrs, AttrKey::kDim)};
    Draft draft = NewDraft(kernel, v, LoopKind::kScan);
    for (int d = 0; d < shape.size(); ++d) {
      if (!dims.contains(d)) draft.loop.outer.push_back(shape[d]);
    }
    draft.loop.space = draft.loop.outer;
    draft.loop.inner = shape[static_cast<int>(dims[0])];
    draft.loop.space.push_back(draft.loop.inner);
    const int access = Axes(draft.loop.space, v, 0, shape, dims);
    const int value = EmitOperand(draft, operand, access, kLoopIndex, v, 0);
    const int converted =
        ToDType(draft, value, graph_.type(operand).dtype, ComputeDType(graph_, node));
    draft.result = Combine(draft, v, AccumulatorOf(v), converted);
    draft.store_access = access;
    Finish(std::move(draft));
  }

  // A copy of operand 0 into the result's home, a barrier, then one instance for each index that
  // writes its element.
  void LowerScatter(int kernel, ValueId v) {
    const Node& node = graph_.node(v);
    const OpRow& row = node.row();
    const ValueId base = node.operands[0].value;
    Draft copy = NewDraft(kernel, v, LoopKind::kMap);
    copy.loop.space = copy.loop.outer = node.type.shape;
    copy.store_access = RootAccess(program_, node.type.shape);
    copy.result = Rounded(copy, EmitOperand(copy, base, copy.store_access, kLoopIndex, v, 0));
    copy.finishes = false;
    copy.is_base_copy = true;
    const int first = Finish(std::move(copy));

    Draft draft = NewDraft(kernel, v, LoopKind::kScatter);
    const ValueId index = node.operands[row.index_operand].value;
    const Shape& space = graph_.type(index).shape;
    draft.loop.space = draft.loop.outer = space;
    const int at = RootAccess(program_, space);
    const int position = EmitPosition(draft, v, at, kLoopIndex);
    for (int k = 1; k < static_cast<int>(node.operands.size()); ++k) {
      if (k == row.index_operand) continue;
      draft.result =
          Rounded(draft, EmitOperand(draft, node.operands[k].value, at, kLoopIndex, v, k));
    }
    draft.store_access = RootAccess(program_, node.type.shape);
    draft.store_position = position;
    draft.after = {first};
    Finish(std::move(draft));
  }

  // ---- Expressions ----

  int Emit(Draft& draft, Instruction instruction) { return EmitWith(draft, instruction, {}); }
  int EmitWith(Draft& draft, Instruction instruction, std::initializer_list<int> operands) {
    instruction.first = static_cast<int>(draft.loop.operands.size());
    instruction.count = static_cast<int>(operands.size());
    draft.loop.operands.insert(draft.loop.operands.end(), operands.begin(), operands.end());
    draft.loop.body.push_back(instruction);
    return static_cast<int>(draft.loop.body.size()) - 1;
  }

  bool IsLoaded(ValueId v) const { return graph_.is_input(v) || !computed_[v] || stored_[v]; }

  // The register of value `v` at a place: loaded where the value is in memory, else computed here.
  int EmitValue(Draft& draft, ValueId v, int access, int position) {
    for (const Emitted& emitted : body_) {
      if (emitted.value == v && emitted.access == access && emitted.position == position)
        return emitted.result;
    }
    int result;
    if (IsLoaded(v)) {
      const DType dtype = graph_.type(v).dtype;
      result = Emit(draft, {.code = Opcode::kLoad,
                            .dtype = dtype,
                            .value_dtype = dtype,
                            .node = v,
                            .access = access,
                            .position = position});
    } else {
      result = EmitComputed(draft, v, access, position);
    }
    body_.push_back({v, access, position, result});
    return result;
  }

  // The same, and the reads behind it are those of operand `k` of `reader`.
  int EmitOperand(Draft& draft, ValueId v, int access, int position, ValueId reader, int k) {
    const int result = EmitValue(draft, v, access, position);
    Read read{.access = access, .position = position, .reader = reader, .reader_operand = k};
    if (input_.faults.any()) read.relation = OwnRelation(reader, k);
    RecordReads(draft, v, read);
    return result;
  }

  // `v` computed in this loop, whatever its place; an input is loaded.
  int EmitComputed(Draft& draft, ValueId v, int access, int position) {
    const Node& node = graph_.node(v);
    const DType dtype = node.type.dtype;
    if (graph_.is_input(v)) {
      return Emit(draft, {.code = Opcode::kLoad,
                          .dtype = dtype,
                          .value_dtype = dtype,
                          .node = v,
                          .access = access,
                          .position = position});
    }
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

  int EmitElementwise(Draft& draft, ValueId v, int access, int position) {
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
      const int at = Broadcast(access, v, static_cast<int>(k));
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
    apply.first = static_cast<int>(draft.loop.operands.size());
    apply.count = static_cast<int>(node.operands.size());
    draft.loop.operands.insert(draft.loop.operands.end(), registers.begin(),
                               registers.begin() + apply.count);
    draft.loop.body.push_back(apply);
    return static_cast<int>(draft.loop.body.size()) - 1;
  }

  // Planted (narrow-forward): a value that is narrowed for an effect keeps its wide register, which
  // readers in the loop get.
  bool ForwardsUnrounded(ValueId v) const {
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

  int EmitMove(Draft& draft, ValueId v, int access, int position) {
    const Node& node = graph_.node(v);
    PlaceTable& table = program_.places[v];
    if (table.position.empty()) table = EnumeratePlaces(graph_, node);
    if (table.operand.empty()) {
      return EmitValue(draft, node.operands[0].value, Moved(access, v, 0), position);
    }
    std::array<int, kMaxArity> registers;
    DType dtype = node.type.dtype;
    for (size_t k = 0; k < node.operands.size(); ++k) {
      registers[k] =
          EmitValue(draft, node.operands[k].value, Moved(access, v, static_cast<int>(k)), position);
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
    select.first = static_cast<int>(draft.loop.operands.size());
    select.count = static_cast<int>(node.operands.size());
    draft.loop.operands.insert(draft.loop.operands.end(), registers.begin(),
                               registers.begin() + select.count);
    draft.loop.body.push_back(select);
    return static_cast<int>(draft.loop.body.size()) - 1;
  }

  // The position in operand 0 of an Index node, at a place of its iteration space.
  int EmitPosition(Draft& draft, ValueId v, int access, int position) {
    const Node& node = graph_.node(v);
    const int k = node.row().index_operand;
    const ValueId index = node.operands[k].value;
    const int at = InternAccess(program_, {.kind = StepKind::kIndexAt,
                                           .parent = access,
                                           .node = v,
                                           .operand = k,
                                           .from = program_.accesses[access].to,
                                           .to = graph_.type(index).shape});
    const int value = EmitOperand(draft, index, at, position, v, k);
    return EmitWith(draft,
                    {.code = Opcode::kPosition,
                     .dtype = DType::kI64,
                     .value_dtype = DType::kI64,
                     .node = v,
                     .access = access,
                     .position = position},
                    {value});
  }

  int Combine(Draft& draft, ValueId v, DType accumulator, int element) {
    return EmitWith(
        draft,
        {.code = Opcode::kCombine, .dtype = accumulator, .value_dtype = accumulator, .node = v},
        {element});
  }

  // Rounds a register that holds excess precision to its value's dtype.
  int Rounded(Draft& draft, int reg) {
    const Instruction& made = draft.loop.body[reg];
    if (made.code != Opcode::kApply && made.code != Opcode::kSelect) return reg;
    const DType dtype = graph_.type(made.node).dtype;
    if (made.dtype == dtype) return reg;
    return EmitWith(
        draft, {.code = Opcode::kConvert, .dtype = dtype, .value_dtype = dtype, .node = made.node},
        {reg});
  }

  int ToDType(Draft& draft, int reg, DType from, DType to) {
    if (from == to) return reg;
    return EmitWith(draft, {.code = Opcode::kConvert, .dtype = to, .value_dtype = from},
                    {Rounded(draft, reg)});
  }

  // Narrow floats are combined in f32 and rounded once, where the result is stored.
  DType AccumulatorOf(ValueId v) const {
    const DType compute = ComputeDType(graph_, graph_.node(v));
    return IsNarrowFloat(compute) ? DType::kF32 : compute;
  }

  int TeamOf(ReduceChoice strategy) const {
    const int block = input_.schedule.block;
    switch (strategy) {
      case ReduceChoice::kSerial:
      case ReduceChoice::kTwoPass:
        return 1;
      case ReduceChoice::kWarpShuffle: {
        int warp = 1;
        while (warp * 2 <= std::min(block, kWarpThreads)) warp *= 2;
        return warp;
      }
      case ReduceChoice::kSharedTree:
      case ReduceChoice::kPersistent:
        return block;
    }
    return 1;
  }

  // ---- Accesses ----

  int Axes(const Shape& space, ValueId v, int k, const Shape& shape, const IntList& dims) {
    return InternAccess(program_, {.kind = StepKind::kAxes,
                                   .node = v,
                                   .operand = k,
                                   .from = space,
                                   .to = shape,
                                   .map = AxesMap(space, shape, dims)});
  }

  // Operand k of a matmul over [batch..., m, n, depth]; a vector has no m or no n (torch.matmul).
  int ContractAxes(const Shape& space, ValueId v, int k) {
    const Node& node = graph_.node(v);
    const Shape& shape = graph_.type(node.operands[k].value).shape;
    const Strides strides = ContiguousStrides(shape);
    const int rank = shape.size(), depth = space.size() - 1;
    const int columns = graph_.type(node.operands[1].value).shape.size() > 1 ? 1 : 0;
    const int rows = graph_.type(node.operands[0].value).shape.size() > 1 ? 1 : 0;
    AffineMap map{space, IntList::Filled(space.size(), 0), 0};
    const auto set = [&](int axis, int dim) {
      if (space[axis] > 1 && shape[dim] > 1) map.coefficients[axis] = strides[dim];
    };
    if (rank == 1) {
      set(depth, 0);
    } else {
      for (int d = 0; d < rank - 2; ++d) set(depth - rows - columns - (rank - 2) + d, d);
      set(k == 0 ? depth - columns - 1 : depth - 1, k == 0 ? rank - 2 : rank - 1);
      set(depth, k == 0 ? rank - 1 : rank - 2);
    }
    return InternAccess(
        program_,
        {.kind = StepKind::kAxes, .node = v, .operand = k, .from = space, .to = shape, .map = map});
  }

  int Broadcast(int access, ValueId v, int k) {
    const Shape& result = graph_.type(v).shape;
    const Shape& shape = graph_.type(graph_.node(v).operands[k].value).shape;
    if (result == shape) return access;
    return InternAccess(program_, {.kind = StepKind::kBroadcast,
                                   .parent = access,
                                   .node = v,
                                   .operand = k,
                                   .from = result,
                                   .to = shape});
  }
  int Moved(int access, ValueId v, int k) {
    return InternAccess(program_, {.kind = StepKind::kMove,
                                   .parent = access,
                                   .node = v,
                                   .operand = k,
                                   .from = graph_.type(v).shape,
                                   .to = graph_.type(graph_.node(v).operands[k].value).shape});
  }

  // ---- Reads of updated storages ----

  // From the reader's own iteration space to its operand k.
  int OwnRelation(ValueId reader, int k) {
    const Node& node = graph_.node(reader);
    const OpRow& row = node.row();
    const Shape& shape = graph_.type(node.operands[k].value).shape;
    if (row.form == Form::kElementwise)
      return Broadcast(RootAccess(program_, node.type.shape), reader, k);
    if (k == row.index_operand && !row.scatters) {
      return InternAccess(program_, {.kind = StepKind::kIndexAt,
                                     .parent = RootAccess(program_, node.type.shape),
                                     .node = reader,
                                     .operand = k,
                                     .from = node.type.shape,
                                     .to = shape});
    }
    return RootAccess(program_, shape);
  }

  // Follows copies and moves from `v` down to inputs that an update may change.
  void RecordReads(Draft& draft, ValueId v, Read read) {
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
      behind.access = Moved(read.access, v, static_cast<int>(k));
      if (read.relation >= 0) behind.relation = Moved(read.relation, v, static_cast<int>(k));
      RecordReads(draft, node.operands[k].value, behind);
    }
  }

  const PlanInput& input_;
  const Partition& partition_;
  Program& program_;
  const Graph& graph_;
  Drafts drafts_;
  std::vector<Emitted> body_;  // of the draft in work
  std::vector<bool> stored_;   // of the kernel in work
  std::vector<bool> computed_;
};

}  // namespace

bool Draft::Loads(ValueId v) const {
  return std::any_of(loop.body.begin(), loop.body.end(), [v](const Instruction& instruction) {
    return instruction.code == Opcode::kLoad && instruction.node == v;
  });
}

Draft CopyDraft(const PlanInput& input, Program& program, int kernel, ValueId value,
                ValueId mapped_as) {
  const TensorType& type = input.graph.type(value);
  Draft draft{.kernel = kernel, .value = value};
  draft.loop.space = draft.loop.outer = type.shape;
  draft.loop.map = input.choice(mapped_as).map;
  draft.loop.order = input.choice(mapped_as).loop;
  draft.store_access = RootAccess(program, type.shape);
  draft.loop.body = {{.code = Opcode::kLoad,
                      .dtype = type.dtype,
                      .value_dtype = type.dtype,
                      .node = value,
                      .access = draft.store_access}};
  draft.result = 0;
  draft.finishes = false;
  return draft;
}

int RootAccess(Program& program, const Shape& shape) {
  return InternAccess(program, {.kind = StepKind::kRoot, .from = shape, .to = shape});
}

Drafts LowerKernels(const PlanInput& input, const Partition& partition, Program& program) {
  program.places.resize(input.graph.nodes().size());
  return Lowering(input, partition, program).Run();
}

}  // namespace seamfuzz
