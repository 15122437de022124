// Smallest subsets by halving: QuickXplain. Source: U. Junker, "QuickXplain: Preferred Explanations
// and Relaxations for Over-Constrained Problems", AAAI 2004.
#pragma once

#include <functional>
#include <vector>

namespace seamfuzz {

// A smallest subset of {0, ..., count-1} that is enough, where `enough` is monotone (a superset of
// enough is enough) and the whole set is known to be enough. Each left out member makes it fail.
// O(k log(count/k)) questions for a result of k; among equals the earlier members are preferred.
// Deterministic; sorted.
std::vector<int> SmallestSet(int count, const std::function<bool(const std::vector<int>&)>& enough);

}  // namespace seamfuzz
