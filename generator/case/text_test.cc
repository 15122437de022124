// The .seam file: the design's example, every line kind and its rule, round trips, and bytes that
// are no case.
#include "generator/case/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace seamfuzz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kExample = R"(seamfuzz 1
# In-place relu with a second reader of T0, forced into two segments.
graph {
  T0 = input f32[10, 2]
  T1 = input f32[2, 10, 2]
  T2 = relu(T0)
  T3 = segment_set(T0)
  T4 = add(T3, T1)
  T0 <- T2
  output T4
}
values exact seed 1
class A1 B1
origin https://github.com/NVIDIA/Fuser/issues/2839
expect agree
expect fault:war-order differ segmented
)";

constexpr std::string_view kGraph =
    "seamfuzz 1\ngraph { a = input f32[3] i = input i8[2] in S b = neg(a) c = add(b, a) a <- b "
    "output c }\n";

std::string CaseText(std::string_view lines) { return std::string(kGraph) + std::string(lines); }

// The error of a case with these lines, with its position counted from the first of them.
std::string ErrorOf(std::string_view lines) {
  Result<ParsedCase> parsed = ParseCase(CaseText(lines));
  if (parsed.ok()) return "";
  Error error = parsed.error();
  error.line -= 2;
  return error.Text();
}

Case Parsed(std::string_view text) {
  const Result<ParsedCase> parsed = ParseCase(text);
  if (parsed.ok()) return parsed->value;
  ADD_FAILURE() << parsed.error().Text();
  return Case();
}

// What Print makes of lines behind the graph.
std::string Lines(std::string_view lines) {
  const std::string text = Print(Parsed(CaseText(lines)));
  return text.substr(text.find("}\n") + 2);
}

TEST(CaseText, TheExampleOfTheDesignIsCanonical) { EXPECT_EQ(Print(Parsed(kExample)), kExample); }

TEST(CaseText, ReadsTheExampleOfTheDesign) {
  const Case c = Parsed(kExample);
  EXPECT_THAT(c.notes,
              ElementsAre("In-place relu with a second reader of T0, forced into two segments."));
  EXPECT_THAT(c.classes, ElementsAre(HazardClass::kA1, HazardClass::kB1));
  EXPECT_THAT(c.origin, ElementsAre("https://github.com/NVIDIA/Fuser/issues/2839"));
  EXPECT_THAT(c.expectations,
              ElementsAre(Expectation{}, Expectation{.fault = "war-order",
                                                     .verdict = VerdictKind::kDiffer,
                                                     .mode = Mode::kSegmented}));
}

TEST(CaseText, KnowsTheLinesOfNodesAndEffects) {
  const Result<ParsedCase> parsed = ParseCase(kExample);
  EXPECT_THAT(parsed->lines.nodes, ElementsAre(4, 5, 6, 7, 8));
  EXPECT_THAT(parsed->lines.effects, ElementsAre(9, 10));
}

TEST(CaseText, ValuesDefaultToExactSeed1) {
  EXPECT_EQ(Lines(""), "values exact seed 1\n");
  EXPECT_EQ(Lines("values bounded seed 18446744073709551615 special # why"),
            "values bounded seed 18446744073709551615 special\n");
}

TEST(CaseText, DataIsPrintedInTheOrderOfStorages) {
  EXPECT_EQ(Lines("data S [-128, 3]\ndata a [nan,\n  -inf, 0.10]"),
            "values exact seed 1\ndata a [nan, -inf, 0.1]\ndata S [-128, 3]\n");
}

TEST(CaseText, TheOrderOfDataLinesHasNoMeaning) {
  EXPECT_EQ(Parsed(CaseText("data S [1]\ndata a [2]")), Parsed(CaseText("data a [2]\ndata S [1]")));
}

TEST(CaseText, ScheduleLinesMerge) {
  EXPECT_EQ(
      Lines("schedule order=1,0 c.place=materialize\nschedule a.commit=deferred a.place=auto "
            "block=33"),
      "values exact seed 1\nschedule a.commit=deferred c.place=materialize order=1,0 block=33\n");
}

