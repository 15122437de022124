// One hazard in one line of text: the common form of causes, masks and deviation rows (design 9).
//   A2 write=pointwise read=reduce index=permuted segment=other dtype=same
#pragma once

#include <string>
#include <string_view>

#include "generator/case/hazard_class.h"
#include "generator/ir/op.h"
#include "generator/ir/result.h"

namespace seamfuzz {

// `write` and `read` are forms of the producing and reading op in words (pointwise, reduce, move,
// index, scan, contract, copy, input, update, output); `index` how the read's index relates to the
// write's (same, broadcast, permuted, shifted, flipped, sliced, gathered, reshaped, other);
// `segment` same or other; `dtype` same, narrower or wider.
struct Pattern {
  HazardClass id = HazardClass::kX1;
  // "any" matches everything and is not printed.
  std::string write = "any", read = "any", index = "any", segment = "any", dtype = "any";
  friend bool operator==(const Pattern&, const Pattern&) = default;
  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};

// The word of `write` and `read` for an op of this form.
std::string_view PatternWord(Form form);
std::string Text(const Pattern& pattern);
Result<Pattern> ParsePattern(std::string_view text);  // rule pattern
bool Matches(const Pattern& mask,
             const Pattern& hazard);  // each field of the mask is "any" or equal

}  // namespace seamfuzz
