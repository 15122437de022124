// See documented.h.
#include "fuzz/documented.h"

#include <algorithm>

#include "generator/ir/check.h"

namespace seamfuzz {

bool HoldsFor(std::string_view versions, std::string_view version) {
  if (versions.empty() || versions == version) return true;
  return version.starts_with(versions) && version[versions.size()] == '.';
}

Documented::Documented(std::string_view engine, std::string_view version) {
  const ForeignRow* row = FindForeignRow(engine);
  if (row == nullptr) return;
  for (const DeviationRow& deviation : row->deviations) {
    if (!HoldsFor(deviation.versions, version)) continue;
    const Result<Pattern> pattern = ParsePattern(deviation.pattern);
    CHECK(pattern.ok());
    patterns_.push_back(*pattern);
  }
}

bool Documented::Covers(const Cause& cause) const {
  return std::all_of(cause.patterns.begin(), cause.patterns.end(), [&](const Pattern& part) {
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const Pattern& mask) { return Matches(mask, part); });
  });
}

}  // namespace seamfuzz
