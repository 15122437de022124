// Draws single ops: an op by weight, then operands and attributes that fit it.
#pragma once

#include <optional>

#include "generator/draw/drawing.h"

namespace seamfuzz {

// Adds one op of any form (with what it needs besides: inputs, casts, cuts, broadcasts). `first`,
// if given, is read by it. nullopt when the drawn op cannot take such operands; the graph may then
// have an input or a cast more, which later ops use.
std::optional<ValueId> DrawOp(Drawing& drawing, ValueId first = kNoValue);
std::optional<ValueId> DrawOpOfForm(Drawing& drawing, Form form, ValueId first = kNoValue);

// An elementwise op that reads `first` in an iteration space of exactly `space`, to which first's
// shape broadcasts.
std::optional<ValueId> DrawElementwiseOver(Drawing& drawing, ValueId first, const Shape& space);
// An elementwise op of `first` and literals: a function of each element alone.
std::optional<ValueId> DrawOpWithLiterals(Drawing& drawing, ValueId first);

// A shape that broadcasts to `shape`: dims of extent 1 or missing.
Shape DrawBroadcastable(Choices& choices, const Shape& shape);
bool BroadcastsTo(const Shape& from, const Shape& to);

// `v` as a value of this type, by casts, broadcasts, reshapes, slices, pads and reductions; nullopt
// when the configuration leaves no way.
std::optional<ValueId> Fit(Drawing& drawing, ValueId v, const TensorType& type);

}  // namespace seamfuzz
