// The .seam file: a table of line kinds around the text of a graph.
#include "generator/case/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "generator/case/pattern.h"

namespace seamfuzz {
namespace {

constexpr std::string_view kLanes[] = {"exact", "bounded"};
constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kFaultPrefix = "fault:";
constexpr std::string_view kEnginePrefix = "engine:";

// ---- Printing
// --------------------------------------------------------------------------------------------------------

// Elements that follow one another, in the dtype of the storage's first input. Data of a storage
// that the graph no longer has means nothing and is left out.
std::string DataText(const Case& c) {
  std::string text;
  for (const StorageInfo& storage : Storages(c.graph)) {
    const DType dtype = c.graph.type(storage.inputs.front()).dtype;
    for (const StorageData& data : c.data) {
      if (data.storage != storage.name) continue;
      std::string elements;
      for (Scalar element : data.elements) {
        if (!elements.empty()) elements += ", ";
        elements += ScalarText(element, dtype);
      }
      text += fmt::format("data {} [{}]\n", data.storage, elements);
    }
  }
  return text;
}

std::string ExpectationText(const Expectation& expectation) {
  std::string text = "expect";
  if (!expectation.fault.empty()) text += fmt::format(" {}{}", kFaultPrefix, expectation.fault);
  if (!expectation.engine.empty()) text += fmt::format(" {}{}", kEnginePrefix, expectation.engine);
  if (!expectation.version.empty()) text += "@" + expectation.version;
  text += fmt::format(" {}", Row(expectation.verdict).name);
  if (expectation.mode) text += fmt::format(" {}", ModeName(*expectation.mode));
  return text;
}

// ---- Parsing
// ---------------------------------------------------------------------------------------------------------

struct Word {
  std::string_view text;
  int line = 0;
  int column = 0;
  Error Fail(std::string rule, std::string message) const {
    return {std::move(rule), std::move(message), line, column};
  }
  std::string Shown() const { return std::string(text.substr(0, 48)); }
};

// The blank-separated words of a line that begins at `first`; a word that opens with # begins a
// comment.
std::vector<Word> SplitWords(std::string_view line, const Token& first) {
  std::vector<Word> words;
  size_t begin = 0;
  while ((begin = line.find_first_not_of(kBlank, begin)) != std::string_view::npos &&
         line[begin] != '#') {
    const size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
    words.push_back(
        {line.substr(begin, end - begin), first.line, first.column + static_cast<int>(begin)});
    begin = end;
  }
  return words;
}

std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= ' ' && c != 0x7f; });
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) {}
  Result<ParsedCase> Parse();

 private:
  using Words = std::vector<Word>;
  // One kind of line behind the graph; `words` opens with the keyword and is not split for `whole`
  // lines.
  struct LineKind {
    std::string_view keyword;
    Status (Parser::*parse)(const Words& words);
  };
  static const LineKind kLineKinds[];

  Status Version();
  void Notes(int version_line);
  Status Line();
  Status Values(const Words& words);
  Status Schedules(const Words& words);
  Status Lanes(const Words& words);
  Status Classes(const Words& words);
  Status Expect(const Words& words);
  Status Origin(const Token& keyword, std::string_view rest);
  Status Cause(const Words& words, std::string_view rest);
  Status Data();
  Status Element(DType dtype, StorageData& data);
  Case& value() { return parsed_.value; }

  std::string_view text_;
  Lexer lexer_;
  ParsedCase parsed_;
  bool has_values_ = false;
};

const Parser::LineKind Parser::kLineKinds[] = {
    {"values", &Parser::Values}, {"schedule", &Parser::Schedules}, {"lane", &Parser::Lanes},
    {"class", &Parser::Classes}, {"expect", &Parser::Expect},
};

