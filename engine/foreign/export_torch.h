// PyTorch scripts: torch.compile of an imperative program whose commits come last.
#pragma once

#include <span>
#include <string>

#include "engine/foreign/script.h"

namespace seamfuzz {

// The whole script, or without an expectation what a worker runs. The graph must be one that the
// dialect can spell. Lanes read: backend, dynamic, boundary, clone, threads, device, guard and
// those of TorchOptions().
std::string ExportTorch(const Case& c, const ScriptExpectation* expectation);

// Lanes that stand for an option of Inductor's: on, off or a number.
struct TorchOption {
  std::string_view lane;
  std::string_view option;      // "inplace_buffers"
  std::string_view value = {};  // without the lane; empty: Inductor's own default
};
std::span<const TorchOption> TorchOptions();

}  // namespace seamfuzz
