// An engine in a process of its own for each run, so that its crash is an outcome and not the end.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace seamfuzz {

// Runs `engine` in a forked child first; when the child dies by a signal, or does not end in time,
// the outcome is a failure with the last line it wrote to stderr. Otherwise runs it here, for its
// effects. The process must have one thread.
std::unique_ptr<Engine> MakeIsolatedEngine(Engine& engine);

// "SIGABRT: generator/ir/graph.cc:7: CHECK(x) failed": what a dead child leaves behind.
std::string DeathText(int signal, const std::string& stderr_text);

}  // namespace seamfuzz
