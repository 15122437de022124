// Scatter results first (some take over their base's memory, L5), then outputs, then temporaries.
#include "engine/kernel/homes.h"

#include <algorithm>

#include "engine/kernel/access.h"
#include "engine/kernel/legality.h"

namespace seamfuzz {
namespace {

class Homes {
 public:
  Homes(const PlanInput& input, CommitPlan plan, const std::vector<int>& input_buffers,
        Program& program)
      : input_(input),
        graph_(input.graph),
        plan_(std::move(plan)),
        input_buffers_(input_buffers),
        program_(program) {}

  CommitPlan Run() {
    for (size_t d = 0; d < drafts().size(); ++d) {
      if (drafts()[d].loop.kind == LoopKind::kScatter) TakeOverBase(static_cast<int>(d));
    }
    PlaceOutputs();
    plan_.loop_of = FuseLoops(drafts());
    for (size_t d = 0; d < drafts().size(); ++d) GiveHomesToLoads(static_cast<int>(d));
    for (size_t d = 0; d < drafts().size(); ++d) {
      if (drafts()[d].loop.kind == LoopKind::kScatter) StoreScatter(static_cast<int>(d));
    }
    return std::move(plan_);
  }

 private:
  std::vector<Draft>& drafts() { return plan_.order.drafts.list; }
  Draft& draft(int number) { return plan_.order.drafts.list[number]; }

