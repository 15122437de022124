// Draws ops whose place depends on data. Indices are in range by construction.
#pragma once

#include <optional>

#include "generator/draw/drawing.h"

namespace seamfuzz {

// An Index op on `first`, or on any value.
std::optional<ValueId> DrawIndexOp(Drawing& drawing, const OpTraits& traits,
                                   ValueId first = kNoValue);

// A scatter into `base`; whoever updates `base` then must not let the scatter work in place (D2).
std::optional<ValueId> DrawScatter(Drawing& drawing, ValueId base);
// base[i] = f(base[i]) for a list of indices with repetition (A4): the source gathers from the base
// itself.
std::optional<ValueId> DrawRepeatedScatter(Drawing& drawing, ValueId base);
// A scatter into a base that is a broadcast of something smaller (C4).
std::optional<ValueId> DrawScatterIntoExpanded(Drawing& drawing);

}  // namespace seamfuzz
