// See smallest_set.h.
#include "fuzz/smallest_set.h"

#include <algorithm>
#include <numeric>

namespace seamfuzz {
namespace {

using Set = std::vector<int>;
using Enough = std::function<bool(const Set&)>;

Set Join(const Set& a, const Set& b) {
  Set joined;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(joined));
  return joined;
}

// The members of `candidates` that are needed beside `base`; base + candidates is enough. `grown`
// says that base has members that were not yet asked about alone.
Set Needed(const Set& base, bool grown, const Set& candidates, const Enough& enough) {
  if (grown && enough(base)) return {};
  if (candidates.size() == 1) return candidates;
  const auto middle = candidates.begin() + static_cast<int64_t>(candidates.size() / 2);
  const Set early(candidates.begin(), middle), late(middle, candidates.end());
  // Late members are asked about with all early ones in place, so that early ones are kept where
  // either would do.
  const Set late_needed = Needed(Join(base, early), true, late, enough);
  const Set early_needed = Needed(Join(base, late_needed), !late_needed.empty(), early, enough);
  return Join(early_needed, late_needed);
}

}  // namespace

std::vector<int> SmallestSet(int count, const Enough& enough) {
  if (count == 0) return {};
  Set all(count);
  std::iota(all.begin(), all.end(), 0);
  return Needed({}, false, all, enough);
}

}  // namespace seamfuzz
