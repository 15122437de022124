// Schedules as KEY=VALUE text: one table of value choices, one of whole-schedule keys.
#include "generator/case/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

namespace seamfuzz {
namespace {

constexpr int kMaxBlock = 1024;  // threads a block on every CUDA device
constexpr int kMaxGrid = 65535;
constexpr int kMaxStreams = 4;
constexpr int kMaxSegment = 4095;  // a graph has at most 4096 nodes

// Words in the order of their enumerators.
constexpr std::string_view kPlaces[] = {"auto", "inline", "materialize"};
constexpr std::string_view kCommits[] = {"auto", "direct", "deferred", "snapshot"};
constexpr std::string_view kReduces[] = {"serial", "warp_shuffle", "shared_tree", "two_pass",
                                         "persistent"};
constexpr std::string_view kEdges[] = {"store", "recompute"};
constexpr std::string_view kMaps[] = {"forward", "reversed", "blocked",
                                      "vector2", "vector4",  "vector8"};
constexpr std::string_view kLoops[] = {"row_major", "column_major"};
constexpr std::string_view kInterleaves[] = {"forward",      "reverse",   "reads_first",
                                             "writes_first", "one_ahead", "random"};

// One key of a value: T4.KEY=WORD.
struct ChoiceKey {
  std::string_view name;
  std::span<const std::string_view> words;
  int (*get)(const ValueChoice& choice);
  void (*set)(ValueChoice& choice, int word);
};

template <auto kMember>
constexpr ChoiceKey Choice(std::string_view name, std::span<const std::string_view> words) {
  return {name, words, [](const ValueChoice& choice) { return static_cast<int>(choice.*kMember); },
          [](ValueChoice& choice, int word) {
            using Enum = std::remove_reference_t<decltype(choice.*kMember)>;
            choice.*kMember = static_cast<Enum>(word);
          }};
}

constexpr ChoiceKey kChoiceKeys[] = {
    Choice<&ValueChoice::place>("place", kPlaces),
    Choice<&ValueChoice::commit>("commit", kCommits),
    Choice<&ValueChoice::reduce>("reduce", kReduces),
    Choice<&ValueChoice::edge>("edge", kEdges),
    Choice<&ValueChoice::map>("map", kMaps),
    Choice<&ValueChoice::loop>("loop", kLoops),
};

std::optional<int> FindWord(std::span<const std::string_view> words, std::string_view word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return std::nullopt;
  return static_cast<int>(found - words.begin());
}

template <typename T>
std::optional<T> ReadInteger(std::string_view text, T low, T high) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < low || value > high) return std::nullopt;
  return value;
}

// Segment numbers between separators, each once in `seen` too.
std::optional<std::vector<int>> ReadSegments(std::string_view text, char separator,
                                             std::vector<int>& seen) {
  std::vector<int> segments;
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    const std::optional<int> segment = ReadInteger(text.substr(0, end), 0, kMaxSegment);
    if (!segment || std::find(seen.begin(), seen.end(), *segment) != seen.end())
      return std::nullopt;
    segments.push_back(*segment);
    seen.push_back(*segment);
    if (end == text.size()) return segments;
    text.remove_prefix(end + 1);
  }
}

// ---- Keys of the whole schedule: each reads its value, false where that is none.
// ----------------------------------------

bool SetOrder(Schedule& schedule, std::string_view value) {
  std::vector<int> seen;
  auto segments = ReadSegments(value, ',', seen);
  if (segments) schedule.order = std::move(*segments);
  return segments.has_value();
}

bool SetMerge(Schedule& schedule, std::string_view value) {
  std::vector<std::vector<int>> groups;
  std::vector<int> seen;
  while (true) {
    const size_t end = std::min(value.find(','), value.size());
    auto group = ReadSegments(value.substr(0, end), '+', seen);
    if (!group || group->size() < 2) return false;
    groups.push_back(std::move(*group));
    if (end == value.size()) break;
    value.remove_prefix(end + 1);
  }
  schedule.merge = std::move(groups);
  return true;
}

bool SetInt(int& field, std::string_view value, int low, int high) {
  const std::optional<int> number = ReadInteger(value, low, high);
  if (number) field = *number;
  return number.has_value();
}

bool SetBlock(Schedule& schedule, std::string_view value) {
  return SetInt(schedule.block, value, 1, kMaxBlock);
}
bool SetGrid(Schedule& schedule, std::string_view value) {
  return SetInt(schedule.grid, value, 0, kMaxGrid);
}
bool SetStreams(Schedule& schedule, std::string_view value) {
  return SetInt(schedule.streams, value, 1, kMaxStreams);
}

bool SetReuse(Schedule& schedule, std::string_view value) {
  if (value != "on" && value != "off") return false;
  schedule.reuse = value == "on";
  return true;
}

bool TakesSeed(Interleave interleave) {
  return interleave == Interleave::kRandom || interleave == Interleave::kOneAhead;
}

