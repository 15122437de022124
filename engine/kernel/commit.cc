// Phases by what must be complete before a loop starts, then L1 for each update.
#include "engine/kernel/commit.h"

#include <algorithm>

#include "engine/kernel/access.h"
#include "engine/kernel/legality.h"

namespace seamfuzz {
namespace {

bool SameThreads(const Loop& a, const Loop& b) {
  if (a.map != b.map || a.order != b.order) return false;
  return a.outer == b.outer || (a.order == LoopChoice::kRowMajor && a.instances() == b.instances());
}

// Pointwise loops of one phase over one space with one mapping become one loop.
bool CanFuse(const Draft& a, const Draft& b) {
  return a.kernel == b.kernel && a.loop.kind == LoopKind::kMap && b.loop.kind == LoopKind::kMap &&
         a.loop.space == b.loop.space && a.loop.map == b.loop.map && a.loop.order == b.loop.order;
}

class Committing {
 public:
  Committing(const PlanInput& input, KernelOrder order, const std::vector<int>& input_buffers,
             Program& program)
      : input_(input), graph_(input.graph), input_buffers_(input_buffers), program_(program) {
    plan_.order = std::move(order);
  }

  CommitPlan Run() {
    AssignPhases();
    plan_.loop_of = FuseLoops(drafts());
    for (size_t u = 0; u < updates().size(); ++u) Commit(static_cast<int>(u));
    return std::move(plan_);
  }

 private:
  std::vector<Draft>& drafts() { return plan_.order.drafts.list; }
  Draft& draft(int number) { return plan_.order.drafts.list[number]; }
  std::vector<UpdatePlan>& updates() { return plan_.order.updates; }

  // ---- Phases ----

  // One thread may go on from `earlier` to `later` without a barrier: it loads only what it has
  // stored itself.
  bool NeedsNoBarrier(const Draft& earlier, const Draft& later, const Instruction& load) const {
    if (later.loop.kind != LoopKind::kMap || load.position != kLoopIndex ||
        load.access != later.store_access)
      return false;
    if (earlier.loop.kind == LoopKind::kMap) return CanFuse(earlier, later);
    return earlier.loop.kind == LoopKind::kReduce && earlier.loop.team == 1 &&
           SameThreads(earlier.loop, later.loop);
  }

  void AssignPhases() {
    for (Draft& d : drafts()) {
      if (d.is_snapshot) d.phase = 0;
    }
    for (Draft& d : drafts()) {
      if (!d.is_snapshot) d.phase = EarliestPhase(d);
    }
  }

  int EarliestPhase(const Draft& d) {
    int phase = 0;
    for (int earlier : d.after) phase = std::max(phase, draft(earlier).phase + 1);
    for (const Instruction& load : d.loop.body) {
      if (load.code != Opcode::kLoad || load.buffer >= 0) continue;
      const int producer = ProducerOf(plan_.order, input_, d, load.node);
      if (producer < 0 || draft(producer).kernel != d.kernel) continue;
      const Draft& earlier = draft(producer);
      phase = std::max(phase, earlier.phase + (NeedsNoBarrier(earlier, d, load) ? 0 : 1));
    }
    return phase;
  }

  // ---- Updates ----

  void Commit(int u) {
    UpdatePlan& update = updates()[u];
    const int target_buffer = TargetBuffer(graph_.effects()[update.effect].target);
    CommitFact fact{.effect = update.effect, .strategy = update.strategy};
    if (update.lost) {
      // The planted lost write: planned like any other, never stored.
    } else if (update.commit_kernel < 0 && MayStoreDirectly(update)) {
      Draft& writer = draft(update.writer);
      writer.stores.push_back({target_buffer, u});
      fact.kernel = writer.kernel;
      fact.phase = writer.phase;
    } else {
      if (update.strategy == CommitStrategy::kDirect) fact.strategy = CommitStrategy::kDeferred;
      const Draft& commit = Defer(update, {target_buffer, u});
      fact.kernel = commit.kernel;
      fact.phase = commit.phase;
    }
    plan_.facts.push_back(fact);
  }

