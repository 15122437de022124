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

}  // namespace

Evaluation Evaluate(Engine& engine, const Case& c, Mode mode, Judge& judge) {
  if (!judge.status().ok()) return {Cannot(mode, judge.status().error().Text()), {}};
  Evaluation result;
  result.outcome = engine.Run(c, mode);
  result.verdict = judge.Of(mode, result.outcome);
  if (!result.verdict.bad()) return result;
  if (const std::optional<Outcome> plain = engine.RunUncompiled(c, mode)) {
    const Verdict verdict = judge.Of(mode, *plain);
    if (verdict.bad()) {
      result.verdict = Cannot(
          mode, "wrong without the compiler too, so the script may be to blame: " + Text(verdict));
    }
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
  Judge judge(c);
  for (Mode mode : kModes) {
    Evaluation evaluation = Evaluate(engine, c, mode, judge);
    result.verdicts[static_cast<int>(mode)] = std::move(evaluation.verdict);
    result.kernels[static_cast<int>(mode)] = evaluation.outcome.kernels;
  }
  result.tally = judge.tally();
  return result;
}

}  // namespace seamfuzz
