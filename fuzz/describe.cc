// See describe.h.
#include "fuzz/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "generator/ir/text.h"

namespace seamfuzz {

std::string SegmentsText(const Graph& graph, Mode mode, int indent) {
  const Segments segments = SegmentsOf(graph, mode);
  std::string text;
  const auto line = [&](std::string_view head, std::string_view what) {
    text += fmt::format("{:{}}{:<12}{}\n", "", indent, head, what);
  };
  std::string_view head = "inputs";
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (segments.of[v] >= 0) continue;
    line(head, PrintNode(graph, v));
    head = "";
  }
  for (int s = 0; s < segments.count; ++s) {
    std::string name = fmt::format("segment {}", s);
    for (ValueId v = 0; v < graph.size(); ++v) {
      if (segments.of[v] != s) continue;
      line(name, PrintNode(graph, v));
      name.clear();
    }
  }
  head = "effects";
  for (const Effect& effect : graph.effects()) {
    line(head, PrintEffect(graph, effect));
    head = "";
  }
  return text;
}

std::string ElementsText(const PermittedTensor& value, int limit) {
  std::string text = "[";
  const int64_t count = static_cast<int64_t>(value.elements.size());
  for (int64_t i = 0; i < std::min<int64_t>(count, limit); ++i) {
    if (i > 0) text += ", ";
    text += value.Text(i);
  }
  if (count > limit) text += fmt::format(", ... {} elements in all", count);
  return text + "]";
}

}  // namespace seamfuzz
