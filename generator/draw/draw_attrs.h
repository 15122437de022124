// Draws the attributes of one op so that its shape rule takes them.
#pragma once

#include "generator/draw/drawing.h"

namespace seamfuzz {

// For operand 0 of type `operand` (a Source: the wanted shape, any dtype). False where no
// attributes fit: no dim of extent 1 to squeeze, the rank or the size limit reached. Numbers and
// flags are always filled in.
bool DrawAttrs(Drawing& drawing, const OpTraits& traits, const TensorType& operand, Attrs& attrs);

}  // namespace seamfuzz
