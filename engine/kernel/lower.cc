// Inlines each value's expression into the loop of the value that is stored, by forms.
#include "engine/kernel/lower.h"

#include <algorithm>

#include "engine/kernel/access.h"
#include "engine/kernel/emit.h"

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

class Lowering {
 public:
  Lowering(const PlanInput& input, const Partition& partition, Program& program)
      : input_(input),
        partition_(partition),
        program_(program),
        graph_(input.graph),
        emitter_(input, program),
        drafts_{{}, DraftIndex(static_cast<int>(partition.kernels.size()), graph_.size())} {}

  Drafts Run() {
    for (size_t k = 0; k < partition_.kernels.size(); ++k) LowerKernel(static_cast<int>(k));
    return std::move(drafts_);
  }

 private:
  void LowerKernel(int kernel) {
    const KernelDraft& draft = partition_.kernels[kernel];
    const std::vector<bool> stored = ChooseStored(kernel);
    for (int e : draft.effects) {
      const ValueId value = graph_.effects()[e].value;
      if (graph_.is_input(value) && drafts_.completes.at(kernel, value) < 0)
        LowerPointwise(kernel, value);
    }
    for (ValueId v : draft.values) {
      if (!stored[v]) continue;
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
  std::vector<bool> ChooseStored(int kernel) {
    const KernelDraft& draft = partition_.kernels[kernel];
    std::vector<bool> stored(graph_.nodes().size(), false);
    std::vector<bool> computed(graph_.nodes().size(), false);
    std::vector<int> weight(graph_.nodes().size(), 1);
    for (int e : draft.effects) stored[graph_.effects()[e].value] = true;
    for (ValueId v : draft.values) {
      computed[v] = true;
      const Node& node = graph_.node(v);
      for (const Operand& operand : node.operands) {
        if (!operand.is_literal() && computed[operand.value] && !stored[operand.value]) {
          weight[v] += weight[operand.value];
        }
      }
      if (NeedsOwnLoop(node) || partition_.owner[v] == kernel || weight[v] > kMaxInlineWeight ||
          input_.choice(v).place == PlaceChoice::kMaterialize) {
        stored[v] = true;
      }
    }
    emitter_.BeginKernel(std::move(computed), stored);
    return stored;
  }

  // ---- Loops by form ----

  Draft NewDraft(int kernel, ValueId value, LoopKind kind) {
    emitter_.BeginBody();
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
    draft.result = emitter_.EmitRoot(draft, v, draft.store_access);
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
    const DType accumulator = emitter_.AccumulatorOf(v);
    const bool two_pass = loop.strategy == ReduceChoice::kTwoPass && loop.inner > 1;
    if (!two_pass) {
      draft.result = emitter_.EmitCombine(draft, v, combined_value);
      draft.store_access = RootAccess(program_, kept);
      Finish(std::move(draft));
      return;
    }
    // First pass: strided parts of each line into a temporary; second pass: one thread for each
    // line of parts.
    loop.parts = kParts;
    Shape parts = {NumElements(kept), kParts};
    draft.result = emitter_.EmitCombine(draft, v, combined_value);
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
    const int part = emitter_.Emit(second, {.code = Opcode::kLoad,
                                            .dtype = accumulator,
                                            .value_dtype = accumulator,
                                            .node = v,
                                            .access = RootAccess(program_, parts),
                                            .buffer = buffer});
    second.result = emitter_.EmitCombine(second, v, part);
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
      const int access = AxesAccess(program_, draft.loop.space, v, 0, dims);
      const int value = emitter_.EmitOperand(draft, operand, access, kLoopIndex, v, 0);
      return emitter_.Converted(draft, value, graph_.type(operand).dtype,
                                ComputeDType(graph_, node));
    });
  }

  void LowerContract(int kernel, ValueId v) {
    const Node& node = graph_.node(v);
    const Shape& a = graph_.type(node.operands[0].value).shape;
    const DType product = emitter_.AccumulatorOf(v);
    LowerCombining(kernel, v, node.type.shape, {a[a.size() - 1]}, [&](Draft& draft) {
      std::array<int, 2> factors;
      for (int k = 0; k < 2; ++k) {
        const int access = ContractAccess(program_, draft.loop.space, v, k);
        factors[k] = emitter_.Rounded(
            draft, emitter_.EmitOperand(draft, node.operands[k].value, access, kLoopIndex, v, k));
      }
      return emitter_.Emit(
          draft, {.code = Opcode::kApply, .dtype = product, .value_dtype = product, .node = v},
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
    const int access = AxesAccess(program_, draft.loop.space, v, 0, dims);
    const int value = emitter_.EmitOperand(draft, operand, access, kLoopIndex, v, 0);
    const int converted =
        emitter_.Converted(draft, value, graph_.type(operand).dtype, ComputeDType(graph_, node));
    draft.result = emitter_.EmitCombine(draft, v, converted);
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
    copy.result = emitter_.Rounded(
        copy, emitter_.EmitOperand(copy, base, copy.store_access, kLoopIndex, v, 0));
    copy.finishes = false;
    copy.is_base_copy = true;
    const int first = Finish(std::move(copy));

    Draft draft = NewDraft(kernel, v, LoopKind::kScatter);
    const ValueId index = node.operands[row.index_operand].value;
    const Shape& space = graph_.type(index).shape;
    draft.loop.space = draft.loop.outer = space;
    const int at = RootAccess(program_, space);
    const int position = emitter_.EmitPosition(draft, v, at, kLoopIndex);
    for (int k = 1; k < static_cast<int>(node.operands.size()); ++k) {
      if (k == row.index_operand) continue;
      draft.result = emitter_.Rounded(
          draft, emitter_.EmitOperand(draft, node.operands[k].value, at, kLoopIndex, v, k));
    }
    draft.store_access = RootAccess(program_, node.type.shape);
    draft.store_position = position;
    draft.after = {first};
    Finish(std::move(draft));
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

  const PlanInput& input_;
  const Partition& partition_;
  Program& program_;
  const Graph& graph_;
  Emitter emitter_;
  Drafts drafts_;
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

Drafts LowerKernels(const PlanInput& input, const Partition& partition, Program& program) {
  program.places.resize(input.graph.nodes().size());
  return Lowering(input, partition, program).Run();
}

}  // namespace seamfuzz
