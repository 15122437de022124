// Hazards in words: the fields of their pattern, and the sentences for a person.
#pragma once

#include <span>
#include <string>

#include "oracle/hazards/access.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {

// pointwise, reduce, move, index, scan, contract, source, copy or input.
std::string FormWord(const Graph& graph, ValueId v);

// How `positions`, one for each index of `space`, relate to the identity over `target`: the words
// of Pattern::index. kNotRead where an index reads nothing of the target.
std::string IndexWord(const Shape& space, std::span<const int32_t> positions, const Shape& target);

// `graph` is the case's own.
std::string HazardText(const Graph& graph, const Hazard& hazard);
std::string RepairText(const Graph& graph, const Hazard& hazard);

}  // namespace seamfuzz