Result<ParsedCase> Parser::Parse() {
  const int version_line = lexer_.peek().line;
  if (Status status = Version(); !status.ok()) return status.error();
  Notes(version_line);
  Result<Graph> graph = ParseGraph(lexer_, &parsed_.lines);
  if (!graph.ok()) return graph.error();
  value().graph = *std::move(graph);
  while (lexer_.peek().kind != TokenKind::kEnd) {
    if (Status status = Line(); !status.ok()) return status.error();
  }
  value().schedule.Normalize();
  const std::vector<StorageInfo> storages = Storages(value().graph);
  const auto position = [&](const StorageData& data) {
    return std::find_if(storages.begin(), storages.end(),
                        [&](const StorageInfo& storage) { return storage.name == data.storage; });
  };
  std::sort(value().data.begin(), value().data.end(),
            [&](const StorageData& a, const StorageData& b) { return position(a) < position(b); });
  return std::move(parsed_);
}

Status Parser::Version() {
  const Token keyword = lexer_.peek();
  if (!lexer_.Accept("seamfuzz")) {
    return lexer_.At(keyword, "version",
                     fmt::format("a case opens with the line: seamfuzz {}", kFormatVersion));
  }
  const Token number = lexer_.Next();
  const auto version = ReadNumber<int>(number.text);
  if (!version || *version < 1 || *version > kFormatVersion) {
    return lexer_.At(number, "version",
                     fmt::format("this build reads formats up to {}", kFormatVersion));
  }
  return Done{};
}

// The lexer skips comments; those between the version line and the graph are the case's notes.
void Parser::Notes(int version_line) {
  std::string_view rest = text_;
  for (int line = 1; line <= lexer_.peek().line && !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view content = Trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line <= version_line || !content.starts_with('#')) continue;
    std::string_view note = content.substr(1);
    if (note.starts_with(' ')) note.remove_prefix(1);
    value().notes.emplace_back(note);
  }
}

Status Parser::Line() {
  const Token keyword = lexer_.peek();
  if (keyword.text == "data") return Data();
  const std::string_view line = lexer_.RestOfLine();
  const Words words = SplitWords(line, keyword);
  const std::string_view rest = line.substr(keyword.text.size());
  if (keyword.text == "origin") return Origin(keyword, rest);
  if (keyword.text == "cause") return Cause(words, rest);
  for (const LineKind& kind : kLineKinds) {
    if (!words.empty() && words[0].text == kind.keyword) return (this->*kind.parse)(words);
  }
  return lexer_.At(keyword, "unknown_line",
                   "expected values, data, schedule, lane, class, origin, cause or expect");
}

Status Parser::Values(const Words& words) {
  constexpr std::string_view kForm = "values exact seed N, or values bounded seed N [special]";
  if (has_values_) return words[0].Fail("values", "a case has one line of values");
  has_values_ = true;
  const auto lane = words.size() < 2
                        ? std::end(kLanes)
                        : std::find(std::begin(kLanes), std::end(kLanes), words[1].text);
  if (words.size() < 4 || lane == std::end(kLanes) || words[2].text != "seed") {
    return words[0].Fail("values", fmt::format("expected {}", kForm));
  }
  value().lane = static_cast<Lane>(lane - std::begin(kLanes));
  const auto seed = ReadNumber<uint64_t>(words[3].text);
  if (!seed) return words[3].Fail("values", "a seed is a number from 0 to 2^64 - 1");
  value().seed = *seed;
  if (words.size() == 4) return Done{};
  if (words.size() > 5 || words[4].text != "special" || value().lane != Lane::kBounded) {
    return words[4].Fail("values", fmt::format("expected {}", kForm));
  }
  value().special = true;
  return Done{};
}

Status Parser::Schedules(const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].text.find('=');
    if (equals == std::string_view::npos) {
      return words[i].Fail("schedule_key",
                           fmt::format("expected KEY=VALUE, got {}", words[i].Shown()));
    }
    const std::string_view key = words[i].text.substr(0, equals);
    Status set = SetScheduleKey(value().schedule, key, words[i].text.substr(equals + 1));
    if (!set.ok()) return words[i].Fail(set.error().rule, set.error().message);
    const std::string_view name = key.substr(0, key.find('.'));
    if (name.size() < key.size() && value().graph.Find(name) == kNoValue) {
      return words[i].Fail("schedule_value_name",
                           fmt::format("{} is no value of the graph", name.substr(0, 64)));
    }
  }
  return Done{};
}

