// Snapshots first, then L2 edges update by update; where they would close a cycle, the update waits
// in a temporary (L3).
#include "engine/kernel/order.h"

#include <algorithm>

#include "engine/kernel/blind.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// The first and one past the last byte that an input's view touches.
std::pair<int64_t, int64_t> BytesOf(const Node& input) {
  const int64_t bytes = Row(input.type.dtype).bytes;
  const int64_t first = input.layout.offset * bytes;
  return {first, first + Extent(input.type.shape, input.layout.strides) * bytes};
}

class Ordering {
 public:
  Ordering(const PlanInput& input, Partition partition, Drafts drafts, Program& program)
      : input_(input),
        graph_(input.graph),
        program_(program),
        order_{.kernels = std::move(partition.kernels),
               .owner = std::move(partition.owner),
               .sequence = {},
               .edges = std::move(partition.edges),
               .drafts = std::move(drafts),
               .updates = {}} {}

  KernelOrder Run() {
    ListUpdates();
    TakeSnapshots();
    before_.Resize(static_cast<int>(order_.kernels.size() + order_.updates.size()));
    for (const auto& [from, to] : order_.edges) before_.Add(from, to);
    for (UpdatePlan& update : order_.updates) PlaceUpdate(update);
    Sequence();
    return std::move(order_);
  }

 private:
  Draft& draft(int number) { return order_.drafts.list[number]; }

  void ListUpdates() {
    for (size_t k = 0; k < order_.kernels.size(); ++k) {
      for (int e : order_.kernels[k].effects) {
        const Effect& effect = graph_.effects()[e];
        if (!effect.is_update()) continue;
        const int writer = order_.drafts.completes.at(static_cast<int>(k), effect.value);
        const bool lost =
            input_.Has(Fault::kLostCopySegment) && OnlyCopiesIntoUpdates(order_.kernels[k]);
        order_.updates.push_back({.effect = e, .writer = writer, .lost = lost});
      }
    }
    std::sort(order_.updates.begin(), order_.updates.end(),
              [](const UpdatePlan& a, const UpdatePlan& b) { return a.effect < b.effect; });
  }

  // Nothing is computed and everything comes from inputs: lost-copy-segment launches nothing.
  bool OnlyCopiesIntoUpdates(const KernelDraft& kernel) const {
    const auto is_here = [&](const Operand& operand) {
      return graph_.is_input(operand.value) ||
             std::binary_search(kernel.values.begin(), kernel.values.end(), operand.value);
    };
    const auto copies = [&](ValueId v) {
      const Node& node = graph_.node(v);
      return (CopiesOperand(node) || node.row().form == Form::kMove) &&
             std::all_of(node.operands.begin(), node.operands.end(), is_here);
    };
    const auto updates = [&](int e) { return graph_.effects()[e].is_update(); };
    return std::all_of(kernel.values.begin(), kernel.values.end(), copies) &&
           std::all_of(kernel.effects.begin(), kernel.effects.end(), updates);
  }

  // Whether a write of the update's target may touch bytes of `other`.
  bool MayOverlap(ValueId target, ValueId other) const {
    if (input_.storage_of[target] != input_.storage_of[other]) return false;
    if (target == other) return true;
    const auto [a_first, a_end] = BytesOf(graph_.node(target));
    const auto [b_first, b_end] = BytesOf(graph_.node(other));
    return a_first < b_end && b_first < a_end;
  }

  template <typename Visit>
  void VisitReads(const UpdatePlan& update, const Visit& visit) {
    const ValueId target = graph_.effects()[update.effect].target;
    for (size_t d = 0; d < order_.drafts.list.size(); ++d) {
      const Draft& reader = draft(static_cast<int>(d));
      for (size_t r = 0; r < reader.reads.size(); ++r) {
        const Read& read = reader.reads[r];
        if (!MayOverlap(target, read.input) || IsRedirected(reader, read.input)) continue;
        const bool overlooked =
            !reader.is_snapshot && IsOverlooked(input_, program_, reader, read, update.effect);
        visit(ReadOf{static_cast<int>(d), static_cast<int>(r)}, overlooked);
      }
    }
  }

  bool IsRedirected(const Draft& reader, ValueId read) {
    return std::any_of(reader.snapshots.begin(), reader.snapshots.end(),
                       [&](int snapshot) { return draft(snapshot).value == read; });
  }

  // `commit=snapshot`: every input that shares bytes with the target is copied first, its readers
  // read the copy.
  void TakeSnapshots() {
    int kernel = -1;
    for (UpdatePlan& update : order_.updates) {
      const ValueId target = graph_.effects()[update.effect].target;
      if (input_.choice(target).commit != CommitChoice::kSnapshot) continue;
      std::vector<ReadOf> known;
      VisitReads(update, [&](ReadOf read, bool overlooked) {
        if (!overlooked && !draft(read.draft).is_snapshot) known.push_back(read);
      });
      if (known.empty()) continue;
      update.strategy = CommitStrategy::kSnapshot;
      if (kernel < 0) kernel = SnapshotKernel();
      for (const ReadOf& read : known) {
        const ValueId source = draft(read.draft).reads[read.read].input;
        const int snapshot = SnapshotOf(source, kernel);
        Draft& reader = draft(read.draft);
        if (std::find(reader.snapshots.begin(), reader.snapshots.end(), snapshot) !=
            reader.snapshots.end())
          continue;
        reader.snapshots.push_back(snapshot);
        Behind(snapshot, read.draft);
      }
    }
  }

  int SnapshotKernel() {
    if (input_.mode == Mode::kMonolithic) return 0;
    order_.kernels.push_back({.role = KernelRole::kSnapshot});
    return static_cast<int>(order_.kernels.size()) - 1;
  }

