// One hazard in one line of text, and the words that its fields may hold.
#include "generator/case/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace seamfuzz {
namespace {

constexpr std::string_view kAny = "any";
// The forms in their order, then what is no form.
constexpr std::string_view kForms[] = {"source", "pointwise", "reduce",   "move",
                                       "index",  "scan",      "contract", "composite",
                                       "copy",   "input",     "update",   "output"};
constexpr std::string_view kIndices[] = {"same",   "broadcast", "permuted", "shifted", "flipped",
                                         "sliced", "gathered",  "reshaped", "other"};
constexpr std::string_view kSegments[] = {"same", "other"};
constexpr std::string_view kDTypes[] = {"same", "narrower", "wider"};

struct Field {
  std::string_view name;
  std::string Pattern::*value;
  std::span<const std::string_view> words;
};
constexpr Field kFields[] = {
    {"write", &Pattern::write, kForms},   {"read", &Pattern::read, kForms},
    {"index", &Pattern::index, kIndices}, {"segment", &Pattern::segment, kSegments},
    {"dtype", &Pattern::dtype, kDTypes},
};

// The next word; `text` is what is left. Empty at the end.
std::string_view NextWord(std::string_view& text) {
  constexpr std::string_view kBlank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::string_view PatternWord(Form form) { return kForms[static_cast<size_t>(form)]; }

std::string Text(const Pattern& pattern) {
  std::string text(Row(pattern.id).name);
  for (const Field& field : kFields) {
    const std::string& value = pattern.*field.value;
    if (value != kAny) text += fmt::format(" {}={}", field.name, value);
  }
  return text;
}

Result<Pattern> ParsePattern(std::string_view text) {
  Pattern pattern;
  const std::string_view id = NextWord(text);
  const auto found = FindHazardClass(id);
  if (!found)
    return Error{"pattern", fmt::format("there is no hazard class '{}'", id.substr(0, 32))};
  pattern.id = *found;
  for (std::string_view word = NextWord(text); !word.empty(); word = NextWord(text)) {
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                    [&](const Field& f) { return f.name == name; });
    if (equals == std::string_view::npos || field == std::end(kFields)) {
      return Error{"pattern", fmt::format("'{}' is none of write=, read=, index=, segment=, dtype=",
                                          word.substr(0, 32))};
    }
    const std::string_view value = word.substr(equals + 1);
    const auto known = std::find(field->words.begin(), field->words.end(), value);
    if (value != kAny && known == field->words.end()) {
      return Error{"pattern", fmt::format("{}={} is not known; it is one of: any, {}", name,
                                          value.substr(0, 32), fmt::join(field->words, ", "))};
    }
    pattern.*field->value = value;
  }
  return pattern;
}

bool Matches(const Pattern& mask, const Pattern& hazard) {
  return mask.id == hazard.id &&
         std::all_of(std::begin(kFields), std::end(kFields), [&](const Field& field) {
           return mask.*field.value == kAny || mask.*field.value == hazard.*field.value;
         });
}

}  // namespace seamfuzz