Status Parser::Lanes(const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].text.find('=');
    if (equals == std::string_view::npos || equals == 0 || !IsPrintable(words[i].text)) {
      return words[i].Fail("lane", fmt::format("expected NAME=VALUE, got {}", words[i].Shown()));
    }
    value().schedule.lanes[std::string(words[i].text.substr(0, equals))] =
        words[i].text.substr(equals + 1);
  }
  return Done{};
}

Status Parser::Classes(const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const auto found = FindHazardClass(words[i].text);
    if (!found) {
      return words[i].Fail("class", fmt::format("there is no hazard class {}", words[i].Shown()));
    }
    value().classes.insert(*found);
  }
  return Done{};
}

Status Parser::Expect(const Words& words) {
  Expectation expectation;
  size_t i = 1;
  if (i < words.size() && words[i].text.starts_with(kFaultPrefix)) {
    expectation.fault = words[i++].text.substr(kFaultPrefix.size());
    if (expectation.fault.empty()) return words[1].Fail("expect", "a fault has a name");
  } else if (i < words.size() && words[i].text.starts_with(kEnginePrefix)) {
    const std::string_view engine = words[i++].text.substr(kEnginePrefix.size());
    const size_t at = std::min(engine.find('@'), engine.size());
    expectation.engine = engine.substr(0, at);
    if (at < engine.size()) expectation.version = engine.substr(at + 1);
    if (expectation.engine.empty() || (at < engine.size() && expectation.version.empty())) {
      return words[1].Fail("expect", "expected engine:NAME or engine:NAME@VERSION");
    }
  }
  const Word& at_verdict = words[std::min(i, words.size() - 1)];
  const auto verdict = i < words.size() ? FindVerdict(words[i].text) : std::nullopt;
  if (!verdict) {
    std::string names;
    for (const VerdictRow& row : VerdictRows())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    return at_verdict.Fail("expect", "expected a verdict: " + names);
  }
  expectation.verdict = *verdict;
  if (++i < words.size()) {
    for (Mode mode : kModes) {
      if (words[i].text == ModeName(mode)) expectation.mode = mode;
    }
    if (!expectation.mode || words.size() > i + 1) {
      return words[i].Fail("expect", "expected monolithic, segmented or the end of the line");
    }
  }
  if (!IsPrintable(words[1].text)) return words[1].Fail("expect", "expected printable text");
  value().expectations.push_back(std::move(expectation));
  return Done{};
}

Status Parser::Origin(const Token& keyword, std::string_view rest) {
  rest = Trimmed(rest);
  if (rest.empty()) return lexer_.At(keyword, "origin", "an origin has a text");
  value().origin.emplace_back(rest);
  return Done{};
}

Status Parser::Cause(const Words& words, std::string_view rest) {
  // A pattern ends where a comment begins.
  const std::string_view last = words.back().text;
  const auto length = static_cast<size_t>(last.data() + last.size() - rest.data());
  const Result<Pattern> pattern =
      ParsePattern(words.size() == 1 ? std::string_view() : rest.substr(0, length));
  if (!pattern.ok()) {
    return words[words.size() > 1 ? 1 : 0].Fail("cause", pattern.error().message);
  }
  value().causes.push_back(Text(*pattern));
  return Done{};
}

