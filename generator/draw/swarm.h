// Which features one case uses, drawn before anything else: cases that leave features out reach
// deeper into the others. Source: Groce et al., "Swarm Testing", ISSTA 2012.
#pragma once

#include <array>
#include <vector>

#include "generator/case/case.h"
#include "generator/draw/choices.h"
#include "generator/draw/draw.h"
#include "generator/draw/op_traits.h"

namespace seamfuzz {

struct Swarm {
  Lane lane = Lane::kExact;
  bool special = false;
  int ops = 8;                // nodes beside inputs
  int updates = 1;            // hazards to weave in, each around one or two updates
  int64_t max_elements = 64;  // no value is larger
  Shape shape;                // most values have it or broadcast to it
  std::array<int, kDTypeCount> dtype_weights = {};  // of inputs and casts; at least one is positive
  std::vector<int>
      op_weight_sums;  // of DrawnOps() up to and with each op; one switched off adds nothing
  std::array<int, kFormCount> form_weights = {};  // 0: the form is off or has no op left
  int cut_percent = 0;                            // of operands
  int layout_percent = 0;                         // of inputs: strides, gaps, offsets, transposed
  int share_percent = 0;    // of targets: another input views the same storage
  int literal_percent = 0;  // of operands of elementwise ops
};

// The position in DrawnOps() of an op of a form that is on.
int DrawOpOf(Choices& choices, const Swarm& swarm, Form form);

Swarm DrawSwarm(Choices& choices, const DrawConfig& config);

// A shape with about `elements` elements and at most `limit`.
Shape DrawShape(Choices& choices, int rank, int64_t elements, int64_t limit, bool zero_size);

}  // namespace seamfuzz
