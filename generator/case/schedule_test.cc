// Schedules as text, and patterns and verdicts, the other one-line texts of a case.
#include "generator/case/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/case/pattern.h"
#include "generator/case/verdict.h"

namespace seamfuzz {
namespace {

// The canonical text of a schedule with one pair, or the rule that it breaks.
std::string Canonical(std::string_view key, std::string_view value) {
  Schedule schedule;
  const Status set = SetScheduleKey(schedule, key, value);
  if (!set.ok()) return set.error().rule;
  schedule.Normalize();
  return ScheduleText(schedule);
}

TEST(Schedule, EveryChoiceRoundTrips) {
  const std::pair<const char*, const char*> kPairs[] = {{"a.place", "inline"},
                                                        {"a.place", "materialize"},
                                                        {"a.commit", "direct"},
                                                        {"a.commit", "deferred"},
                                                        {"a.commit", "snapshot"},
                                                        {"a.reduce", "warp_shuffle"},
                                                        {"a.reduce", "shared_tree"},
                                                        {"a.reduce", "two_pass"},
                                                        {"a.reduce", "persistent"},
                                                        {"a.edge", "recompute"},
                                                        {"a.map", "reversed"},
                                                        {"a.map", "blocked"},
                                                        {"a.map", "vector2"},
                                                        {"a.map", "vector4"},
                                                        {"a.map", "vector8"},
                                                        {"a.loop", "column_major"},
                                                        {"order", "2,0,1"},
                                                        {"merge", "0+1,3+4+7"},
                                                        {"block", "33"},
                                                        {"grid", "7"},
                                                        {"reuse", "off"},
                                                        {"streams", "4"},
                                                        {"interleave", "reverse"},
                                                        {"interleave", "reads_first"},
                                                        {"interleave", "writes_first"},
                                                        {"interleave", "one_ahead:3"},
                                                        {"interleave", "random:4294967295"}};
  for (const auto& [key, value] : kPairs) {
    EXPECT_EQ(Canonical(key, value), std::string(key) + "=" + value);
  }
}

TEST(Schedule, DefaultsHaveNoText) {
  const std::pair<const char*, const char*> kPairs[] = {
      {"a.place", "auto"},  {"a.commit", "auto"},    {"a.reduce", "serial"},   {"a.edge", "store"},
      {"a.map", "forward"}, {"a.loop", "row_major"}, {"block", "4"},           {"grid", "0"},
      {"reuse", "on"},      {"streams", "1"},        {"interleave", "forward"}};
  for (const auto& [key, value] : kPairs) EXPECT_EQ(Canonical(key, value), "") << key;
}

TEST(Schedule, RefusesWhatNoEngineCanDo) {
  const std::pair<const char*, const char*> kPairs[] = {{"block", "0"},
                                                        {"block", "1025"},
                                                        {"block", "x"},
                                                        {"grid", "-1"},
                                                        {"streams", "5"},
                                                        {"order", "1,1"},
                                                        {"order", ""},
                                                        {"order", "1,"},
                                                        {"merge", "0"},
                                                        {"merge", "0+1,1+2"},
                                                        {"reuse", "maybe"},
                                                        {"interleave", "forward:1"},
                                                        {"interleave", "random:x"},
                                                        {"a.place", "cache"},
                                                        {"order", "99999999999999999999"}};
  for (const auto& [key, value] : kPairs)
    EXPECT_EQ(Canonical(key, value), "schedule_value") << value;
  EXPECT_EQ(Canonical("a.colour", "red"), "schedule_key");
  EXPECT_EQ(Canonical("wings", "2"), "schedule_key");
}

TEST(Schedule, NormalizeDropsWhatMeansNothing) {
  Schedule schedule;
  schedule.values["a"];
  schedule.merge = {{3}};
  schedule.interleave_seed = 7;
  schedule.Normalize();
  EXPECT_EQ(schedule, Schedule());
}

TEST(Schedule, AValueWithoutEntryHasTheDefaults) { EXPECT_EQ(Schedule().of("a"), ValueChoice()); }

TEST(Pattern, RoundTrips) {
  constexpr std::string_view kText =
      "A2 write=pointwise read=reduce index=permuted segment=other dtype=same";
  EXPECT_EQ(Text(*ParsePattern(kText)), kText);
  EXPECT_EQ(Text(*ParsePattern("X1")), "X1");
}

TEST(Pattern, AMaskMatchesWhereItsFieldsDo) {
  const Pattern hazard = *ParsePattern("A2 write=pointwise read=reduce index=permuted");
  EXPECT_TRUE(Matches(*ParsePattern("A2"), hazard));
  EXPECT_TRUE(Matches(*ParsePattern("A2 read=reduce"), hazard));
  EXPECT_FALSE(Matches(*ParsePattern("A2 read=scan"), hazard));
  EXPECT_FALSE(Matches(*ParsePattern("A1"), hazard));
  EXPECT_FALSE(Matches(*ParsePattern("A2 segment=same"), hazard));
}

TEST(Verdict, ReadsAsASentence) {
  EXPECT_EQ(
      Text(Verdict{
          .kind = VerdictKind::kDiffer, .place = "T3[1, 0, 0]", .got = "7", .permitted = "4"}),
      "differ in call 1: T3[1, 0, 0] is 7, permitted 4");
  EXPECT_EQ(Text(Verdict{.kind = VerdictKind::kFailure, .text = "no room"}), "failure: no room");
  EXPECT_EQ(Text(Verdict{}), "agree");
}

TEST(Verdict, FourAreBad) {
  int bad = 0;
  for (const VerdictRow& row : VerdictRows()) {
    bad += row.bad ? 1 : 0;
    EXPECT_EQ(FindVerdict(row.name), row.kind);
  }
  EXPECT_EQ(bad, 4);
}

TEST(HazardClass, NamesRoundTrip) {
  for (const HazardClassRow& row : HazardClassRows()) EXPECT_EQ(FindHazardClass(row.name), row.id);
  EXPECT_EQ(Text(HazardClasses{HazardClass::kB1, HazardClass::kA1}), "A1 B1");
}

}  // namespace
}  // namespace seamfuzz