Status Parser::Data() {
  lexer_.Next();
  const Token name = lexer_.Next();
  const std::vector<StorageInfo> storages = Storages(value().graph);
  const auto storage = std::find_if(storages.begin(), storages.end(),
                                    [&](const StorageInfo& s) { return s.name == name.text; });
  if (storage == storages.end()) {
    return lexer_.At(name, "data_storage", "expected the name of a storage of the graph");
  }
  for (const StorageData& other : value().data) {
    if (other.storage == name.text) {
      return lexer_.At(name, "data_storage", fmt::format("data {} is given twice", name.text));
    }
  }
  const DType dtype = value().graph.type(storage->inputs.front()).dtype;
  const int64_t count = storage->bytes / Row(dtype).bytes;
  StorageData data{.storage = storage->name};
  if (Status open = lexer_.Expect("["); !open.ok()) return open;
  while (!lexer_.Accept("]")) {
    if (!data.elements.empty()) {
      if (Status comma = lexer_.Expect(","); !comma.ok()) return comma;
    }
    if (static_cast<int64_t>(data.elements.size()) == count) {
      return lexer_.At(
          lexer_.peek(), "data_length",
          fmt::format("storage {} holds {} elements of {}", storage->name, count, Row(dtype).name));
    }
    if (Status element = Element(dtype, data); !element.ok()) return element;
  }
  value().data.push_back(std::move(data));
  return Done{};
}

Status Parser::Element(DType dtype, StorageData& data) {
  const Token token = lexer_.Next();
  const auto bad = [&] {
    return lexer_.At(token, "data", fmt::format("expected an element of {}", Row(dtype).name));
  };
  Scalar element = IntScalar(0);
  if (IsFloat(dtype)) {
    const auto number = ReadNumber<double>(token.text);
    if (!number) return bad();
    element = std::isnan(*number) ? FloatScalar(std::numeric_limits<double>::quiet_NaN())
                                  : Round(dtype, FloatScalar(*number));
  } else if (dtype == DType::kBool && (token.text == "true" || token.text == "false")) {
    element = IntScalar(token.text == "true");
  } else {
    const auto number = ReadNumber<int64_t>(token.text);
    if (!number || Round(dtype, IntScalar(*number)).i != *number) return bad();
    element = IntScalar(*number);
  }
  data.elements.push_back(element);
  return Done{};
}

}  // namespace

std::string Print(const Case& c) {
  std::string text = fmt::format("seamfuzz {}\n", kFormatVersion);
  for (const std::string& note : c.notes) text += note.empty() ? "#\n" : "# " + note + "\n";
  text += Print(c.graph);
  text += fmt::format("values {} seed {}{}\n", kLanes[static_cast<size_t>(c.lane)], c.seed,
                      c.special ? " special" : "");
  text += DataText(c);
  if (const std::string schedule = ScheduleText(c.schedule); !schedule.empty()) {
    text += fmt::format("schedule {}\n", schedule);
  }
  if (!c.schedule.lanes.empty()) {
    text += "lane";
    for (const auto& [name, value] : c.schedule.lanes) text += fmt::format(" {}={}", name, value);
    text += "\n";
  }
  if (!c.classes.empty()) text += fmt::format("class {}\n", Text(c.classes));
  for (const std::string& origin : c.origin) text += fmt::format("origin {}\n", origin);
  for (const std::string& cause : c.causes) text += fmt::format("cause {}\n", cause);
  for (const Expectation& expectation : c.expectations) text += ExpectationText(expectation) + "\n";
  return text;
}

Result<ParsedCase> ParseCase(std::string_view text) { return Parser(text).Parse(); }

Result<ParsedCase> LoadCase(const std::string& path) {
  constexpr size_t kMaxFileBytes = size_t{16} << 20;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Error{"", path + ": is a folder"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"", path + ": cannot be read"};
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
    text.append(chunk.data(), static_cast<size_t>(file.gcount()));
    if (text.size() > kMaxFileBytes) return Error{"", path + ": is larger than 16 MiB"};
  }
  if (file.bad()) return Error{"", path + ": cannot be read"};
  Result<ParsedCase> parsed = ParseCase(text);
  if (!parsed.ok()) return Error{"", fmt::format("{}:{}", path, parsed.error().Text())};
  return parsed;
}

}  // namespace seamfuzz
