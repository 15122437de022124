// The table of planted bugs. Each is one hook: `grep -rn Fault::kName engine/` shows where.
#include "engine/kernel/fault.h"

#include <algorithm>
#include <array>

namespace seamfuzz {
namespace {

using enum HazardClass;

const std::array<FaultRow, kFaultCount>& Rows() {
  static const std::array<FaultRow, kFaultCount> kRows = {{
      {Fault::kEarlyStore,
       "early-store",
       {kA0},
       "a direct commit is stored before later reads of the same element in the same loop",
       "https://github.com/openxla/xla/issues/5444"},
      {Fault::kBroadcastWar,
       "broadcast-war",
       {kA1},
       "a broadcast read of the target in the writer's kernel is no reason for a barrier",
       "https://github.com/NVIDIA/Fuser/issues/2664"},
      {Fault::kInKernelWar,
       "in-kernel-war",
       {kA2},
       "a read of the target at another index in the writer's kernel is no reason for a barrier",
       "https://github.com/pytorch/pytorch/issues/198280"},
      {Fault::kReductionWar,
       "reduction-war",
       {kA3},
       "a reduction, scan or matmul over the target in the writer's kernel is no reason for a "
       "barrier",
       "https://github.com/NVIDIA/Fuser/pull/2999"},
      {Fault::kDuplicateScatter,
       "duplicate-scatter",
       {kA4},
       "a scatter into the target runs in place while its source gathers from the same, perhaps "
       "repeated, places",
       "https://github.com/pytorch/pytorch/pull/174877"},
      {Fault::kNarrowForward,
       "narrow-forward",
       {kA6},
       "readers of a value cast to a narrower float and stored take the register from before the "
       "rounding",
       "https://github.com/pytorch/pytorch/issues/183607"},
      {Fault::kWarOrder,
       "war-order",
       {kB1},
       "a segment that reads the old target is not ordered before the segment that writes it; the "
       "writer goes first",
       "https://github.com/NVIDIA/Fuser/issues/2839"},
      {Fault::kNoCycleTemp,
       "no-cycle-temp",
       {kB4},
       "inputs that are copied onto each other are copied one after the other, without a temporary",
       "https://github.com/hw-native-sys/pypto/pull/2494"},
      {Fault::kSameTensorTwice,
       "same-tensor-twice",
       {kC1},
       "a second input that is the target's own tensor counts as other memory",
       "https://github.com/Lightning-AI/lightning-thunder/issues/2766"},
      {Fault::kOverlapBlind,
       "overlap-blind",
       {kC2},
       "an input that partly overlaps the target counts as other memory",
       "https://github.com/Lightning-AI/lightning-thunder/issues/2756"},
      {Fault::kScatterIntoExpanded,
       "scatter-into-expanded",
       {kC4},
       "the base of a scatter stays an expanded view: one write shows in every row",
       "https://github.com/pytorch/pytorch/issues/114302"},
      {Fault::kContiguousTarget,
       "contiguous-target",
       {kC5},
       "an update is stored as if its target were contiguous",
       "https://github.com/NVIDIA/Fuser/issues/5356"},
      {Fault::kDropSnapshot,
       "drop-snapshot",
       {kD1},
       "a copy of the target (clone, set, another update, an output) may be taken after the target "
       "is overwritten",
       "https://github.com/pytorch/pytorch/issues/198031"},
      {Fault::kScatterInPlace,
       "scatter-in-place",
       {kD2},
       "a scatter on an input that something else updates is written into that input",
       "https://github.com/pytorch/pytorch/issues/198094"},
      {Fault::kReuseLiveBuffer,
       "reuse-live-buffer",
       {kD3},
       "a temporary counts as free after its first use",
       "https://github.com/csarofeen/pytorch/issues/2163"},
      {Fault::kOutputsShareBuffer,
       "outputs-share-buffer",
       {kD4},
       "two outputs of a kernel with one type get one buffer",
       "https://github.com/jax-ml/jax/issues/39100"},
      {Fault::kLostCopySegment,
       "lost-copy-segment",
       {kE1},
       "a kernel that only copies inputs into inputs is not run",
       "https://github.com/Lightning-AI/lightning-thunder/issues/791"},
      {Fault::kPhantomWrite,
       "phantom-write",
       {kE2},
       "a scatter on an input that nothing updates is written into that input",
       "https://github.com/Lightning-AI/lightning-thunder/issues/2793"},
      {Fault::kOutputIsTarget,
       "output-is-target",
       {kE3},
       "an output whose value also updates an input is returned as that input",
       "https://github.com/Lightning-AI/lightning-thunder/issues/1109"},
      {Fault::kStaleSnapshot,
       "stale-snapshot",
       {kF2},
       "the copy of an old value that call 1 made serves call 2 as well",
       "https://github.com/tinygrad/tinygrad/pull/14210"},
      {Fault::kNarrowEdge,
       "narrow-edge",
       {kS1},
       "f32 and f64 values that cross a cut are kept as bf16",
       "https://github.com/NVIDIA/Fuser/issues/1742"},
      {Fault::kWrongRounding,
       "wrong-rounding",
       {kX1},
       "f16 and bf16 results are rounded toward zero",
       ""},
      {Fault::kDroppedElement,
       "dropped-element",
       {kX1},
       "a reduction or scan over an odd number of elements loses the last one",
       ""},
      {Fault::kTruncatingCast,
       "truncating-cast",
       {kX1},
       "casts to bool and integers go through i8",
       ""},
  }};
  return kRows;
}

}  // namespace

std::span<const FaultRow> FaultRows() { return Rows(); }

std::optional<Fault> FindFault(std::string_view name) {
  const auto row = std::find_if(Rows().begin(), Rows().end(),
                                [name](const FaultRow& r) { return r.name == name; });
  if (row == Rows().end()) return std::nullopt;
  return row->id;
}

}  // namespace seamfuzz
