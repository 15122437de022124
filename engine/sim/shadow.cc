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
  ordered_.clear();
  conflict_.reset();
}

void Shadow::TrackKernels(const Program& program) {
  const size_t kernels = program.kernels.size();
  ordered_.assign(kernels, std::vector<bool>(kernels, false));
  bool all_ordered = true;
  for (size_t k = 0; k < kernels; ++k) {
    for (int before : program.kernels[k].waits) {
      ordered_[k][before] = true;
      for (size_t b = 0; b < kernels; ++b) {
        if (ordered_[before][b]) ordered_[k][b] = true;
      }
    }
    for (size_t b = 0; b < k; ++b) all_ordered = all_ordered && ordered_[k][b];
  }
  touched_.clear();
  if (all_ordered) return;
  touched_.resize(kernels);
  for (auto& memories : touched_) {
    for (const Memory& memory : program.memories) {
      memories.emplace_back(static_cast<size_t>(memory.bytes / memory.granule + 1));
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
  if (touched_.empty()) return;
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

void Shadow::CompareKernels(const Program& program) {
  for (size_t later = 0; later < touched_.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (ordered_[later][earlier]) continue;
      for (size_t m = 0; m < program.memories.size(); ++m) {
        const std::vector<Touch>& a = touched_[earlier][m];
        const std::vector<Touch>& b = touched_[later][m];
        for (size_t c = 0; c < a.size(); ++c) {
          const bool conflicts =
              (a[c].stores && (b[c].stores || b[c].loads)) || (a[c].loads && b[c].stores);
          if (!conflicts || conflict_) continue;
          const bool b_stores = b[c].stores;
          const bool a_stores = a[c].stores;
          conflict_ = {static_cast<int>(m),
                       static_cast<int64_t>(c) * granule_[m],
                       a_stores ? a[c].store : a[c].load,
                       b_stores ? b[c].store : b[c].load,
                       a_stores,
                       b_stores,
                       static_cast<int>(earlier),
                       static_cast<int>(later)};
        }
      }
    }
  }
}

}  // namespace seamfuzz
