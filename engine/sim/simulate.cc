// Two calls of a program: poisoned memory, phases in order, effects taken out.
#include "engine/sim/simulate.h"

#include <algorithm>
#include <numeric>

#include "engine/sim/mapping.h"
#include "engine/sim/witness.h"

namespace seamfuzz {
namespace {

// What memory holds before a call: no plausible value of any dtype (f32 -1.7e38, f16 NaN, i8 -2,
// i32 -16843010).
constexpr std::byte kPoison{0xfe};
// Instances that run together where the order of threads does not matter: registers stay in the
// first-level cache.
constexpr int kBatch = 256;

// SplitMix64 (Steele, Lea, Flood 2014).
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}
  uint32_t Below(uint32_t bound) {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<uint32_t>((z ^ (z >> 31)) % bound);
  }

 private:
  uint64_t state_;
};

// What one thread still has to do in a phase: its units, each in two halves.
struct ThreadWork {
  std::vector<std::pair<const CompiledLoop*, const Unit*>> units;
  size_t next = 0;
  bool stores_next = false;
  std::vector<Scalar> registers;
  bool done() const { return next == units.size(); }
};

}  // namespace

Outcome Simulator::Run(const Case& c, const Program& program, Faults faults) {
  CompiledProgram compiled = Compile(program);
  machine_.shadow = &shadow_;
  machine_.faults = faults;
  machine_.illegal_address = false;
  schedule_ = &c.schedule;
  shadow_.Bind(program);

  Outcome outcome;
  std::vector<StorageBytes> storages = Entry(c);
  for (int call = 0; call < 2; ++call) {
    shadow_.TrackKernels(program, compiled.overlap);
    outcome.calls.push_back(RunCall(program, compiled, call, std::move(storages)));
    shadow_.CompareKernels(compiled.overlap);
    if (machine_.illegal_address) {
      return {.kind = OutcomeKind::kFailure,
              .failure = FailureKind::kIllegalAddress,
              .text = "illegal address: an index operand is outside its dim"};
    }
    storages = outcome.calls.back().storages;
  }
  if (shadow_.conflict())
    outcome.race = WitnessOf(*shadow_.conflict(), program, compiled, c.schedule);
  outcome.kernels =
      static_cast<int>(std::count_if(program.kernels.begin(), program.kernels.end(),
                                     [](const Kernel& k) { return !k.phases.empty(); }));
  return outcome;
}

const std::vector<StorageBytes>& Simulator::Entry(const Case& c) {
  const bool known = entry_of_ && entry_of_->seed == c.seed && entry_of_->lane == c.lane &&
                     entry_of_->special == c.special && entry_of_->data == c.data &&
                     entry_of_->graph == c.graph;
  if (!known) {
    entry_ = EntryBytes(c);
    entry_of_ = Case{
        .graph = c.graph, .lane = c.lane, .special = c.special, .seed = c.seed, .data = c.data};
  }
  return entry_;
}

Call Simulator::RunCall(const Program& program, CompiledProgram& compiled, int call,
                        std::vector<StorageBytes> storages) {
  // Planted (stale-snapshot): the copies of call 1 serve call 2.
  const bool stale = call > 0 && machine_.Has(Fault::kStaleSnapshot);
  if (memories_.size() < program.memories.size()) memories_.resize(program.memories.size());
  machine_.memory.assign(program.memories.size(), nullptr);
  for (size_t m = 0; m < program.memories.size(); ++m) {
    const Memory& memory = program.memories[m];
    if (memory.kind == MemoryKind::kStorage) {
      machine_.memory[m] = storages[memory.index].data() + kGuardBytes;
    } else {
      if (!stale) memories_[m].assign(static_cast<size_t>(memory.bytes), kPoison);
      machine_.memory[m] = memories_[m].data();
    }
  }
  for (CompiledPhase& phase : compiled.phases) {
    shadow_.BeginPhase(phase.kernel);
    if (stale) {
      for (CompiledLoop& loop : phase.loops) {
        for (Step& step : loop.steps) {
          step.skipped = step.code == Opcode::kStore && program.buffers[step.buffer].snapshot;
        }
      }
    }
    if (phase.order_matters) {
      RunInOrder(phase, *schedule_);
    } else {
      for (const CompiledLoop& loop : phase.loops) RunLoop(loop);
    }
  }
  return Effects(program, std::move(storages));
}

