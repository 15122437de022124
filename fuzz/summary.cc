// See summary.h.
#include "fuzz/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "generator/draw/draw.h"

namespace seamfuzz {
namespace {

// Design 11: every op is drawn at least so often in a long campaign.
constexpr int64_t kDrawsWanted = 1000;
constexpr int64_t kLongCampaign = 1'000'000;
constexpr int kFewestShown = 3;

constexpr std::string_view kLaneNames[] = {"exact", "bounded"};

double CasesPerSecond(const CampaignState& state) {
  return state.seconds > 0 ? static_cast<double>(state.statistics.cases) / state.seconds : 0;
}

double Percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

struct ElementCounts {
  int64_t judged = 0, weak = 0, unjudged = 0;
  int64_t all() const { return judged + weak + unjudged; }
};

ElementCounts OfForm(const Tally& tally, int form) {
  return {tally.judged[form], tally.weak[form], tally.unjudged[form]};
}
ElementCounts OfAll(const Tally& tally) {
  ElementCounts sum;
  for (int form = 0; form < kFormCount; ++form) {
    const ElementCounts counts = OfForm(tally, form);
    sum.judged += counts.judged;
    sum.weak += counts.weak;
    sum.unjudged += counts.unjudged;
  }
  return sum;
}

std::string ElementsLine(std::string_view lane, std::string_view form, const ElementCounts& c) {
  return fmt::format("  {:<8} {:<12} {:>14} {:>14} ({:4.1f} %) {:>12} ({:4.1f} %)\n", lane, form,
                     c.judged, c.weak, Percent(c.weak, c.all()), c.unjudged,
                     Percent(c.unjudged, c.all()));
}

// Ops that may be drawn, the rarest first.
std::vector<OpId> ByDraws(const Statistics& statistics) {
  std::vector<OpId> ops;
  for (OpId op = 0; op < OpRows().size(); ++op) {
    if (Row(op).weight > 0 && op < statistics.ops.size()) ops.push_back(op);
  }
  std::stable_sort(ops.begin(), ops.end(),
                   [&](OpId a, OpId b) { return statistics.ops[a] < statistics.ops[b]; });
  return ops;
}

std::string OpsText(const Statistics& statistics) {
  const std::vector<OpId> ops = ByDraws(statistics);
  std::vector<std::string> fewest, rare;
  for (OpId op : ops) {
    const std::string text = fmt::format("{} {}", Row(op).name, statistics.ops[op]);
    if (static_cast<int>(fewest.size()) < kFewestShown) fewest.push_back(text);
    if (statistics.ops[op] < kDrawsWanted) rare.push_back(text);
  }
  std::string text =
      fmt::format("ops: {} of the table; drawn least: {}\n", ops.size(), fmt::join(fewest, ", "));
  if (statistics.cases >= kLongCampaign) {
    text += rare.empty() ? fmt::format("  each drawn at least {} times\n", kDrawsWanted)
                         : fmt::format("  drawn fewer than {} times: {}\n", kDrawsWanted,
                                       fmt::join(rare, ", "));
  }
  return text;
}

// Engine runs to a cause that `share` of the divergences did not exceed; 0 where there are none.
int CauseRuns(const Statistics& statistics, double share) {
  int64_t all = 0, seen = 0;
  for (const auto& [runs, count] : statistics.cause_runs) all += count;
  for (const auto& [runs, count] : statistics.cause_runs) {
    seen += count;
    if (static_cast<double>(seen) >= share * static_cast<double>(all)) return runs;
  }
  return 0;
}

// Of the wall time of all workers, starting included.
double CompilerShare(const CampaignOptions& options, const CampaignState& state) {
  const double wall = state.seconds * options.jobs;
  return wall > 0 ? 100 * state.statistics.times.compiler_seconds / wall : 0;
}
double RequestShare(const Statistics& s) {
  return s.times.busy_seconds > 0 ? 100 * s.times.compiler_seconds / s.times.busy_seconds : 0;
}

std::string EngineText(const CampaignOptions& options, const CampaignState& state) {
  const Statistics& s = state.statistics;
  std::string text;
  if (!s.cause_runs.empty()) {
    text += fmt::format("runs to a cause: median {}, nine in ten within {}\n", CauseRuns(s, 0.5),
                        CauseRuns(s, 0.9));
  }
  if (s.times.runs > 0) {
    text += fmt::format(
        "engine: {} runs, {:.1f} runs/s; inside the compiler and the execution: {:.1f} % of the "
        "workers' wall time, {:.1f} % of the time of requests\n",
        s.times.runs, static_cast<double>(s.times.runs) / state.seconds,
        CompilerShare(options, state), RequestShare(s));
  }
  return text;
}

// What was seen of one ENGINE.KIND.CLASSES.
struct DistinctCounts {
  int64_t appearances = 0;
  int patterns = 0;
  std::vector<std::string> signatures;
};

std::map<std::string, DistinctCounts> ByDistinct(const CampaignState& state) {
  std::map<std::string, DistinctCounts> counts;
  for (const auto& [signature, record] : state.signatures) {
    counts[record.distinct].signatures.push_back(signature);
  }
  for (const auto& [key, bucket] : state.buckets) {
    const auto record = state.signatures.find(bucket.signature);
    DistinctCounts& of =
        counts[record == state.signatures.end() ? bucket.distinct : record->second.distinct];
    of.appearances += bucket.appearances;
    ++of.patterns;
  }
  return counts;
}

}  // namespace

std::string SummaryText(const CampaignOptions& options, const CampaignState& state) {
  const Statistics& s = state.statistics;
  std::string text;
  if (state.interrupted) text += "interrupted: what follows is of the cases that were run\n";
  text += fmt::format("cases: {} in {:.1f} s, seed {}, generator version {}, {} jobs\n", s.cases,
                      state.seconds, options.config.seed, kGeneratorVersion, options.jobs);
  text += "verdicts of both modes:";
  for (const VerdictRow& row : VerdictRows()) {
    const int64_t count = s.verdicts[static_cast<int>(row.kind)];
    if (count > 0) text += fmt::format(" {} {}", row.name, count);
  }
  text += fmt::format("\nelements:\n  {:<8} {:<12} {:>14} {:>23} {:>21}\n", "lane", "form",
                      "judged", "weak", "unjudged");
  for (int lane = 0; lane < kLaneCount; ++lane) {
    for (int form = 0; form < kFormCount; ++form) {
      const ElementCounts counts = OfForm(s.tallies[lane], form);
      if (counts.all() > 0) {
        text += ElementsLine(kLaneNames[lane], FormName(static_cast<Form>(form)), counts);
      }
    }
    text += ElementsLine(kLaneNames[lane], "all", OfAll(s.tallies[lane]));
  }
  text += OpsText(s);
  text +=
      fmt::format("segmented ran more kernels than monolithic in {:.1f} % of {} cases with cuts\n",
                  Percent(s.more_kernels, s.cut_cases), s.cut_cases);
  text += EngineText(options, state);
  for (const auto& [distinct, counts] : ByDistinct(state)) {
    text += fmt::format("{}: {} appearances of {} patterns\n", distinct, counts.appearances,
                        counts.patterns);
    for (const std::string& signature : counts.signatures) {
      text += fmt::format("  {}/{}: {}\n", options.out, signature,
                          state.signatures.at(signature).title);
    }
  }
  text +=
      fmt::format("run: {} cases, {} findings, {} distinct, {} variants, {:.0f} cases/s\n", s.cases,
                  state.findings, state.Distinct(), state.Variants(), CasesPerSecond(state));
  return text;
}

std::string CampaignJson(const CampaignOptions& options, const CampaignState& state) {
  using Json = nlohmann::ordered_json;
  const Statistics& s = state.statistics;
  Json json = {
      {"engine", options.config.engine.engine},
      {"faults", options.config.engine.faults},
      {"seed", options.config.seed},
      {"generator_version", kGeneratorVersion},
      {"jobs", options.jobs},
      {"cases", s.cases},
      {"findings", state.findings},
      {"distinct", state.Distinct()},
      {"variants", state.Variants()},
      {"seconds", state.seconds},
      {"cases_per_second", CasesPerSecond(state)},
      {"interrupted", state.interrupted},
      {"verdicts", Json::object()},
      {"elements", Json::object()},
      {"ops", Json::object()},
      {"cut_cases", s.cut_cases},
      {"cut_cases_with_more_kernels", s.more_kernels},
      {"cause_runs_median", CauseRuns(s, 0.5)},
      {"cause_runs_nine_in_ten", CauseRuns(s, 0.9)},
      {"engine_runs", s.times.runs},
      {"compiler_share_of_wall_time", CompilerShare(options, state)},
      {"compiler_share_of_requests", RequestShare(s)},
      {"signatures", Json::array()},
      {"patterns", Json::array()},
  };
  for (const VerdictRow& row : VerdictRows()) {
    json["verdicts"][std::string(row.name)] = s.verdicts[static_cast<int>(row.kind)];
  }
  for (int lane = 0; lane < kLaneCount; ++lane) {
    for (int form = 0; form < kFormCount; ++form) {
      const ElementCounts counts = OfForm(s.tallies[lane], form);
      json["elements"][std::string(kLaneNames[lane])]
          [std::string(FormName(static_cast<Form>(form)))] = {
              {"judged", counts.judged}, {"weak", counts.weak}, {"unjudged", counts.unjudged}};
    }
  }
  for (OpId op : ByDraws(s)) json["ops"][std::string(Row(op).name)] = s.ops[op];
  for (const auto& [signature, record] : state.signatures) {
    json["signatures"].push_back({{"signature", signature},
                                  {"distinct", record.distinct},
                                  {"title", record.title},
                                  {"first_case", record.first_case}});
  }
  for (const auto& [key, bucket] : state.buckets) {
    json["patterns"].push_back({{"pattern", key},
                                {"appearances", bucket.appearances},
                                {"first_case", bucket.first_case},
                                {"signature", bucket.signature}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace seamfuzz
