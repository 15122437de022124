// See finding.h.
#include "fuzz/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "fuzz/describe.h"
#include "fuzz/script_expectation.h"
#include "generator/case/text.h"
#include "oracle/judge.h"

namespace seamfuzz {
namespace {

// Elements of a value that a report shows.
constexpr int kShownElements = 12;
constexpr std::string_view kScriptFile = "script.py";

std::string FaultArguments(const Provenance& provenance) {
  std::string text;
  for (const std::string& fault : provenance.faults) text += " --fault " + fault;
  return text;
}

std::string EngineArgument(const Signature& signature) {
  return signature.engine == kOurEngine ? std::string() : " --engine " + signature.engine;
}

// What the storages hold before and what every effect must give.
std::string ReferenceText(const Case& c, Mode mode) {
  Judge judge(c);
  if (!judge.status().ok()) return {};
  const Reference& reference = judge.reference(mode);
  std::string text = "Before the call:\n\n";
  for (ValueId v = 0; v < c.graph.size(); ++v) {
    if (!c.graph.is_input(v)) continue;
    text += fmt::format("    {} = {}\n", c.graph.node(v).name,
                        ElementsText(reference.values[v], kShownElements));
  }
  text += "\nAfter it, whatever the compiler does:\n\n";
  for (const Effect& effect : c.graph.effects()) {
    text += fmt::format("    {} {}= {}\n",
                        c.graph.node(effect.is_update() ? effect.target : effect.value).name,
                        effect.is_update() ? "(updated) " : "",
                        ElementsText(reference.values[effect.value], kShownElements));
  }
  return text;
}

std::string CauseText(const Divergence& d) {
  std::string text;
  for (size_t i = 0; i < d.cause.texts.size(); ++i) {
    const HazardClass id = d.cause.patterns[i].id;
    text += fmt::format("* **{}** ({}): {}.", Row(id).name, Row(id).description, d.cause.texts[i]);
    if (i < d.cause.repairs.size()) {
      text += fmt::format(" The answer is right after this change: {}.", d.cause.repairs[i]);
    }
    text += fmt::format("\n  Pattern: `{}`\n", Text(d.cause.patterns[i]));
  }
  text += fmt::format("\nControl (the same change where there is no hazard): {}.\n",
                      Text(d.cause.control));
  return text;
}

std::string ReportText(const Case& original, const Minimized& minimized,
                       const Provenance& provenance, bool has_script) {
  const Divergence& d = minimized.divergence;
  const std::string_view mode = ModeName(d.verdict.mode);
  std::string text = fmt::format("# {}\n\n{}.\n\n", d.signature.Text(), Title(d));
  text += fmt::format(
      "Seamfuzz draws random fusion graphs whose outputs may be written into their own inputs\n"
      "(`T0 <- T2`: an in-place update), runs them on a fusion compiler and compares with a plain\n"
      "reference. The rule is: every read of an input means its value before the call; every "
      "update\n"
      "takes effect after all reads, however the compiler orders its kernels. On engine `{}` {}\n"
      "this does not hold. *Monolithic* means that the graph is compiled as one fusion, "
      "*segmented*\n"
      "that each `segment_set` forces a boundary between two kernels.\n\n",
      d.signature.engine,
      provenance.faults.empty()
          ? std::string("")
          : fmt::format("with the planted fault {}", fmt::join(provenance.faults, ", ")));
  text += fmt::format("## The graph, {}\n\n```\n{}```\n\n", mode,
                      SegmentsText(d.c.graph, d.verdict.mode, 0));
  text += fmt::format("## Right and wrong\n\n{}\nWhat the engine did, {}:\n\n    {}\n\n",
                      ReferenceText(d.c, d.verdict.mode), mode, Text(d.verdict));
  text += fmt::format("## Cause\n\n{}\n", CauseText(d));
  if (has_script) {
    text += fmt::format(
        "## Without seamfuzz\n\n`python {}` needs the compiler and nothing else. It runs the graph "
        "in both modes,\nprints each wrong element with what is permitted, and exits 1 while the "
        "bug "
        "is there, 0 when it is gone.\n\n",
        kScriptFile);
  }
  text += fmt::format(
      "## To see it again\n\n    seamfuzz replay minimized.seam{0}{1}\n    seamfuzz show "
      "minimized.seam{0}{1}\n\n",
      EngineArgument(d.signature), FaultArguments(provenance));
  text += fmt::format(
      "## How it was found\n\nDrawn as {} ({} nodes, `case.seam`); made smaller in {} steps of {} "
      "tried\n(`minimized.seam`). {}.\n",
      provenance.drawn, original.graph.size(), minimized.steps.size(), minimized.tried,
      Certificate(minimized));
  return text;
}

std::string VerdictJson(const Minimized& minimized, const Provenance& provenance) {
  const Divergence& d = minimized.divergence;
  nlohmann::ordered_json json = {
      {"signature", d.signature.Text()},
      {"distinct", d.signature.Distinct()},
      {"engine", d.signature.engine},
      {"faults", provenance.faults},
      {"drawn", provenance.drawn},
      {"mode", ModeName(d.verdict.mode)},
      {"verdict", Row(d.verdict.kind).name},
      {"call", d.verdict.call + 1},
      {"place", d.verdict.place},
      {"got", d.verdict.got},
      {"permitted", d.verdict.permitted},
      {"text", d.verdict.text},
      {"wrong_elements", d.verdict.wrong_elements},
      {"causes", nlohmann::json::array()},
      {"control", Text(d.cause.control)},
      {"runs_to_cause", d.cause.runs},
      {"steps", nlohmann::json::array()},
      {"tried", minimized.tried},
      {"single_steps", minimized.single_steps},
  };
  for (size_t i = 0; i < d.cause.texts.size(); ++i) {
    json["causes"].push_back({{"class", Row(d.cause.patterns[i].id).name},
                              {"pattern", Text(d.cause.patterns[i])},
                              {"text", d.cause.texts[i]}});
  }
  for (const AcceptedStep& step : minimized.steps) {
    json["steps"].push_back({{"pass", step.pass},
                             {"ops", step.size[Measure::kOps]},
                             {"cuts", step.size[Measure::kCuts]},
                             {"updates", step.size[Measure::kUpdates]},
                             {"elements", step.size[Measure::kElements]}});
  }
  // Text of a compiler need not be UTF-8.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string Title(const Divergence& d) {
  return fmt::format("{}: {}, {}", Text(d.signature.classes, ", "), d.cause.texts.front(),
                     ModeName(d.verdict.mode));
}

Case Labeled(const Minimized& minimized, const Provenance& provenance) {
  const Divergence& d = minimized.divergence;
  Case labeled = d.c;
  labeled.notes = {Title(d)};
  labeled.classes = d.signature.classes;
  for (const Pattern& pattern : d.cause.patterns) labeled.causes.push_back(Text(pattern));
  labeled.expectations = {Expectation{}};
  if (d.signature.engine != kOurEngine) {
    labeled.expectations.push_back({.fault = {},
                                    .engine = d.signature.engine,
                                    .version = VersionOfEngine(d.signature.engine),
                                    .verdict = d.verdict.kind,
                                    .mode = d.verdict.mode});
  }
  for (const std::string& fault : provenance.faults) {
    // With several faults on, each line must hold alone.
    const Result<std::unique_ptr<Engine>> engine =
        MakeEngine(d.signature.engine, EngineOptions{.faults = {fault}});
    if (!engine.ok()) continue;
    const Verdict verdict = Evaluate(**engine, d.c, d.verdict.mode).verdict;
    if (!verdict.bad()) continue;
    labeled.expectations.push_back({.fault = fault,
                                    .engine = {},
                                    .version = {},
                                    .verdict = verdict.kind,
                                    .mode = verdict.mode});
  }
  return labeled;
}

std::vector<NamedText> FindingFiles(const Case& original, const Minimized& minimized,
                                    const Provenance& provenance) {
  std::vector<NamedText> files = {{"case.seam", Print(original)},
                                  {"minimized.seam", Print(Labeled(minimized, provenance))},
                                  {"verdict.json", VerdictJson(minimized, provenance)}};
  const Divergence& d = minimized.divergence;
  std::optional<std::string> script = StandaloneScript(d.signature.engine, d.c);
  files.push_back({"report.md", ReportText(original, minimized, provenance, script.has_value())});
  if (script) files.push_back({std::string(kScriptFile), *std::move(script)});
  return files;
}

}  // namespace seamfuzz