TEST(CaseText, LanesAreFreePairs) {
  EXPECT_EQ(Lines("lane shapes=symbolic outputs=reversed"),
            "values exact seed 1\nlane outputs=reversed shapes=symbolic\n");
}

TEST(CaseText, OriginsKeepTheirFragments) {
  EXPECT_EQ(Lines("origin https://x.y/z#note-1  and  more"),
            "values exact seed 1\norigin https://x.y/z#note-1  and  more\n");
}

TEST(CaseText, CausesArePatterns) {
  EXPECT_EQ(Lines("cause A2 segment=other  index=permuted read=any # note"),
            "values exact seed 1\ncause A2 index=permuted segment=other\n");
}

TEST(CaseText, ExpectationsNameFaultsAndEngines) {
  for (std::string_view line :
       {"expect agree\n", "expect fault:war-order race monolithic\n",
        "expect engine:nvfuser@0.2.36 differ\n", "expect engine:xla failure segmented\n",
        "expect accepted-ill-formed\n"}) {
    EXPECT_EQ(Lines(line), "values exact seed 1\n" + std::string(line));
  }
}

TEST(CaseText, NotesKeepTheirIndentation) {
  constexpr std::string_view kText =
      "seamfuzz 1\n# one\n#\n#   two\ngraph {\n}\nvalues exact seed 1\n";
  EXPECT_EQ(Print(Parsed(kText)), kText);
}

TEST(CaseTextRule, version) {
  EXPECT_EQ(ParseCase("graph { }").error().Text(),
            "1:1: version: a case opens with the line: seamfuzz 1");
  EXPECT_EQ(ParseCase("seamfuzz 2\ngraph { }").error().Text(),
            "1:10: version: this build reads formats up to 1");
  for (std::string_view text :
       {"", "seamfuzz", "seamfuzz x", "seamfuzz 0", "seamfuzz 99999999999999999999"}) {
    EXPECT_EQ(ParseCase(text).error().rule, "version") << text;
  }
}

TEST(CaseTextRule, values) {
  for (std::string_view line :
       {"values", "values exact", "values exact seed", "values exact seed -1",
        "values exact seed 18446744073709551616", "values round seed 1",
        "values exact seed 1 special", "values bounded seed 1 special 2",
        "values exact seed 1\nvalues exact seed 1"}) {
    EXPECT_THAT(ErrorOf(line), HasSubstr("values: ")) << line;
  }
}

TEST(CaseTextRule, data) {
  EXPECT_EQ(ErrorOf("data S [1, 128]"), "1:12: data: expected an element of i8");
  EXPECT_EQ(ErrorOf("data S [1.5]"), "1:9: data: expected an element of i8");
  EXPECT_EQ(ErrorOf("data a [x]"), "1:9: data: expected an element of f32");
  EXPECT_EQ(ErrorOf("data a [1 2]"), "1:11: syntax: expected ',', got '2'");
}

TEST(CaseTextRule, data_storage) {
  EXPECT_EQ(ErrorOf("data i [1]"),
            "1:6: data_storage: expected the name of a storage of the graph");
  EXPECT_EQ(ErrorOf("data S [1]\ndata S [1]"), "2:6: data_storage: data S is given twice");
}

TEST(CaseTextRule, data_length) {
  EXPECT_EQ(ErrorOf("data S [1, 2, 3]"), "1:15: data_length: storage S holds 2 elements of i8");
}

TEST(CaseTextRule, schedule_key) {
  EXPECT_THAT(ErrorOf("schedule wings=2"), HasSubstr("1:10: schedule_key"));
  EXPECT_THAT(ErrorOf("schedule block=4 c.colour=red"), HasSubstr("1:18: schedule_key"));
  EXPECT_THAT(ErrorOf("schedule block"), HasSubstr("1:10: schedule_key"));
}

TEST(CaseTextRule, schedule_value) {
  EXPECT_THAT(ErrorOf("schedule block=0"), HasSubstr("1:10: schedule_value"));
  EXPECT_THAT(ErrorOf("schedule c.place=cache"), HasSubstr("it takes auto, inline, materialize"));
}

TEST(CaseTextRule, schedule_value_name) {
  EXPECT_EQ(ErrorOf("schedule d.place=inline"),
            "1:10: schedule_value_name: d is no value of the graph");
}

