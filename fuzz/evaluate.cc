// See evaluate.h.
#include "fuzz/evaluate.h"

namespace seamfuzz {
namespace {

Verdict Cannot(Mode mode, std::string reason) {
  Verdict verdict;
  verdict.kind = VerdictKind::kCannot;
  verdict.mode = mode;
  verdict.text = std::move(reason);
  return verdict;
}

// What the script gives without the compiler; nullopt where the engine cannot run it so.
std::optional<Verdict> WithoutCompiler(Engine& engine, const Case& c, Mode mode) {
  const std::optional<Outcome> plain = engine.RunUncompiled(c, mode);
  if (!plain) return std::nullopt;
  // A process that ended, for whatever reason, says nothing of the script.
  if (plain->kind == OutcomeKind::kFailure && plain->failure != FailureKind::kCompile) {
    return Cannot(mode, "ended without the compiler too: " + plain->text);
  }
  // A judge of its own: what it judges is no judgement of the engine and is not counted.
  Judge judge(c);
  if (!judge.status().ok()) return std::nullopt;
  return judge.Of(mode, *plain);
}

Evaluation RunAndJudge(Engine& engine, const Case& c, Mode mode, Judge& judge) {
  if (!judge.status().ok()) return {Cannot(mode, judge.status().error().Text()), {}};
  Evaluation result;
  result.outcome = engine.Run(c, mode);
  result.verdict = judge.Of(mode, result.outcome);
  return result;
}

}  // namespace

Evaluation Evaluate(Engine& engine, const Case& c, Mode mode, Judge& judge) {
  Evaluation result = RunAndJudge(engine, c, mode, judge);
  if (!result.verdict.bad()) return result;
  if (const std::optional<Verdict> plain = WithoutCompiler(engine, c, mode);
      plain && plain->bad()) {
    result.verdict =
        Cannot(mode, "wrong without the compiler too, so the script is to blame: " + Text(*plain));
  }
  return result;
}

Evaluation Evaluate(Engine& engine, const Case& c, Mode mode) {
  // Asked first: the reference runs graphs only, and an engine's reason says more than its error.
  if (std::string reason = engine.WhyNot(c); !reason.empty()) return {Cannot(mode, reason), {}};
  Judge judge(c);
  return Evaluate(engine, c, mode, judge);
}

std::string VersionOfEngine(std::string_view name) {
  for (const EngineRow& row : EngineRows()) {
    if (row.name == name && row.version != nullptr) return row.version();
  }
  return {};
}

Differential RunDifferential(Engine& engine, const Case& c) {
  Differential result;
  if (std::string reason = engine.WhyNot(c); !reason.empty()) {
    for (Mode mode : kModes) result.verdicts[static_cast<int>(mode)] = Cannot(mode, reason);
    return result;
  }
  // Before anything is compiled: a wrong script would make every answer a false alarm.
  std::array<std::optional<Verdict>, 2> plain;
  for (Mode mode : kModes) {
    if (!engine.UncompiledFirst(c)) break;
    plain[static_cast<int>(mode)] = WithoutCompiler(engine, c, mode);
    if (const auto& verdict = plain[static_cast<int>(mode)]; verdict && verdict->bad()) {
      result.wrong_script = verdict;
      return result;
    }
  }
  Judge judge(c);
  for (Mode mode : kModes) {
    const int m = static_cast<int>(mode);
    // What is refused without the compiler, or ends the process, is not asked again with it.
    if (plain[m] &&
        (plain[m]->kind == VerdictKind::kRejected || plain[m]->kind == VerdictKind::kCannot)) {
      result.verdicts[m] = *plain[m];
      continue;
    }
    Evaluation evaluation = RunAndJudge(engine, c, mode, judge);
    if (evaluation.verdict.bad() && !plain[m]) {
      plain[m] = WithoutCompiler(engine, c, mode);
      if (plain[m] && plain[m]->bad()) {
        result.wrong_script = plain[m];
        return result;
      }
    }
    result.verdicts[m] = evaluation.verdict;
    result.kernels[m] = evaluation.outcome.kernels;
    if (evaluation.verdict.bad()) result.bad.push_back(std::move(evaluation));
  }
  result.tally = judge.tally();
  return result;
}

}  // namespace seamfuzz
