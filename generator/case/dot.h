// A case as a picture, in Graphviz's language.
#pragma once

#include <string>

#include "generator/case/case.h"

namespace seamfuzz {

// Inputs are boxes (those that share storage in one frame), cuts bars, segments frames, updates red
// dashed edges back to the input that they write, outputs tags. Each node shows its line of text
// and its type. A trace has no segments; its writes carry their position in the program.
std::string Dot(const Case& c);

}  // namespace seamfuzz
