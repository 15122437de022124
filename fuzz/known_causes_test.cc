// How few questions a cause takes that was seen before.
#include "fuzz/known_causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace seamfuzz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Hazard Of(HazardClass id, std::string read) {
  Hazard hazard;
  hazard.id = id;
  hazard.pattern.id = id;
  hazard.pattern.read = std::move(read);
  return hazard;
}

const std::vector<Hazard>& Hazards() {
  static const std::vector<Hazard> kHazards = {
      Of(HazardClass::kA1, "copy"), Of(HazardClass::kA2, "copy"), Of(HazardClass::kA2, "reduce"),
      Of(HazardClass::kB4, "update"), Of(HazardClass::kD1, "output")};
  return kHazards;
}

// Needs exactly `wanted`, and counts how often it is asked.
struct Engine {
  std::vector<int> wanted;
  int asked = 0;
  std::vector<int> Find(const KnownCauses& known, const std::vector<int>& evident = {}) {
    return NeededHazards(Hazards(), evident, known, [this](const std::vector<int>& repaired) {
      ++asked;
      return std::includes(repaired.begin(), repaired.end(), wanted.begin(), wanted.end());
    });
  }
};

TEST(KnownCauses, AKnownPatternTakesOneQuestion) {
  KnownCauses known;
  known.Remember({Hazards()[2].pattern});
  Engine engine{{2}};
  EXPECT_THAT(engine.Find(known), ElementsAre(2));
  EXPECT_EQ(engine.asked, 1);
}

TEST(KnownCauses, AKnownClassIsGuessedAsAWhole) {
  KnownCauses known;
  known.Remember({Of(HazardClass::kA2, "scan").pattern});
  Engine engine{{2}};
  EXPECT_THAT(engine.Find(known), ElementsAre(2));
  EXPECT_LE(engine.asked, 4);
}

TEST(KnownCauses, TheMostFrequentIsGuessedFirst) {
  KnownCauses known;
  known.Remember({Hazards()[0].pattern});
  for (int i = 0; i < 2; ++i) known.Remember({Hazards()[3].pattern});
  EXPECT_THAT(known.Guesses(Hazards())[0], ElementsAre(3));
}

TEST(KnownCauses, WhatIsEvidentTakesOneQuestion) {
  Engine engine{{0}};
  EXPECT_THAT(engine.Find(KnownCauses(), {0}), ElementsAre(0));
  EXPECT_EQ(engine.asked, 1);
}

TEST(KnownCauses, WhatIsNotKnownIsSearchedFor) {
  Engine engine{{1, 4}};
  EXPECT_THAT(engine.Find(KnownCauses()), ElementsAre(1, 4));
}

TEST(KnownCauses, NothingIsNeededWhereNothingHelps) {
  EXPECT_THAT(Engine{{9}}.Find(KnownCauses()), IsEmpty());
}

}  // namespace
}  // namespace seamfuzz
