// Draws what a foreign engine takes, and its lanes (design 5: the engines in play narrow the
// configuration).
#pragma once

#include <cstdint>
#include <string_view>

#include "generator/case/case.h"
#include "generator/draw/draw.h"

namespace seamfuzz {

// Takes away what the engine of that name has not; no change for engines of ours.
void Narrow(std::string_view engine, DrawConfig& draw);

// Case `index` of a campaign on that engine: DrawCase, and one in kLaneOdds lanes of a foreign
// engine away from its default. A function of the arguments only.
inline constexpr int kLaneOdds = 6;
Case DrawCaseFor(std::string_view engine, uint64_t seed, uint64_t index, const DrawConfig& draw);

}  // namespace seamfuzz