  bool MayStoreDirectly(const UpdatePlan& update) {
    const Effect& effect = graph_.effects()[update.effect];
    Draft& writer = draft(update.writer);
    if (input_.choice(effect.target).commit == CommitChoice::kDeferred) return false;
    if (writer.loop.kind == LoopKind::kScatter) return ScatterInPlace(update);
    const Node& target = graph_.node(effect.target);
    std::vector<StorageAccess> reads;
    for (const ReadOf& at : update.reads) {
      const Draft& reader = draft(at.draft);
      if (reader.kernel != writer.kernel || IsSnapshotBehind(writer, at.draft)) continue;
      const Read& read = reader.reads[at.read];
      const bool combines = reader.loop.kind != LoopKind::kMap || read.position != kLoopIndex;
      const Node& source = graph_.node(read.input);
      reads.push_back({plan_.loop_of[at.draft],
                       combines ? std::nullopt : StorageMap(program_, read.access, source),
                       source.type.dtype});
    }
    const int root = RootAccess(program_, target.type.shape);
    return DirectIsLegal(
        {plan_.loop_of[update.writer], StorageMap(program_, root, target), target.type.dtype},
        reads);
  }

  // A snapshot is complete when the writer starts: a barrier stands between.
  bool IsSnapshotBehind(const Draft& writer, int reader) {
    return draft(reader).is_snapshot && draft(reader).phase < writer.phase;
  }

  // T <- scatter(T, ...) without the copy of T, where nobody else in the kernel reads T and nobody
  // reads the result.
  bool ScatterInPlace(const UpdatePlan& update) {
    const Effect& effect = graph_.effects()[update.effect];
    Draft& writer = draft(update.writer);
    const Node& target = graph_.node(effect.target);
    if (graph_.node(effect.value).operands[0].value != effect.target ||
        plan_.order.owner[effect.value] >= 0)
      return false;
    const std::optional<AffineMap> map =
        StorageMap(program_, RootAccess(program_, target.type.shape), target);
    if (!map->ProvablyInjective()) return false;
    for (const Effect& other : graph_.effects()) {
      if (&other != &effect && other.value == effect.value) return false;
    }
    for (const Draft& d : drafts()) {
      if (d.Loads(effect.value) && d.kernel == writer.kernel) return false;
    }
    const int base_copy = writer.after[0];
    for (const ReadOf& at : update.reads) {
      if (draft(at.draft).kernel == writer.kernel && at.draft != base_copy) return false;
    }
    draft(base_copy).dropped = true;
    writer.home = input_buffers_[effect.target];
    return true;
  }

  // A loop of its own that stores the value behind every reader of the kernel.
  const Draft& Defer(const UpdatePlan& update, StoreTo store) {
    const Effect& effect = graph_.effects()[update.effect];
    const Draft& writer = draft(update.writer);
    const int kernel = update.commit_kernel >= 0 ? update.commit_kernel : writer.kernel;
    Draft commit = CopyDraft(input_, program_, kernel, effect.value, effect.target);
    commit.producer = update.writer;
    commit.stores = {store};
    if (kernel == writer.kernel) {
      commit.phase = writer.phase + 1;
      for (const ReadOf& at : update.reads) {
        const Draft& reader = draft(at.draft);
        if (reader.kernel == kernel && !reader.dropped)
          commit.phase = std::max(commit.phase, reader.phase + 1);
      }
    }
    drafts().push_back(std::move(commit));
    return drafts().back();
  }

  int TargetBuffer(ValueId target) {
    const int buffer = input_buffers_[target];
    if (!input_.Has(Fault::kContiguousTarget)) return buffer;
    Buffer contiguous = program_.buffers[buffer];
    contiguous.strides = ContiguousStrides(contiguous.shape);
    program_.buffers.push_back(contiguous);
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  const PlanInput& input_;
  const Graph& graph_;
  const std::vector<int>& input_buffers_;
  Program& program_;
  CommitPlan plan_;
};

}  // namespace

int ProducerOf(const KernelOrder& order, const PlanInput& input, const Draft& reader,
               ValueId value) {
  if (reader.producer >= 0) return reader.producer;
  if (input.graph.is_input(value)) return -1;
  const int here = order.drafts.completes.at(reader.kernel, value);
  return here >= 0 ? here : order.drafts.completes.at(order.owner[value], value);
}

std::vector<int> FuseLoops(const std::vector<Draft>& drafts) {
  std::vector<int> loop_of(drafts.size());
  for (size_t d = 0; d < drafts.size(); ++d) {
    loop_of[d] = static_cast<int>(d);
    for (size_t e = 0; e < d; ++e) {
      if (drafts[e].dropped || drafts[e].phase != drafts[d].phase || !CanFuse(drafts[e], drafts[d]))
        continue;
      loop_of[d] = loop_of[e];
      break;
    }
  }
  return loop_of;
}

CommitPlan PlanCommits(const PlanInput& input, KernelOrder order,
                       const std::vector<int>& input_buffers, Program& program) {
  return Committing(input, std::move(order), input_buffers, program).Run();
}

}  // namespace seamfuzz
