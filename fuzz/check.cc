// See check.h.
#include "fuzz/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "generator/ir/segments.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {
namespace {

std::string AtLine(const std::vector<int>& lines, int i) {
  return i >= 0 && i < static_cast<int>(lines.size()) ? fmt::format(" (line {})", lines[i])
                                                      : std::string();
}

std::string NodeText(const Case& c, const GraphLines& lines, ValueId v) {
  return PrintNode(c.graph, v) + AtLine(lines.nodes, v);
}
std::string EffectText(const Case& c, const GraphLines& lines, int effect) {
  return PrintEffect(c.graph, c.graph.effects()[effect]) + AtLine(lines.effects, effect);
}

bool SameRead(const Hazard& a, const Hazard& b) {
  return a.update == b.update && a.input == b.input && a.chain == b.chain && a.reader == b.reader &&
         a.reader_operands == b.reader_operands && a.reader_effect == b.reader_effect;
}

// One read, and the hazards that it is in each mode.
struct Read {
  const Hazard* any;
  std::array<std::vector<const Hazard*>, 2> by_mode;
};

std::string ReadText(const Case& c, const GraphLines& lines, const Read& read) {
  const Hazard& hazard = *read.any;
  std::string text = "    ";
  if (hazard.reader != kNoValue) {
    text += NodeText(c, lines, hazard.reader);
  } else if (hazard.reader_effect >= 0) {
    text += EffectText(c, lines, hazard.reader_effect);
  } else {
    text += NodeText(c, lines, hazard.input);
  }
  if (hazard.input != kNoValue && hazard.input != hazard.reader) {
    text += fmt::format(" reads {}", c.graph.node(hazard.input).name);
    std::string chain;
    for (ValueId v : hazard.chain) {
      chain += fmt::format("{}{}", chain.empty() ? "" : ", ", NodeText(c, lines, v));
    }
    if (!chain.empty()) text += fmt::format(" through {}", chain);
  }
  text += "\n";
  for (Mode mode : kModes) {
    for (const Hazard* of : read.by_mode[static_cast<int>(mode)]) {
      const HazardClassRow& row = Row(of->id);
      text += fmt::format("      {} {}: {}\n        {}\n        repair: {}\n", ModeName(mode),
                          row.name, row.description, of->text, of->repair_text);
    }
  }
  return text;
}

std::string AmbiguityText(const Case& c, const GraphLines& lines) {
  const std::vector<Ambiguity> ambiguities = AmbiguousAsProgram(c);
  if (ambiguities.empty()) {
    return "as a program: not ambiguous, the updates may stand anywhere among the statements\n";
  }
  std::string text =
      "as a program: ambiguous, read in program order the answer depends on where an update "
      "stands:\n";
  for (const Ambiguity& ambiguity : ambiguities) {
    const std::string what = ambiguity.reader != kNoValue ? NodeText(c, lines, ambiguity.reader)
                                                          : EffectText(c, lines, ambiguity.effect);
    text += fmt::format("    {} answers otherwise when {} stands before it\n", what,
                        EffectText(c, lines, ambiguity.update));
  }
  return text;
}

}  // namespace

std::string HazardsText(const Case& c, const GraphLines& lines) {
  std::vector<Hazard> hazards;
  for (Mode mode : kModes) {
    const std::vector<Hazard> of_mode = ListHazards(c, mode);
    hazards.insert(hazards.end(), of_mode.begin(), of_mode.end());
  }
  if (hazards.empty()) return "hazards: none\n";
  std::vector<Read> reads;
  for (const Hazard& hazard : hazards) {
    auto read = std::find_if(reads.begin(), reads.end(),
                             [&](const Read& r) { return SameRead(*r.any, hazard); });
    if (read == reads.end()) read = reads.insert(reads.end(), {&hazard, {}});
    read->by_mode[static_cast<int>(hazard.mode)].push_back(&hazard);
  }
  std::stable_sort(reads.begin(), reads.end(),
                   [](const Read& a, const Read& b) { return a.any->update < b.any->update; });
  std::string text = "hazards:\n";
  std::optional<int> update;
  for (const Read& read : reads) {
    if (update != read.any->update) {
      update = read.any->update;
      text += *update >= 0 ? fmt::format("  {}\n", EffectText(c, lines, *update))
                           : std::string("  without an update\n");
    }
    text += ReadText(c, lines, read);
  }
  return text;
}

CheckReport Check(const ParsedCase& parsed) {
  const Case& c = parsed.value;
  CheckReport report;
  if (c.graph.reading() == Reading::kTrace) {
    report.text =
        "trace: typed; hazards of traces cannot be listed yet, that needs functionalize\n";
    return report;
  }
  const std::vector<Error> broken = BrokenContract(c.graph);
  report.breaks_rules = !broken.empty();
  report.text = broken.empty() ? "rules broken: none\n" : "rules broken:\n";
  for (const Error& error : broken) report.text += fmt::format("    {}\n", error.Text());
  const int segments = SegmentsOf(c.graph, Mode::kSegmented).count;
  report.text += fmt::format("segments: {}\n", segments);
  // What hazards and ambiguity mean rests on the rules.
  if (report.breaks_rules) return report;
  report.text += HazardsText(c, parsed.lines) + AmbiguityText(c, parsed.lines);
  return report;
}

}  // namespace seamfuzz