  int AddBuffer(ValueId value, DType dtype) {
    const Shape& shape = graph_.type(value).shape;
    program_.buffers.push_back(
        {.value = value, .dtype = dtype, .shape = shape, .strides = ContiguousStrides(shape)});
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  // ---- Scatters ----

  int BaseCopyOf(int scatter) { return draft(scatter).after[0]; }

  void TakeOverBase(int scatter) {
    if (draft(BaseCopyOf(scatter)).dropped) return;  // in place already
    if (const ValueId input = PlantedInPlace(scatter); input != kNoValue) {
      draft(scatter).home = input_buffers_[input];
      draft(BaseCopyOf(scatter)).dropped = true;
    } else if (input_.Has(Fault::kScatterIntoExpanded)) {
      KeepUnexpanded(scatter);
    }
    if (draft(scatter).home >= 0) return;
    if (const int base = DyingBase(scatter); base >= 0) {
      GiveHome(base);
      draft(scatter).home = draft(base).home;
      draft(BaseCopyOf(scatter)).dropped = true;
    }
  }

  // L5: the base lives in a temporary that nothing but this scatter reads.
  int DyingBase(int scatter) {
    const Draft& writer = draft(scatter);
    const ValueId base = graph_.node(writer.value).operands[0].value;
    if (graph_.is_input(base) || plan_.order.owner[base] >= 0) return -1;
    const int made = plan_.order.drafts.completes.at(writer.kernel, base);
    if (made < 0) return -1;
    for (const Effect& effect : graph_.effects()) {
      if (effect.value == base) return -1;
    }
    for (size_t d = 0; d < drafts().size(); ++d) {
      const Draft& other = drafts()[d];
      if (other.kernel == writer.kernel && static_cast<int>(d) != BaseCopyOf(scatter) &&
          !other.dropped && other.Loads(base)) {
        return -1;
      }
    }
    return made;
  }

  // Planted (scatter-in-place, phantom-write): the input that the scatter writes into instead of a
  // copy; kNoValue for none.
  ValueId PlantedInPlace(int scatter) {
    if (!input_.Has(Fault::kScatterInPlace) && !input_.Has(Fault::kPhantomWrite)) return kNoValue;
    const ValueId value = draft(scatter).value;
    ValueId base = graph_.node(value).operands[0].value;
    bool copied = false;
    while (CopiesOperand(graph_.node(base))) {
      copied = copied || graph_.node(base).op != SegmentSetOp();
      base = graph_.node(base).operands[0].value;
    }
    if (!graph_.is_input(base)) return kNoValue;
    const Node& input = graph_.node(base);
    const auto map = StorageMap(program_, RootAccess(program_, input.type.shape), input);
    if (input.layout.scalar || !map->ProvablyInjective()) return kNoValue;
    if (!input_.storages[input_.storage_of[base]].updated) {
      // What is an index somewhere would lead out of its dim.
      const bool may_be_index = input.type.dtype == DType::kI32 || input.type.dtype == DType::kI64;
      return input_.Has(Fault::kPhantomWrite) && !may_be_index ? base : kNoValue;
    }
    if (!input_.Has(Fault::kScatterInPlace) || copied || !OnlyReaderOfUpdated(scatter, base))
      return kNoValue;
    return base;
  }

  // Something else updates `base`, and nothing but the scatter reads its storage.
  bool OnlyReaderOfUpdated(int scatter, ValueId base) {
    const ValueId value = draft(scatter).value;
    bool updated = false;
    for (const Effect& effect : graph_.effects()) {
      if (effect.target == base && effect.value == value) return false;
      updated = updated || effect.target == base;
    }
    for (size_t d = 0; d < drafts().size(); ++d) {
      if (static_cast<int>(d) == BaseCopyOf(scatter)) continue;
      for (const Read& read : drafts()[d].reads) {
        if (input_.storage_of[read.input] == input_.storage_of[base]) return false;
      }
    }
    return updated;
  }

  // Planted (scatter-into-expanded): the base is an expanded value, and its memory is kept
  // unexpanded.
  void KeepUnexpanded(int scatter) {
    const Node& node = graph_.node(draft(scatter).value);
    const ValueId base = node.operands[0].value;
    const Node& expanded = graph_.node(base);
    Draft& copy = draft(BaseCopyOf(scatter));
    if (expanded.row().form != Form::kMove || expanded.operands.size() != 1 ||
        copy.loop.body.size() != 1)
      return;
    const Instruction& load = copy.loop.body[0];
    const ValueId source = expanded.operands[0].value;
    if (load.code != Opcode::kLoad || load.node != source) return;
    std::vector<int32_t> places = EnumerateAccess(program_, load.access);
    std::sort(places.begin(), places.end());
    if (std::adjacent_find(places.begin(), places.end()) == places.end()) return;

    const int compact = AddBuffer(source, node.type.dtype);
    Buffer view = program_.buffers[compact];
    view.value = draft(scatter).value;
    view.shape = node.type.shape;
    view.alias = compact;
    view.through = load.access;
    program_.buffers.push_back(view);
    draft(scatter).home = static_cast<int>(program_.buffers.size()) - 1;

    Draft compact_copy = CopyDraft(input_, program_, copy.kernel, source, source);
    compact_copy.value = copy.value;
    compact_copy.phase = copy.phase;
    compact_copy.stores = {{compact}};
    compact_copy.snapshots = copy.snapshots;
    copy = std::move(compact_copy);
  }

  void StoreScatter(int scatter) {
    Draft& writer = draft(scatter);
    if (writer.home < 0) writer.home = AddBuffer(writer.value, graph_.type(writer.value).dtype);
    Draft& copy = draft(BaseCopyOf(scatter));
    if (!copy.dropped && copy.stores.empty()) copy.stores.push_back({writer.home});
    if (writer.stores.empty()) writer.stores.push_back({writer.home});
  }

  // ---- Outputs ----

  void PlaceOutputs() {
    program_.output_buffers.assign(graph_.effects().size(), -1);
    const int kernels = static_cast<int>(plan_.order.kernels.size());
    for (int k = 0; k < kernels; ++k) {
      for (int e : plan_.order.kernels[k].effects) {
        const Effect& effect = graph_.effects()[e];
        if (effect.is_update()) continue;
        const int made = plan_.order.drafts.completes.at(k, effect.value);
        if (const int view = PlantedTargetView(effect.value); view >= 0) {
          program_.output_buffers[e] = view;
          continue;
        }
        const int shared = PlantedSharedOutput(k, effect.value);
        program_.output_buffers[e] =
            shared >= 0 ? shared : AddBuffer(effect.value, graph_.type(effect.value).dtype);
        StoreOutput(made, program_.output_buffers[e]);
      }
    }
  }

  // Planted (output-is-target): a value that also updates an input is returned as that input's
  // memory.
  int PlantedTargetView(ValueId value) {
    if (!input_.Has(Fault::kOutputIsTarget)) return -1;
    for (const Effect& effect : graph_.effects()) {
      if (!effect.is_update() || effect.value != value) continue;
      Buffer view = program_.buffers[input_buffers_[effect.target]];
      view.value = value;
      program_.buffers.push_back(view);
      return static_cast<int>(program_.buffers.size()) - 1;
    }
    return -1;
  }

  // Planted (outputs-share-buffer): the memory of another output of the kernel with the same type.
  int PlantedSharedOutput(int kernel, ValueId value) {
    if (!input_.Has(Fault::kOutputsShareBuffer)) return -1;
    for (int e : plan_.order.kernels[kernel].effects) {
      const int buffer = program_.output_buffers[e];
      const ValueId other = graph_.effects()[e].value;
      // What is an index somewhere would lead out of its dim.
      const DType dtype = graph_.type(value).dtype;
      const bool may_be_index = dtype == DType::kI32 || dtype == DType::kI64;
      if (buffer >= 0 && other != value && graph_.type(other) == graph_.type(value) &&
          !may_be_index) {
        return buffer;
      }
    }
    return -1;
  }

  void StoreOutput(int made, int buffer) {
    Draft& writer = draft(made);
    const bool scatters = writer.loop.kind == LoopKind::kScatter;
    if (!scatters) writer.stores.push_back({buffer});
    if (writer.home < 0) writer.home = buffer;
    if (!scatters || writer.home == buffer) return;
    // A scatter's loop writes some elements only: the rest of a second buffer has to be copied.
    Draft copy = CopyDraft(input_, program_, writer.kernel, writer.value, writer.value);
    copy.producer = made;
    copy.stores = {{buffer}};
    copy.phase = writer.phase + 1;
    drafts().push_back(std::move(copy));
  }

  // ---- Temporaries ----

  // Every value that another loop loads gets memory; loads of the same loop's values are registers.
  void GiveHomesToLoads(int reader) {
    if (draft(reader).dropped) return;
    for (const Instruction& load : draft(reader).loop.body) {
      if (load.code != Opcode::kLoad || load.buffer >= 0) continue;
      const int producer = ProducerOf(plan_.order, input_, draft(reader), load.node);
      if (producer >= 0 && plan_.loop_of[producer] != plan_.loop_of[reader]) GiveHome(producer);
    }
  }

  void GiveHome(int number) {
    Draft& made = draft(number);
    if (made.home >= 0) return;
    made.home = AddBuffer(made.value, HomeDType(made));
    if (made.loop.kind != LoopKind::kScatter) made.stores.push_back({made.home});
  }

  DType HomeDType(const Draft& made) const {
    const Node& node = graph_.node(made.value);
    const bool leaves = plan_.order.owner[made.value] == made.kernel;
    const bool wide = node.type.dtype == DType::kF32 || node.type.dtype == DType::kF64;
    const bool narrow =
        input_.Has(Fault::kNarrowEdge) && leaves && wide && node.op == SegmentSetOp();
    return narrow ? DType::kBF16 : node.type.dtype;
  }

  const PlanInput& input_;
  const Graph& graph_;
  CommitPlan plan_;
  const std::vector<int>& input_buffers_;
  Program& program_;
};

}  // namespace

CommitPlan PlaceHomes(const PlanInput& input, CommitPlan plan,
                      const std::vector<int>& input_buffers, Program& program) {
  return Homes(input, std::move(plan), input_buffers, program).Run();
}

}  // namespace seamfuzz
