// Draws the schedule of a graph: every choice that must not change the answer
// (generator/case/schedule.h).
#pragma once

#include "generator/case/schedule.h"
#include "generator/draw/choices.h"
#include "generator/ir/graph.h"

namespace seamfuzz {

// Each key rarely, so that the default stays common; the interleaving always.
Schedule DrawSchedule(Choices& choices, const Graph& graph);

}  // namespace seamfuzz