TEST(CaseTextRule, lane) { EXPECT_THAT(ErrorOf("lane fast"), HasSubstr("1:6: lane")); }

TEST(CaseTextRule, class_name) {
  EXPECT_EQ(ErrorOf("class A1 Z9"), "1:10: class: there is no hazard class Z9");
}

TEST(CaseTextRule, expect) {
  for (std::string_view line :
       {"expect", "expect maybe", "expect fault: agree", "expect fault:x", "expect engine:@1 agree",
        "expect engine:x@ agree", "expect agree sideways", "expect agree segmented now"}) {
    EXPECT_THAT(ErrorOf(line), HasSubstr("expect: ")) << line;
  }
}

TEST(CaseTextRule, origin) { EXPECT_EQ(ErrorOf("origin  "), "1:1: origin: an origin has a text"); }

TEST(CaseTextRule, cause) {
  for (std::string_view line :
       {"cause", "cause Z1", "cause A1 colour=red", "cause A1 read=thing"}) {
    EXPECT_THAT(ErrorOf(line), HasSubstr("cause: ")) << line;
  }
}

TEST(CaseTextRule, unknown_line) {
  EXPECT_THAT(ErrorOf("valves exact seed 1"), HasSubstr("1:1: unknown_line"));
  EXPECT_THAT(ErrorOf("\n  }"), HasSubstr("2:3: unknown_line"));
}

TEST(LoadCase, PutsTheFileBeforeThePosition) {
  const auto path = std::filesystem::temp_directory_path() / "seamfuzz_text_test.seam";
  std::ofstream(path) << "seamfuzz 1\ngraph { a = sine(a) }\n";
  EXPECT_THAT(LoadCase(path.string()).error().message,
              HasSubstr(path.string() + ":2:18: unknown_value: a is not defined"));
  std::ofstream(path) << kExample;
  EXPECT_TRUE(LoadCase(path.string()).ok());
  std::filesystem::resize_file(path, (16 << 20) + 1);
  EXPECT_THAT(LoadCase(path.string()).error().message, HasSubstr("larger than 16 MiB"));
  std::filesystem::remove(path);
  EXPECT_THAT(LoadCase(path.string()).error().message, HasSubstr("cannot be read"));
  EXPECT_THAT(LoadCase("/tmp").error().message, HasSubstr("is a folder"));
}

// Any bytes give a case that round-trips or a one-line error with a position.
void ExpectAnswer(const std::string& text) {
  const Result<ParsedCase> parsed = ParseCase(text);
  if (!parsed.ok()) {
    EXPECT_GT(parsed.error().line, 0);
    EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos);
    return;
  }
  const std::string printed = Print(parsed->value);
  const Result<ParsedCase> again = ParseCase(printed);
  ASSERT_TRUE(again.ok()) << again.error().Text() << "\n" << printed;
  EXPECT_EQ(again->value, parsed->value) << printed;
  EXPECT_EQ(Print(again->value), printed);
}

TEST(CaseTextProperty, AMutatedCaseIsRefusedOrRoundTrips) {
  const std::string seed =
      "seamfuzz 1\n# note\n#\n  # more\n" + std::string(kGraph.substr(11)) +
      "values bounded seed 7 special\ndata a [1, -0.5, inf]\ndata S [1, 2]\n"
      "schedule c.place=inline a.commit=snapshot order=1,0 merge=0+1 block=8 reuse=off "
      "interleave=random:7\n"
      "lane outputs=reversed\nclass A1 B1\norigin x#y z\ncause A2 write=pointwise index=flipped\n"
      "expect fault:war-order differ segmented # why\nexpect engine:x@1 agree\n";
  ExpectAnswer(seed);
  const std::string_view alphabet = "()[]{}=,<-#.:@+\n \t\r0123456789aTeinf\0\xff";
  std::mt19937 random(2);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seed;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1 + random() % 4);
          break;
        case 1:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
      }
    }
    ExpectAnswer(text);
    accepted += ParseCase(text).ok() ? 1 : 0;
  }
  EXPECT_GT(accepted, 1000);  // else this says nothing about round trips
}

}  // namespace
}  // namespace seamfuzz
