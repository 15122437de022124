// Weaves hazards into a drawn graph: an update whose value, readers, cuts and storage are drawn
// together (design 5).
#pragma once

#include "generator/draw/drawing.h"

namespace seamfuzz {

// One update (or a rotation of two or three) with its target, its value and none to three readers
// of the target.
void DrawHazard(Drawing& drawing);

// Makes sinks outputs, adds outputs that look dangerous (a target, an update's value, one value
// twice), and shuffles.
void DrawEffects(Drawing& drawing);

// Breaks one of U1 to U4, for engines that may accept it.
void BreakContract(Drawing& drawing);

}  // namespace seamfuzz
