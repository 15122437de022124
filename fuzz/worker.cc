// See worker.h.
#include "fuzz/worker.h"

#include <fmt/format.h>

#include <chrono>

#include "fuzz/finding.h"
#include "fuzz/isolated_engine.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/narrow.h"
#include "fuzz/script_expectation.h"
#include "generator/case/text.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

DivergenceRecord Record(uint64_t index, const Divergence& d) {
  DivergenceRecord record{.index = index,
                          .mode = d.verdict.mode,
                          .kind = d.signature.kind,
                          .verdict = Text(d.verdict),
                          .patterns = {}};
  for (const Pattern& pattern : d.cause.patterns) record.patterns.push_back(Text(pattern));
  return record;
}

// An engine in processes of its own compiles, and each run takes it about a second.
bool RunsAreDear(const Engine& engine) { return engine.isolated(); }

CauseOptions CauseOptionsFor(const Engine& engine, const KnownCauses& known) {
  return {.known = RunsAreDear(engine) ? &known : nullptr};
}

WrongScript DescribeWrongScript(const Engine& engine, const Case& c, uint64_t index,
                                const Verdict& verdict) {
  WrongScript wrong{.index = index, .verdict = Text(verdict), .files = {{"case.seam", Print(c)}}};
  if (std::optional<std::string> script = StandaloneScript(engine.name(), c)) {
    wrong.files.push_back({"script.py", *std::move(script)});
  }
  return wrong;
}

Case CaseOf(const CampaignConfig& config, const Request& request) {
  if (request.case_text.empty()) {
    return DrawCaseFor(config.engine.engine, config.seed, request.first, config.draw);
  }
  Result<ParsedCase> parsed = ParseCase(request.case_text);
  CHECK(parsed.ok());  // printed by another worker
  return std::move(parsed->value);
}

}  // namespace

int64_t SteadyMilliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

BlockAnswer RunBlock(const CampaignConfig& config, Engine& engine, uint64_t first, uint64_t count,
                     WorkerPlace& place, WorkerMemory& memory) {
  BlockAnswer answer;
  const EngineTimes before = engine.times();
  for (uint64_t index = first; index < first + count; ++index) {
    place.index = index;
    place.started_ms = SteadyMilliseconds();
    const Case c = DrawCaseFor(config.engine.engine, config.seed, index, config.draw);
    const Differential result = RunDifferential(engine, c);
    if (result.wrong_script) {
      answer.wrong_script = DescribeWrongScript(engine, c, index, *result.wrong_script);
      break;
    }
    answer.statistics.Count(c, result);
    for (const Evaluation& found : result.bad) {
      const Divergence d = Explain(engine, c, found, CauseOptionsFor(engine, memory.known));
      memory.known.Remember(d.cause.patterns);
      ++answer.statistics.cause_runs[d.cause.runs];
      if (memory.documented.Covers(d.cause)) {
        answer.statistics.MoveToDocumented(d.verdict.kind);
        continue;
      }
      answer.divergences.push_back(Record(index, d));
    }
  }
  answer.statistics.CountTimes(before, engine.times());
  return answer;
}

MinimizeAnswer RunMinimize(const CampaignConfig& config, Engine& engine, const Request& request,
                           WorkerPlace& place, const WorkerMemory& memory) {
  place.index = request.first;
  place.started_ms = SteadyMilliseconds();
  const EngineTimes before = engine.times();
  const CauseOptions options = CauseOptionsFor(engine, memory.known);
  const Case original = CaseOf(config, request);
  const std::optional<Divergence> whole = Diverge(engine, original, request.mode, options);
  MinimizeAnswer answer;
  if (!whole) {
    answer.statistics.CountTimes(before, engine.times());
    return answer;
  }
  const Minimized minimized = Minimize(engine, Part(engine, *whole, request.part, options),
                                       {.runs_are_dear = RunsAreDear(engine),
                                        .documented = memory.documented,
                                        .limit = config.minimize_limit});
  const Signature& signature = minimized.divergence.signature;
  answer.distinct = signature.Distinct();
  answer.signature = signature.Text();
  answer.title = Title(minimized.divergence);
  const Provenance provenance{
      .faults = config.engine.faults,
      .drawn = fmt::format("seed {}, case {}, generator version {}{}", config.seed, request.first,
                           kGeneratorVersion,
                           request.case_text.empty() ? "" : " (met while minimizing it)")};
  answer.files = FindingFiles(original, minimized, provenance);
  for (const Divergence& other : minimized.others) {
    answer.others.push_back({other.signature.Distinct(), Print(other.c), other.verdict.mode});
  }
  answer.statistics.CountTimes(before, engine.times());
  return answer;
}

int ServeRequests(const CampaignConfig& config, int requests, int answers, WorkerPlace& place) {
  Result<std::unique_ptr<Engine>> engine = MakeEngine(config.engine);
  if (!engine.ok()) return kExitUsage;
  const std::unique_ptr<Engine> isolated = MakeIsolatedEngine(**engine);
  WorkerMemory memory;
  if (config.documented) {
    memory.documented = Documented(config.engine.engine, VersionOfEngine(config.engine.engine));
  }
  while (const std::optional<std::string> bytes = ReceiveFrame(requests)) {
    const std::optional<Request> request = DecodeRequest(*bytes);
    if (!request) return kExitUsage;
    const bool apart = request->isolated || request->kind == Request::Kind::kExamine;
    Engine& asked = apart && !(*engine)->isolated() ? *isolated : **engine;
    const std::string answer =
        request->kind == Request::Kind::kMinimize
            ? Encode(RunMinimize(config, asked, *request, place, memory))
            : Encode(RunBlock(config, asked, request->first, request->count, place, memory));
    place.started_ms = 0;
    if (!SendFrame(answers, answer)) return kExitUsage;
  }
  return kExitGood;
}

}  // namespace seamfuzz