bool SetInterleave(Schedule& schedule, std::string_view value) {
  const size_t colon = value.find(':');
  const std::optional<int> word = FindWord(kInterleaves, value.substr(0, colon));
  if (!word) return false;
  const auto interleave = static_cast<Interleave>(*word);
  uint32_t seed = 0;
  if (colon != std::string_view::npos) {
    const auto number = ReadInteger<uint32_t>(value.substr(colon + 1), 0, UINT32_MAX);
    if (!number || !TakesSeed(interleave)) return false;
    seed = *number;
  }
  schedule.interleave = interleave;
  schedule.interleave_seed = seed;
  return true;
}

struct WholeKey {
  std::string_view name;
  bool (*set)(Schedule& schedule, std::string_view value);
  std::string_view expected;  // in words
};
constexpr WholeKey kWholeKeys[] = {
    {"order", SetOrder, "segments, each once: 1,0"},
    {"merge", SetMerge, "groups of segments, each once: 0+1,3+4"},
    {"block", SetBlock, "1 to 1024 threads"},
    {"grid", SetGrid, "0 to 65535 blocks"},
    {"reuse", SetReuse, "on or off"},
    {"streams", SetStreams, "1 to 4"},
    {"interleave", SetInterleave,
     "forward, reverse, reads_first, writes_first, one_ahead:THREAD or random:SEED"},
};

Error BadValue(std::string_view key, std::string_view value, std::string_view expected) {
  return {"schedule_value",
          fmt::format("{}={} is not known; it takes {}", key, value.substr(0, 32), expected)};
}

Status SetValueKey(Schedule& schedule, std::string_view key, size_t dot, std::string_view value) {
  const std::string_view name = key.substr(dot + 1);
  for (const ChoiceKey& choice : kChoiceKeys) {
    if (choice.name != name) continue;
    const std::optional<int> word = FindWord(choice.words, value);
    if (!word) {
      return BadValue(key.substr(0, 96), value, fmt::format("{}", fmt::join(choice.words, ", ")));
    }
    choice.set(schedule.values[std::string(key.substr(0, dot))], *word);
    return Done{};
  }
  return Error{
      "schedule_key",
      fmt::format("a value has no choice '{}'; it has place, commit, reduce, edge, map, loop",
                  name.substr(0, 32))};
}

}  // namespace

void Schedule::Normalize() {
  std::erase_if(values, [](const auto& entry) { return entry.second == ValueChoice{}; });
  std::erase_if(merge, [](const std::vector<int>& group) { return group.size() < 2; });
  if (!TakesSeed(interleave)) interleave_seed = 0;
}

const ValueChoice& Schedule::of(std::string_view value) const {
  static const ValueChoice kDefault;
  const auto found = values.find(value);
  return found == values.end() ? kDefault : found->second;
}

std::string ScheduleText(const Schedule& schedule) {
  const Schedule defaults;
  std::string text;
  const auto append = [&text](std::string_view key, std::string_view value) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}={}", key, value);
  };
  for (const auto& [value, choice] : schedule.values) {
    for (const ChoiceKey& key : kChoiceKeys) {
      const int word = key.get(choice);
      if (word != 0) append(fmt::format("{}.{}", value, key.name), key.words[word]);
    }
  }
  if (!schedule.order.empty()) append("order", fmt::format("{}", fmt::join(schedule.order, ",")));
  std::string merge;
  for (const std::vector<int>& group : schedule.merge) {
    if (!merge.empty()) merge += ',';
    merge += fmt::format("{}", fmt::join(group, "+"));
  }
  if (!merge.empty()) append("merge", merge);
  if (schedule.block != defaults.block) append("block", std::to_string(schedule.block));
  if (schedule.grid != defaults.grid) append("grid", std::to_string(schedule.grid));
  if (schedule.reuse != defaults.reuse) append("reuse", schedule.reuse ? "on" : "off");
  if (schedule.streams != defaults.streams) append("streams", std::to_string(schedule.streams));
  if (schedule.interleave != defaults.interleave) {
    std::string word(kInterleaves[static_cast<size_t>(schedule.interleave)]);
    if (TakesSeed(schedule.interleave)) word += fmt::format(":{}", schedule.interleave_seed);
    append("interleave", word);
  }
  return text;
}

Status SetScheduleKey(Schedule& schedule, std::string_view key, std::string_view value) {
  const size_t dot = key.find('.');
  if (dot != std::string_view::npos) return SetValueKey(schedule, key, dot, value);
  for (const WholeKey& whole : kWholeKeys) {
    if (whole.name != key) continue;
    if (!whole.set(schedule, value)) return BadValue(key, value, whole.expected);
    return Done{};
  }
  return Error{
      "schedule_key",
      fmt::format("there is no schedule key '{}'; keys are VALUE.CHOICE, order, merge, block, "
                  "grid, reuse, streams, interleave",
                  key.substr(0, 32))};
}

}  // namespace seamfuzz
