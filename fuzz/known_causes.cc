// See known_causes.h.
#include "fuzz/known_causes.h"

#include <algorithm>
#include <numeric>

#include "fuzz/smallest_set.h"

namespace seamfuzz {
namespace {

using Group = std::vector<int>;
using Enough = std::function<bool(const Group&)>;

// Each wrong guess is a run of the engine.
constexpr size_t kMostGuesses = 3;

template <typename Predicate>
Group Where(const std::vector<Hazard>& hazards, const Predicate& predicate) {
  Group group;
  for (size_t i = 0; i < hazards.size(); ++i) {
    if (predicate(hazards[i])) group.push_back(static_cast<int>(i));
  }
  return group;
}

// The smallest part of a group that is enough as a whole.
Group SmallestPart(const Group& group, const Enough& enough) {
  const auto members = [&](const Group& positions) {
    Group selected;
    for (int i : positions) selected.push_back(group[i]);
    return selected;
  };
  return members(SmallestSet(static_cast<int>(group.size()),
                             [&](const Group& positions) { return enough(members(positions)); }));
}

// The hazards by class, classes in the order of their first hazard.
std::vector<Group> ByClass(const std::vector<Hazard>& hazards) {
  std::vector<Group> groups;
  for (size_t i = 0; i < hazards.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return hazards[group[0]].id == hazards[i].id;
    });
    if (same == groups.end()) {
      groups.push_back({static_cast<int>(i)});
    } else {
      same->push_back(static_cast<int>(i));
    }
  }
  return groups;
}

}  // namespace

void KnownCauses::Remember(std::vector<Pattern> patterns) {
  std::sort(patterns.begin(), patterns.end());
  auto known = std::find_if(known_.begin(), known_.end(),
                            [&](const Known& k) { return k.patterns == patterns; });
  if (known == known_.end()) known = known_.insert(known_.end(), {std::move(patterns), 0});
  ++known->times;
  std::stable_sort(known_.begin(), known_.end(),
                   [](const Known& a, const Known& b) { return a.times > b.times; });
}

std::vector<std::vector<int>> KnownCauses::Guesses(const std::vector<Hazard>& hazards) const {
  std::vector<Group> guesses;
  const auto guess = [&](Group group) {
    if (group.empty() || guesses.size() >= kMostGuesses) return;
    if (std::find(guesses.begin(), guesses.end(), group) == guesses.end()) {
      guesses.push_back(std::move(group));
    }
  };
  for (const Known& known : known_) {
    guess(Where(hazards, [&](const Hazard& hazard) {
      return std::find(known.patterns.begin(), known.patterns.end(), hazard.pattern) !=
             known.patterns.end();
    }));
  }
  for (const Known& known : known_) {
    guess(Where(hazards, [&](const Hazard& hazard) {
      return std::any_of(known.patterns.begin(), known.patterns.end(),
                         [&](const Pattern& pattern) { return pattern.id == hazard.id; });
    }));
  }
  return guesses;
}

std::vector<int> NeededHazards(const std::vector<Hazard>& hazards, const Group& evident,
                               const KnownCauses& known, const Enough& enough) {
  if (!evident.empty() && enough(evident)) return SmallestPart(evident, enough);
  for (const Group& guess : known.Guesses(hazards)) {
    if (enough(guess)) return SmallestPart(guess, enough);
  }
  Group all(hazards.size());
  std::iota(all.begin(), all.end(), 0);
  if (all.empty() || !enough(all)) return {};
  const std::vector<Group> classes = ByClass(hazards);
  const auto members = [&](const Group& positions) {
    Group selected;
    for (int i : positions) {
      selected.insert(selected.end(), classes[i].begin(), classes[i].end());
    }
    std::sort(selected.begin(), selected.end());
    return selected;
  };
  const Group needed =
      members(SmallestSet(static_cast<int>(classes.size()),
                          [&](const Group& positions) { return enough(members(positions)); }));
  return SmallestPart(needed, enough);
}

}  // namespace seamfuzz
