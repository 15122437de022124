// Emits each loop's drafts one after the other: drafts that commit first, so that a store waits for
// exactly the reads that the planner knows of.
#include "engine/kernel/assemble.h"

#include <algorithm>

namespace seamfuzz {
namespace {

// Loops stride over the grid, so that fewer threads than instances are enough.
constexpr int64_t kMaxThreads = int64_t{1} << 20;

bool SameComputation(const Instruction& a, const Instruction& b) {
  return a.code == b.code && a.dtype == b.dtype && a.value_dtype == b.value_dtype &&
         a.node == b.node && a.access == b.access && a.position == b.position &&
         a.count == b.count && a.buffer == b.buffer && a.constant.i == b.constant.i;
}

// Builds one loop after the other; its scratch memory is kept between them.
class LoopBuilder {
 public:
  LoopBuilder(const PlanInput& input, const CommitPlan& plan, const std::vector<int>& input_buffers,
              const Program& program)
      : input_(input), plan_(plan), input_buffers_(input_buffers), program_(program) {}

  // The loop that begins with draft `first` (all that share it are its members); no body when it
  // stores nothing.
  Loop Build(int first) {
    members_.clear();
    registers_.clear();
    waiting_.clear();
    const std::vector<Draft>& drafts = plan_.order.drafts.list;
    size_t instructions = 0;
    bool stores = false;
    for (size_t d = static_cast<size_t>(first); d < drafts.size(); ++d) {
      if (drafts[d].dropped || plan_.loop_of[d] != first) continue;
      members_.push_back(static_cast<int>(d));
      instructions += drafts[d].loop.body.size() + drafts[d].stores.size();
      stores = stores || !drafts[d].stores.empty();
    }
    const Loop& like = draft(first).loop;
    loop_ = {.kind = like.kind,
             .space = like.space,
             .outer = like.outer,
             .inner = like.inner,
             .parts = like.parts,
             .team = like.team,
             .strategy = like.strategy,
             .map = like.map,
             .order = like.order,
             .body = {},
             .operands = {}};
    if (!stores) return std::move(loop_);
    result_.assign(members_.size(), -1);
    loop_.body.reserve(instructions);
    loop_.operands.reserve(2 * instructions);
    for (const bool overlooked : {false, true}) {
      for (const bool committing : {true, false}) {
        for (size_t m = 0; m < members_.size(); ++m) {
          const Draft& d = draft(members_[m]);
          if (d.stores.empty() || Commits(d) != committing) continue;
          if (IsOverlookedReader(members_[m]) == overlooked) Append(m);
        }
      }
    }
    // What still waits, waits for members that nothing needs.
    for (const Waiting& store : waiting_) Push(store.instruction, {store.value});
    return std::move(loop_);
  }

 private:
  const Draft& draft(int number) const { return plan_.order.drafts.list[number]; }

  static bool Commits(const Draft& d) {
    return std::any_of(d.stores.begin(), d.stores.end(),
                       [](const StoreTo& store) { return store.update >= 0; });
  }

  // It reads, as a planted fault has it, what another member writes.
  bool IsOverlookedReader(int number) const {
    return std::any_of(
        plan_.order.updates.begin(), plan_.order.updates.end(), [&](const UpdatePlan& update) {
          return std::find(update.overlooked.begin(), update.overlooked.end(), number) !=
                 update.overlooked.end();
        });
  }

  // Position among the members; -1: in another loop.
  int MemberOf(int number) const {
    const auto at = std::find(members_.begin(), members_.end(), number);
    return at == members_.end() ? -1 : static_cast<int>(at - members_.begin());
  }

  void Append(size_t member) {
    if (result_[member] >= 0) return;
    const Draft& d = draft(members_[member]);
    const size_t base = registers_.size();
    registers_.resize(base + d.loop.body.size());
    const auto registers = [&](int reg) -> int& {
      return registers_[base + static_cast<size_t>(reg)];
    };
    for (size_t i = 0; i < d.loop.body.size(); ++i) {
      const Instruction& instruction = d.loop.body[i];
      const int reg = static_cast<int>(i);
      if (instruction.code == Opcode::kLoad && instruction.buffer < 0) {
        const int producer = ProducerOf(plan_.order, input_, d, instruction.node);
        const int from = producer < 0 ? -1 : MemberOf(producer);
        if (from >= 0) {
          Append(static_cast<size_t>(from));
          registers(reg) = result_[from];
          continue;
        }
      }
      registers(reg) = AppendInstruction(d, instruction, base);
    }
    result_[member] = registers(d.result);
    for (const StoreTo& store : d.stores) {
      Instruction instruction{
          .code = Opcode::kStore,
          .dtype = program_.buffers[store.buffer].dtype,
          .value_dtype = program_.buffers[store.buffer].dtype,
          .node = d.value,
          .access = d.store_access,
          .position = d.store_position < 0 ? kLoopIndex : registers(d.store_position),
          .count = 1,
          .buffer = store.buffer};
      waiting_.push_back({instruction, result_[member], store.update});
    }
    AppendStores();
  }