  int SnapshotOf(ValueId source, int kernel) {
    for (size_t d = 0; d < order_.drafts.list.size(); ++d) {
      if (draft(static_cast<int>(d)).is_snapshot && draft(static_cast<int>(d)).value == source)
        return static_cast<int>(d);
    }
    Draft copy = CopyDraft(input_, program_, kernel, source, source);
    copy.is_snapshot = true;
    copy.reads = {{.input = source, .access = copy.store_access, .copied = true}};
    const TensorType& type = graph_.type(source);
    program_.buffers.push_back({.value = source,
                                .dtype = type.dtype,
                                .shape = type.shape,
                                .strides = ContiguousStrides(type.shape),
                                .snapshot = true});
    copy.home = static_cast<int>(program_.buffers.size()) - 1;
    copy.stores = {{copy.home}};
    order_.drafts.list.push_back(std::move(copy));
    return static_cast<int>(order_.drafts.list.size()) - 1;
  }

  // Draft `later` runs after `earlier` is complete: behind a barrier or in a later kernel.
  void Behind(int earlier, int later) {
    const int from = draft(earlier).kernel, to = draft(later).kernel;
    if (from == to) {
      draft(later).after.push_back(earlier);
    } else {
      AddEdge(from, to);
    }
  }
  void AddEdge(int from, int to) {
    const std::pair<int, int> edge{from, to};
    if (std::find(order_.edges.begin(), order_.edges.end(), edge) == order_.edges.end())
      order_.edges.push_back(edge);
  }

  // L2, and L3 where it fails.
  void PlaceUpdate(UpdatePlan& update) {
    const int writer = draft(update.writer).kernel;
    std::vector<int> readers;
    std::vector<int> overlooked_readers;
    VisitReads(update, [&](ReadOf read, bool overlooked) {
      const int kernel = draft(read.draft).kernel;
      if (!overlooked) update.reads.push_back(read);
      if (overlooked) update.overlooked.push_back(read.draft);
      if (kernel != writer) (overlooked ? overlooked_readers : readers).push_back(kernel);
    });
    const ValueId target = graph_.effects()[update.effect].target;
    const bool asked = input_.mode == Mode::kSegmented &&
                       update.strategy == CommitStrategy::kDirect &&
                       input_.choice(target).commit == CommitChoice::kDeferred;
    const bool cycle = std::any_of(readers.begin(), readers.end(),
                                   [&](int reader) { return before_.Reaches(writer, reader); });
    int committer = writer;
    if (asked || cycle) {
      order_.kernels.push_back({.role = KernelRole::kCommit});
      committer = update.commit_kernel = static_cast<int>(order_.kernels.size()) - 1;
      update.strategy = CommitStrategy::kDeferred;
      AddEdge(writer, committer);
      before_.Add(writer, committer);
    }
    for (int reader : readers) {
      AddEdge(reader, committer);
      before_.Add(reader, committer);
    }
    // An overlooked reader behaves as if it wanted the new value.
    for (int reader : overlooked_readers) {
      if (before_.Reaches(reader, committer)) continue;
      AddEdge(committer, reader);
      before_.Add(committer, reader);
    }
    if (update.strategy == CommitStrategy::kSnapshot) {
      for (const ReadOf& read : update.reads) {
        if (draft(read.draft).is_snapshot && draft(read.draft).kernel == writer)
          Behind(read.draft, update.writer);
      }
    }
  }

  // The topological order that takes the most urgent ready kernel first.
  void Sequence() {
    const int count = static_cast<int>(order_.kernels.size());
    std::vector<int> urgency(static_cast<size_t>(count));
    for (int k = 0; k < count; ++k) {
      urgency[k] = static_cast<int>(input_.schedule.order.size()) + k;
      for (size_t i = 0; i < input_.schedule.order.size(); ++i) {
        const std::vector<int>& segments = order_.kernels[k].segments;
        if (std::find(segments.begin(), segments.end(), input_.schedule.order[i]) == segments.end())
          continue;
        urgency[k] = static_cast<int>(i);
        break;
      }
    }
    std::vector<bool> done(static_cast<size_t>(count), false);
    while (static_cast<int>(order_.sequence.size()) < count) {
      int best = -1;
      for (int k = 0; k < count; ++k) {
        if (done[k] || (best >= 0 && urgency[best] <= urgency[k])) continue;
        bool ready = true;
        for (int other = 0; other < count && ready; ++other)
          ready = done[other] || !before_.Reaches(other, k);
        if (ready) best = k;
      }
      CHECK(best >= 0);  // edges have no cycle: merged segments are of one level
      done[best] = true;
      order_.sequence.push_back(best);
    }
  }

  const PlanInput& input_;
  const Graph& graph_;
  Program& program_;
  KernelOrder order_;
  Precedence before_;
};

}  // namespace

void Precedence::Resize(int size) {
  size_ = size;
  cells_.assign(static_cast<size_t>(size) * size, 0);
}

void Precedence::Add(int from, int to) {
  if (from == to || Reaches(from, to)) return;
  for (int a = 0; a < size_; ++a) {
    if (a != from && !Reaches(a, from)) continue;
    cells_[a * size_ + to] = 1;
    for (int b = 0; b < size_; ++b) {
      if (Reaches(to, b)) cells_[a * size_ + b] = 1;
    }
  }
}

KernelOrder OrderKernels(const PlanInput& input, Partition partition, Drafts drafts,
                         Program& program) {
  return Ordering(input, std::move(partition), std::move(drafts), program).Run();
}

}  // namespace seamfuzz
