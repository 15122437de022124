// Live ranges in steps: one step for each phase of each kernel, in program order.
#include "engine/kernel/memory.h"

#include <algorithm>
#include <limits>

namespace seamfuzz {
namespace {

// The kernels that touch a buffer, and the steps of its first and last access.
struct LiveRange {
  int buffer = -1;
  int first = std::numeric_limits<int>::max();
  int last = -1;
  std::vector<int> kernels;  // ascending; empty on one stream
};

struct Slot {
  int memory;
  int free_after;            // last step of its latest buffer
  std::vector<int> kernels;  // those that touch any buffer it has held
};

int RootOf(const Program& program, int buffer) {
  while (program.buffers[buffer].alias >= 0) buffer = program.buffers[buffer].alias;
  return buffer;
}

int64_t BytesOf(const Buffer& buffer) {
  return NumElements(buffer.shape) * Row(buffer.dtype).bytes;
}

// In order of first access.
std::vector<LiveRange> LiveRanges(const PlanInput& input, const Program& program) {
  // On one stream kernels are ordered anyway.
  const bool ordered = input.schedule.streams > 1;
  std::vector<LiveRange> ranges(program.buffers.size());
  int step = 0;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    for (const Phase& phase : program.kernels[k].phases) {
      for (const Loop& loop : phase.loops) {
        for (const Instruction& instruction : loop.body) {
          if (instruction.buffer < 0) continue;
          const int root = RootOf(program, instruction.buffer);
          if (program.buffers[root].memory >= 0) continue;
          LiveRange& range = ranges[root];
          range.buffer = root;
          range.first = std::min(range.first, step);
          // Planted (reuse-live-buffer): the first step that loads is taken for the last use.
          const bool ended = input.Has(Fault::kReuseLiveBuffer) && range.last > range.first;
          if (!ended) range.last = step;
          const int kernel = static_cast<int>(k);
          const bool known = !range.kernels.empty() && range.kernels.back() == kernel;
          if (ordered && !known) range.kernels.push_back(kernel);
        }
      }
      ++step;
    }
  }
  for (LiveRange& range : ranges) {
    // Planted (stale-snapshot): a copy that is kept for the next call shares with nobody.
    if (input.Has(Fault::kStaleSnapshot) && range.buffer >= 0 &&
        program.buffers[range.buffer].snapshot) {
      range.first = 0;
      range.last = step;
    }
  }
  std::erase_if(ranges, [](const LiveRange& r) { return r.buffer < 0; });
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const LiveRange& a, const LiveRange& b) { return a.first < b.first; });
  return ranges;
}

int AddMemory(Program& program, MemoryKind kind, int index) {
  program.memories.push_back({.kind = kind, .index = index});
  return static_cast<int>(program.memories.size()) - 1;
}

}  // namespace

void AllocateMemory(const PlanInput& input, std::vector<std::pair<int, int>>& edges,
                    Program& program) {
  for (size_t e = 0; e < program.output_buffers.size(); ++e) {
    if (program.output_buffers[e] < 0) continue;
    Buffer& buffer = program.buffers[program.output_buffers[e]];
    if (buffer.memory < 0)
      buffer.memory = AddMemory(program, MemoryKind::kOutput, static_cast<int>(e));
  }
  std::vector<Slot> slots;
  for (const LiveRange& range : LiveRanges(input, program)) {
    Slot* slot = nullptr;
    if (input.schedule.reuse) {
      for (Slot& candidate : slots) {
        if (candidate.free_after < range.first) slot = &candidate;
      }
    }
    if (slot == nullptr) {
      const int memory = AddMemory(program, MemoryKind::kTemporary, static_cast<int>(slots.size()));
      slots.push_back({.memory = memory, .free_after = -1, .kernels = {}});
      slot = &slots.back();
    }
    for (const int earlier : slot->kernels) {
      if (earlier < range.kernels[0]) edges.push_back({earlier, range.kernels[0]});
    }
    slot->free_after = range.last;
    slot->kernels.insert(slot->kernels.end(), range.kernels.begin(), range.kernels.end());
    program.buffers[range.buffer].memory = slot->memory;
  }
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    Buffer& buffer = program.buffers[b];
    if (buffer.alias >= 0)
      buffer.memory = program.buffers[RootOf(program, static_cast<int>(b))].memory;
    if (buffer.memory < 0) continue;  // nothing loads or stores it
    Memory& memory = program.memories[buffer.memory];
    memory.granule = std::min(memory.granule, Row(buffer.dtype).bytes);
    if (memory.kind != MemoryKind::kStorage && buffer.alias < 0)
      memory.bytes = std::max(memory.bytes, BytesOf(buffer));
  }
}

void AssignStreams(const PlanInput& input, const std::vector<std::pair<int, int>>& edges,
                   Program& program) {
  std::vector<int> last(static_cast<size_t>(input.schedule.streams), -1);  // kernel of each stream
  int next_stream = 0;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    Kernel& kernel = program.kernels[k];
    int stream = -1;
    for (const auto& [from, to] : edges) {
      if (to != static_cast<int>(k)) continue;
      if (std::find(kernel.waits.begin(), kernel.waits.end(), from) != kernel.waits.end()) continue;
      kernel.waits.push_back(from);
      if (last[program.kernels[from].stream] == from) stream = program.kernels[from].stream;
    }
    if (stream < 0) {
      stream = next_stream;
      next_stream = (next_stream + 1) % input.schedule.streams;
    }
    kernel.stream = stream;
    if (last[stream] >= 0 &&
        std::find(kernel.waits.begin(), kernel.waits.end(), last[stream]) == kernel.waits.end()) {
      kernel.waits.push_back(last[stream]);
    }
    last[stream] = static_cast<int>(k);
  }
}

}  // namespace seamfuzz
