// Divergences that a compiler's authors have said or tested to be so: counted, no findings (design
// 8). The rows are those of engine/foreign/rows.h.
#pragma once

#include <string_view>
#include <vector>

#include "engine/foreign/rows.h"
#include "fuzz/cause.h"

namespace seamfuzz {

class Documented {
 public:
  Documented() = default;  // nothing is documented
  // The rows of the engine that hold for a version of its compiler.
  Documented(std::string_view engine, std::string_view version);

  // Whether every part of the cause is documented.
  bool Covers(const Cause& cause) const;

 private:
  std::vector<Pattern> patterns_;
};

// Whether a row for `versions` ("0.2"; empty: all) holds for a version: that one or one below it.
bool HoldsFor(std::string_view versions, std::string_view version);

}  // namespace seamfuzz