  // `base`: where the registers of the draft begin in registers_.
  int AppendInstruction(const Draft& d, Instruction instruction, size_t base) {
    const auto registers = [&](int reg) { return registers_[base + static_cast<size_t>(reg)]; };
    std::array<int, kMaxArity> operands;
    for (int k = 0; k < instruction.count; ++k)
      operands[k] = registers(d.loop.operands[instruction.first + k]);
    if (instruction.position != kLoopIndex) instruction.position = registers(instruction.position);
    if (instruction.code == Opcode::kLoad && instruction.buffer < 0)
      instruction.buffer = BufferOf(d, instruction.node);
    const int same = FindSame(instruction, operands);
    if (same >= 0) return same;
    Push(instruction, operands);
    return static_cast<int>(loop_.body.size()) - 1;
  }

  void Push(Instruction instruction, const std::array<int, kMaxArity>& operands) {
    instruction.first = static_cast<int>(loop_.operands.size());
    loop_.operands.insert(loop_.operands.end(), operands.begin(),
                          operands.begin() + instruction.count);
    loop_.body.push_back(instruction);
  }

  int BufferOf(const Draft& d, ValueId value) const {
    const int producer = ProducerOf(plan_.order, input_, d, value);
    if (producer >= 0) return draft(producer).home;
    for (int snapshot : d.snapshots) {
      if (draft(snapshot).value == value) return draft(snapshot).home;
    }
    return input_buffers_[value];
  }

  // An instruction that already computes this. A load is the same only while nothing has been
  // stored to its memory.
  int FindSame(const Instruction& instruction, const std::array<int, kMaxArity>& operands) const {
    for (int i = static_cast<int>(loop_.body.size()) - 1; i >= 0; --i) {
      const Instruction& other = loop_.body[i];
      if (instruction.code == Opcode::kLoad && other.code == Opcode::kStore &&
          program_.buffers[other.buffer].memory >= 0 &&
          program_.buffers[other.buffer].memory == program_.buffers[instruction.buffer].memory) {
        return -1;
      }
      if (!SameComputation(instruction, other)) continue;
      if (std::equal(operands.begin(), operands.begin() + instruction.count,
                     loop_.operands.begin() + other.first)) {
        return i;
      }
    }
    return -1;
  }

  // A commit waits for the members whose reads its update must respect; other stores do not wait.
  void AppendStores() {
    std::erase_if(waiting_, [&](const Waiting& store) {
      if (store.update >= 0 && IsReadLater(plan_.order.updates[store.update])) return false;
      Push(store.instruction, {store.value});
      return true;
    });
  }
  bool IsReadLater(const UpdatePlan& update) const {
    return std::any_of(update.reads.begin(), update.reads.end(), [&](const ReadOf& read) {
      const int member = MemberOf(read.draft);
      return member >= 0 && result_[member] < 0;
    });
  }

  struct Waiting {
    Instruction instruction;
    int value;
    int update;
  };

  const PlanInput& input_;
  const CommitPlan& plan_;
  const std::vector<int>& input_buffers_;
  const Program& program_;
  Loop loop_;
  std::vector<int> members_;
  std::vector<int> result_;  // for each member its register in the loop; -1: not appended yet
  std::vector<Waiting> waiting_;
  std::vector<int> registers_;  // of the drafts that are being appended: their place in the loop
};

}  // namespace

void AssembleKernels(const PlanInput& input, const CommitPlan& plan,
                     const std::vector<int>& input_buffers, Program& program) {
  const std::vector<Draft>& drafts = plan.order.drafts.list;
  LoopBuilder builder(input, plan, input_buffers, program);
  program.kernels.reserve(plan.order.sequence.size());
  for (int k : plan.order.sequence) {
    Kernel kernel{.role = plan.order.kernels[k].role, .segments = plan.order.kernels[k].segments};
    int64_t busy = 1;
    // Loops that combine go first: a pointwise loop of the phase may go on with their results in
    // the same thread.
    for (bool combining : {true, false}) {
      for (size_t d = 0; d < drafts.size(); ++d) {
        if (drafts[d].kernel != k || plan.loop_of[d] != static_cast<int>(d) ||
            (drafts[d].loop.kind != LoopKind::kMap) != combining) {
          continue;
        }
        Loop loop = builder.Build(static_cast<int>(d));
        if (loop.body.empty()) continue;
        busy = std::max(busy, loop.instances() * loop.team);
        if (kernel.phases.size() <= static_cast<size_t>(drafts[d].phase))
          kernel.phases.resize(drafts[d].phase + 1);
        kernel.phases[drafts[d].phase].loops.push_back(std::move(loop));
      }
    }
    const int block = input.schedule.block;
    const int64_t wanted =
        input.schedule.grid > 0 ? input.schedule.grid : (busy + block - 1) / block;
    kernel.threads = static_cast<int>(std::min(wanted, kMaxThreads / block) * block);
    program.kernels.push_back(std::move(kernel));
  }
}

}  // namespace seamfuzz