Call Simulator::Effects(const Program& program, std::vector<StorageBytes> storages) const {
  Call call;
  call.outputs.resize(program.output_buffers.size());
  call.identity.resize(program.output_buffers.size());
  for (size_t e = 0; e < program.output_buffers.size(); ++e) {
    if (program.output_buffers[e] < 0) continue;
    const Buffer& buffer = program.buffers[program.output_buffers[e]];
    const Memory& memory = program.memories[buffer.memory];
    if (memory.kind == MemoryKind::kStorage) call.identity[e].storage = memory.index;
    if (memory.kind == MemoryKind::kOutput && memory.index != static_cast<int>(e))
      call.identity[e].output = memory.index;
    const int64_t bytes = Row(buffer.dtype).bytes;
    const int64_t elements = NumElements(buffer.shape);
    std::vector<std::byte>& output = call.outputs[e];
    output.resize(static_cast<size_t>(elements * bytes));
    const std::byte* first = machine_.memory[buffer.memory] + buffer.offset;
    if (buffer.strides == ContiguousStrides(buffer.shape)) {
      std::copy_n(first, output.size(), output.begin());
      continue;
    }
    for (int64_t i = 0; i < elements; ++i) {
      std::copy_n(first + Dot(Unravel(i, buffer.shape), buffer.strides) * bytes, bytes,
                  output.begin() + i * bytes);
    }
  }
  call.storages = std::move(storages);
  return call;
}

void Simulator::RunLoop(const CompiledLoop& loop) {
  const int64_t count = loop.loop->instances();
  while (static_cast<int64_t>(instances_.size()) < count)
    instances_.push_back(static_cast<int32_t>(instances_.size()));
  const int64_t batch = std::max<int64_t>(1, kBatch / std::max<int64_t>(1, loop.loop->inner));
  for (int64_t first = 0; first < count; first += batch) {
    const auto size = static_cast<size_t>(std::min(batch, count - first));
    RunSteps(loop, {instances_.data() + first, size}, 0, static_cast<int>(loop.steps.size()),
             registers_);
  }
}

void Simulator::RunSteps(const CompiledLoop& loop, std::span<const int32_t> instances, int begin,
                         int end, std::vector<Scalar>& registers) {
  const Loop& source = *loop.loop;
  const bool combines = loop.combine >= 0;
  instance_threads_.clear();
  lanes_.clear();
  lane_threads_.clear();
  starts_.clear();
  for (int32_t instance : instances) {
    if (loop.logged) instance_threads_.push_back(loop.threads[instance]);
    if (!combines) continue;
    starts_.push_back(static_cast<int32_t>(lanes_.size()));
    const int64_t line = instance / source.parts * source.inner;
    const int part = instance % source.parts;
    const int64_t count = (source.inner - part + source.parts - 1) / source.parts;
    for (int64_t e = 0; e < count; ++e) {
      lanes_.push_back(static_cast<int32_t>(line + part + e * source.parts));
      if (loop.logged) lane_threads_.push_back(loop.threads[instance] + MemberOf(source, e, count));
    }
  }
  if (combines) starts_.push_back(static_cast<int32_t>(lanes_.size()));
  const int stride = static_cast<int>(std::max(lanes_.size(), instances.size()));
  const size_t needed = loop.steps.size() * static_cast<size_t>(stride);
  if (registers.size() < needed) registers.resize(needed);
  Lanes by_instance{instances.data(), instance_threads_.data(), static_cast<int>(instances.size()),
                    registers.data(), stride};
  Lanes by_element{lanes_.data(), lane_threads_.data(), static_cast<int>(lanes_.size()),
                   registers.data(), stride};

  for (int i = begin; i < end; ++i) {
    const Step& step = loop.steps[i];
    if (step.code != Opcode::kCombine) {
      const bool element = combines && (i < loop.combine || source.kind == LoopKind::kScan);
      RunStep(step, element ? by_element : by_instance, machine_);
      continue;
    }
    Scalar* values = registers.data() + static_cast<int64_t>(step.operands[0]) * stride;
    Scalar* result = registers.data() + static_cast<int64_t>(step.target) * stride;
    for (size_t k = 0; k < instances.size(); ++k) {
      const std::span<Scalar> line(values + starts_[k],
                                   static_cast<size_t>(starts_[k + 1] - starts_[k]));
      if (source.kind == LoopKind::kScan) {
        std::copy(line.begin(), line.end(), result + starts_[k]);
        CombineScan(step.node->row(), step.dtype, {result + starts_[k], line.size()}, machine_);
      } else {
        result[k] = CombineTeam(source, step.node->row(), step.dtype, line, machine_);
      }
    }
  }
}

