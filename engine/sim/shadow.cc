// Per granule the last store and up to two loading threads of the phase; enough to find a conflict
// if there is one.
#include "engine/sim/shadow.h"

#include <algorithm>

namespace seamfuzz {

void Shadow::Bind(const Program& program) {
  const size_t memories = program.memories.size();
  if (cells_.size() < memories) cells_.resize(memories);
  granule_.resize(memories);
  for (size_t m = 0; m < memories; ++m) {
    granule_[m] = program.memories[m].granule;
    const auto cells = static_cast<size_t>(program.memories[m].bytes / granule_[m] + 1);
    if (cells_[m].size() < cells) cells_[m].resize(cells);
  }
  touched_.clear();
  conflict_.reset();
}

void Shadow::TrackKernels(const Program& program, const Overlap& overlap) {
  touched_.clear();
  if (overlap.memories.empty()) return;
  touched_.resize(program.kernels.size());
  for (auto& memories : touched_) {
    memories.resize(program.memories.size());
    for (size_t m = 0; m < memories.size(); ++m) {
      const Memory& memory = program.memories[m];
      if (overlap.memories[m] != 0)
        memories[m].resize(static_cast<size_t>(memory.bytes / memory.granule + 1));
    }
  }
}

void Shadow::BeginPhase(int kernel) {
  ++epoch_;
  kernel_ = kernel;
}

void Shadow::Report(int memory, int64_t cell, Accessor first, bool first_stores, Accessor second,
                    bool second_stores) {
  if (conflict_) return;
  conflict_ = {memory,       cell * granule_[memory], first,   second,
               first_stores, second_stores,           kernel_, kernel_};
}

void Shadow::Track(int memory, int64_t cell, Accessor by, bool stores) {
  if (touched_.empty() || touched_[kernel_][memory].empty()) return;
  Touch& touch = touched_[kernel_][memory][cell];
  (stores ? touch.stores : touch.loads) = true;
  (stores ? touch.store : touch.load) = by;
}

void Shadow::Load(int memory, int64_t byte, int bytes, Accessor by) {
  const int granule = granule_[memory];
  for (int64_t c = byte / granule; c <= (byte + bytes - 1) / granule; ++c) {
    Track(memory, c, by, false);
    Cell& cell = cells_[memory][c];
    if (cell.store_epoch == epoch_ && cell.store.thread != by.thread)
      Report(memory, c, cell.store, true, by, false);
    if (cell.load_epoch != epoch_) {
      cell.load_epoch = epoch_;
      cell.load = by;
      cell.other_load.thread = -1;
    } else if (cell.load.thread != by.thread) {
      cell.other_load = by;
    }
  }
}

void Shadow::Store(int memory, int64_t byte, int bytes, Accessor by, bool repeats) {
  const int granule = granule_[memory];
  for (int64_t c = byte / granule; c <= (byte + bytes - 1) / granule; ++c) {
    Track(memory, c, by, true);
    Cell& cell = cells_[memory][c];
    if (cell.store_epoch == epoch_ && cell.store.thread != by.thread &&
        !(repeats && cell.store.site == by.site)) {
      Report(memory, c, cell.store, true, by, true);
    }
    if (cell.load_epoch == epoch_) {
      if (cell.load.thread != by.thread) Report(memory, c, cell.load, false, by, true);
      if (cell.other_load.thread >= 0 && cell.other_load.thread != by.thread) {
        Report(memory, c, cell.other_load, false, by, true);
      }
    }
    cell.store_epoch = epoch_;
    cell.store = by;
  }
}

void Shadow::CompareKernels(const Overlap& overlap) {
  if (touched_.empty() || conflict_) return;
  for (const auto& [earlier, later] : overlap.kernels) {
    for (size_t m = 0; m < touched_[earlier].size(); ++m) {
      for (size_t c = 0; c < touched_[earlier][m].size(); ++c) {
        const Touch& a = touched_[earlier][m][c];
        const Touch& b = touched_[later][m][c];
        if (!(a.stores && (b.stores || b.loads)) && !(a.loads && b.stores)) continue;
        conflict_ = {static_cast<int>(m),
                     static_cast<int64_t>(c) * granule_[m],
                     a.stores ? a.store : a.load,
                     b.stores ? b.store : b.load,
                     a.stores,
                     b.stores,
                     earlier,
                     later};
        return;
      }
    }
  }
}

}  // namespace seamfuzz
