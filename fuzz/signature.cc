// See signature.h.
#include "fuzz/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace seamfuzz {

uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

std::string StableMessage(std::string_view text) {
  std::string stable;
  size_t at = 0;
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    std::string kept;
    // A word with a slash is a path, one with 0x an address.
    if (word.find('/') == std::string_view::npos && word.find("0x") == std::string_view::npos) {
      std::copy_if(word.begin(), word.end(), std::back_inserter(kept),
                   [](unsigned char c) { return !std::isdigit(c); });
    }
    if (kept.empty()) continue;
    if (!stable.empty()) stable += ' ';
    stable += kept;
  }
  return stable;
}

std::string Signature::Distinct() const {
  return fmt::format("{}.{}.{}", engine, kind, seamfuzz::Text(classes, "-"));
}

std::string Signature::Text() const { return fmt::format("{}.{}", Distinct(), hash); }

Signature MakeSignature(std::string_view engine, const Verdict& verdict,
                        const HazardClasses& classes, const std::vector<Pattern>& patterns) {
  const bool failure = verdict.kind == VerdictKind::kFailure;
  std::string hashed;
  if (failure) {
    hashed = StableMessage(verdict.text);
  } else {
    std::vector<Pattern> sorted = patterns;
    std::sort(sorted.begin(), sorted.end());
    for (const Pattern& pattern : sorted) hashed += seamfuzz::Text(pattern) + "\n";
  }
  const uint64_t hash = Hash(hashed);
  return {.engine = std::string(engine),
          .kind = failure ? "failure" : "wrong",
          .classes = classes,
          .hash = fmt::format("{:08x}", static_cast<uint32_t>(hash ^ (hash >> 32)))};
}

}  // namespace seamfuzz