void Simulator::RunInOrder(const CompiledPhase& phase, const Schedule& schedule) {
  std::vector<std::vector<Unit>> units;
  for (const CompiledLoop& loop : phase.loops) units.push_back(UnitsOf(*loop.loop, phase.threads));
  std::vector<ThreadWork> threads;
  std::vector<int> place(static_cast<size_t>(phase.threads), -1);
  std::vector<int> present;
  for (const auto& loop_units : units) {
    for (const Unit& unit : loop_units) {
      if (place[unit.thread] < 0) present.push_back(unit.thread);
      place[unit.thread] = 0;
    }
  }
  std::sort(present.begin(), present.end());
  for (size_t t = 0; t < present.size(); ++t) place[present[t]] = static_cast<int>(t);
  threads.resize(present.size());
  for (size_t l = 0; l < units.size(); ++l) {
    for (const Unit& unit : units[l])
      threads[place[unit.thread]].units.push_back({&phase.loops[l], &unit});
  }

  const auto half = [&](ThreadWork& thread) {
    if (thread.done()) return;
    const auto [loop, unit] = thread.units[thread.next];
    const int split = loop->first_store;
    const int end = static_cast<int>(loop->steps.size());
    RunSteps(*loop, unit->instances, thread.stores_next ? split : 0,
             thread.stores_next ? end : split, thread.registers);
    if (thread.stores_next) ++thread.next;
    thread.stores_next = !thread.stores_next;
  };
  const auto all = [&](ThreadWork& thread) {
    while (!thread.done()) half(thread);
  };
  const auto busy = [&] {
    return std::any_of(threads.begin(), threads.end(), [](const auto& t) { return !t.done(); });
  };
  switch (schedule.interleave) {
    case Interleave::kForward:
      std::for_each(threads.begin(), threads.end(), all);
      break;
    case Interleave::kReverse:
      std::for_each(threads.rbegin(), threads.rend(), all);
      break;
    case Interleave::kReadsFirst:
      while (busy()) std::for_each(threads.begin(), threads.end(), half);
      break;
    case Interleave::kWritesFirst:
      while (busy()) {
        for (ThreadWork& thread : threads) {
          half(thread);
          half(thread);
        }
      }
      break;
    case Interleave::kOneAhead:
      if (!threads.empty()) all(threads[schedule.interleave_seed % threads.size()]);
      std::for_each(threads.begin(), threads.end(), all);
      break;
    case Interleave::kRandom: {
      Draws draws(schedule.interleave_seed);
      while (busy()) half(threads[draws.Below(static_cast<uint32_t>(threads.size()))]);
      break;
    }
  }
}

}  // namespace seamfuzz
