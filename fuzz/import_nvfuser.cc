// From a file's text to cases: code fences, comments, names.
#include "fuzz/import_nvfuser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fuzz/import_script.h"
#include "fuzz/python_parser.h"

namespace seamfuzz {
namespace {

std::string_view Trimmed(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Calls visit(line, start) for each line without its end.
template <typename Visit>
void ForEachLine(std::string_view text, Visit visit) {
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    visit(text.substr(start, end - start), start);
    start = end + 1;
  }
}

// An issue text with everything outside its Python fences blanked, so that positions stay. The text
// as it is when no fence holds a fusion.
std::string FencedCode(std::string_view source) {
  std::string code(source);
  bool inside = false;
  bool python = false;
  bool found = false;
  ForEachLine(source, [&](std::string_view line, size_t start) {
    const std::string_view trimmed = Trimmed(line);
    const bool fence = trimmed.starts_with("```");
    if (fence) {
      const std::string_view language = Trimmed(trimmed.substr(3));
      python = !inside && (language.empty() || language.starts_with("py"));
      inside = !inside;
    }
    const bool keep = inside && python && !fence;
    if (!keep) std::fill_n(code.begin() + static_cast<ptrdiff_t>(start), line.size(), ' ');
    found = found || (keep && (line.find("FusionDefinition") != std::string_view::npos ||
                               line.find("define_tensor") != std::string_view::npos));
  });
  return found ? code : std::string(source);
}

struct Comments {
  std::vector<std::string> notes;    // before the first statement
  std::vector<std::string> origins;  // links
};
Comments CommentsOf(std::string_view code) {
  constexpr size_t kMostNotes = 20;
  Comments comments;
  bool started = false;
  ForEachLine(code, [&](std::string_view line, size_t) {
    const std::string_view trimmed = Trimmed(line);
    if (!trimmed.starts_with("#")) {
      started = started || !trimmed.empty();
      return;
    }
    const std::string_view text = Trimmed(trimmed.substr(1));
    const bool printable = std::all_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
    if (!printable) return;
    if (!started && !text.starts_with("!") && comments.notes.size() < kMostNotes)
      comments.notes.emplace_back(text);
    const size_t link = text.find("https://");
    if (link == std::string_view::npos || comments.origins.size() >= kMostNotes) return;
    std::string_view url = text.substr(link, text.find_first_of(" \t)>\"'", link) - link);
    while (!url.empty() && (url.back() == '.' || url.back() == ',')) url.remove_suffix(1);
    comments.origins.emplace_back(url);
  });
  return comments;
}

std::string FileName(std::string_view name) {
  std::string made;
  for (char c : name.substr(0, 80)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    made += plain ? c : '_';
  }
  return made;
}

}  // namespace

Result<std::vector<ImportedCase>> ImportNvfuser(std::string_view source) {
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);  // a byte order mark
  const std::string code = FencedCode(source);
  const Result<PyModule> module = ParsePython(code);
  if (!module.ok()) return module.error();
  ScriptReader reader(*module);
  const Result<std::vector<ScriptFusion>> fusions = reader.Find();
  if (!fusions.ok()) return fusions.error();
  const Comments comments = CommentsOf(code);
  std::vector<ImportedCase> cases;
  std::set<std::string> names;
  for (const ScriptFusion& fusion : *fusions) {
    Result<Case> built = reader.Build(fusion);
    if (!built.ok()) return built.error();
    built->notes = comments.notes;
    built->origin = comments.origins;
    const std::string base = FileName(fusion.name);
    const auto same = [&](const ImportedCase& c) { return c.name == base && c.value == *built; };
    if (std::any_of(cases.begin(), cases.end(), same)) continue;  // one function, run twice alike
    std::string name = base;
    for (int k = 2; !names.insert(name).second; ++k) name = fmt::format("{}_{}", base, k);
    cases.push_back({std::move(name), std::move(*built)});
  }
  return cases;
}

}  // namespace seamfuzz
