// Draws cases: valid by construction, biased to hazards, narrowed to what an engine takes (design
// 5).
#pragma once

#include <bitset>
#include <cstdint>

#include "generator/case/case.h"
#include "generator/draw/choices.h"

namespace seamfuzz {

// Raised whenever drawing changes; draw_test pins a golden hash to it.
inline constexpr int kGeneratorVersion = 1;

// What the engines in play take.
struct DrawConfig {
  std::bitset<kDTypeCount> dtypes = std::bitset<kDTypeCount>().set();
  std::bitset<kFormCount> forms = std::bitset<kFormCount>().set();
  std::vector<OpId> ops;  // empty: every op with a weight
  int max_ops = 16;       // drawn around 8 (design 11); the last hazard may exceed it by a few
  int max_rank = 5;
  int max_elements = 4096;  // drawn around 64
  bool strides = true;
  bool shared_storage = true;
  bool zero_size = true;
  bool schedule = true;     // draw our engine's schedule
  bool special = true;      // may draw NaN, infinities, -0, denormals (bounded lane)
  bool ill_formed = false;  // draw graphs that break U1 to U4 too
};

// Case `index` of a campaign: a function of (seed, index, kGeneratorVersion, config) only.
Case DrawCase(uint64_t seed, uint64_t index, const DrawConfig& config);
Case DrawCase(Choices& choices, const DrawConfig& config);
// Graph alone, for the throughput figure of design 11.
Graph DrawGraph(Choices& choices, const DrawConfig& config);

}  // namespace seamfuzz
