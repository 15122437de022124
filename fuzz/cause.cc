// See cause.h. The order of the questions follows design 9: what the effects show, then switches,
// then repairs.
#include "fuzz/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "fuzz/smallest_set.h"
#include "generator/case/values.h"
#include "generator/ir/text.h"
#include "oracle/hazards/late_read.h"

namespace seamfuzz {
namespace {

// Asks the engine about changed cases and counts the runs.
class Asker {
 public:
  Asker(Engine& engine, Mode mode) : engine_(engine), mode_(mode) {}

  Evaluation Evaluate(const Case& c) {
    ++runs_;
    return seamfuzz::Evaluate(engine_, c, mode_);
  }
  Verdict Ask(const Case& c) { return Evaluate(c).verdict; }
  bool Agrees(const Case& c) { return Ask(c).kind == VerdictKind::kAgree; }
  bool Agrees(const Result<Case>& c) { return c.ok() && Agrees(*c); }
  Mode mode() const { return mode_; }
  int runs() const { return runs_; }

 private:
  Engine& engine_;
  Mode mode_;
  int runs_ = 0;
};

// The pattern's word for what made a value.
std::string WriteForm(const Graph& graph, ValueId v) {
  if (v == kNoValue) return "any";
  if (graph.is_input(v)) return "input";
  return std::string(PatternWord(graph.node(v).row().form));
}

std::string EffectText(const Graph& graph, int effect) {
  return effect >= 0 ? PrintEffect(graph, graph.effects()[effect]) : std::string("no effect");
}

// A cause that is no hazard: a class, and the effect it shows at.
void Name(Cause& cause, HazardClass id, const Case& c, int effect, std::string text,
          std::string repair = {}) {
  Pattern pattern;
  pattern.id = id;
  if (effect >= 0) pattern.write = WriteForm(c.graph, c.graph.effects()[effect].value);
  cause.classes = {id};
  cause.patterns = {pattern};
  cause.texts = {std::move(text)};
  if (!repair.empty()) cause.repairs = {std::move(repair)};
}

// The case whose storages hold at entry what `bytes` hold.
Case FromState(const Case& c, const std::vector<StorageBytes>& bytes) {
  Case changed = c;
  changed.data.clear();
  const std::vector<StorageInfo> storages = Storages(c.graph);
  for (size_t s = 0; s < storages.size(); ++s) {
    const DType dtype = c.graph.type(storages[s].inputs.front()).dtype;
    StorageData data;
    data.storage = storages[s].name;
    for (int64_t at = 0; at + Row(dtype).bytes <= storages[s].bytes; at += Row(dtype).bytes) {
      data.elements.push_back(Load(bytes[s].data() + kGuardBytes + at, dtype));
    }
    changed.data.push_back(std::move(data));
  }
  return changed;
}

// Every value that crosses a cut is recomputed where it is read, so that no edge is stored.
std::optional<Case> WithEdgesRecomputed(const Case& c) {
  Case changed = c;
  for (const Node& node : c.graph.nodes()) {
    if (node.op != SegmentSetOp()) continue;
    changed.schedule.values[node.name].edge = EdgeChoice::kRecompute;
    changed.schedule.values[c.graph.node(node.operands[0].value).name].edge =
        EdgeChoice::kRecompute;
  }
  if (changed == c) return std::nullopt;
  return changed;
}

bool BySwitch(Asker& ask, const Case& c, const Evaluation& found, Cause& cause) {
  const Verdict& verdict = found.verdict;
  if (c.schedule.reuse) {
    Case changed = c;
    changed.schedule.reuse = false;
    if (ask.Agrees(changed)) {
      Name(cause, HazardClass::kD3, c, verdict.effect,
           fmt::format("{} agrees when temporaries do not share memory: a buffer was reused while "
                       "its value was still to be read",
                       EffectText(c.graph, verdict.effect)),
           "switch buffer reuse off");
      return true;
    }
  }
  return false;
}

// Whether only the second call is wrong although a first call from the same storages (`fresh`)
// agrees.
bool ByState(const Case& c, const Evaluation& found, const Evaluation& fresh, Cause& cause) {
  if (fresh.verdict.kind != VerdictKind::kAgree && !fresh.verdict.observed.second_call_only) {
    return false;
  }
  Name(
      cause, HazardClass::kF2, c, found.verdict.effect,
      fmt::format("only the second call is wrong at {}: a first call from the same storages agrees",
                  EffectText(c.graph, found.verdict.effect)),
      "call a fresh object with the storages that call 1 left");
  return true;
}

std::vector<Hazard> Select(const std::vector<Hazard>& hazards, const std::vector<int>& members) {
  std::vector<Hazard> selected;
  for (int i : members) selected.push_back(hazards[i]);
  return selected;
}

// Repairs in the order in which they are preferred, the more specific first (design 9): whose
// storage it is, its layout (which gives it a storage of its own too), what a reader reads, and
// only then rounding, which takes the reader out of the writer's kernel.
constexpr RepairKind kRepairOrder[] = {RepairKind::kOwnStorage, RepairKind::kContiguousTarget,
                                       RepairKind::kPrivateBase, RepairKind::kPrivateInput,
                                       RepairKind::kPrivateRounded};

int Preference(const Hazard& hazard) {
  const auto at = std::find(std::begin(kRepairOrder), std::end(kRepairOrder), hazard.repair);
  return static_cast<int>(at - std::begin(kRepairOrder));
}

// 2 where the race is between the hazard's reader and its update, 1 where it is on the way there.
int Witnessed(const Case& c, const Hazard& hazard, const std::optional<Race>& race) {
  if (!race || hazard.update < 0) return 0;
  const std::string update = EffectText(c.graph, hazard.update);
  const std::string& read = race->first_for == update ? race->second_for : race->first_for;
  if (read == update || (race->first_for != update && race->second_for != update)) return 0;
  const auto is = [&](ValueId v) { return c.graph.node(v).name == read; };
  if (std::any_of(hazard.chain.begin(), hazard.chain.end(), is)) return 1;
  const bool reads = hazard.reader == kNoValue ? read == EffectText(c.graph, hazard.reader_effect)
                                               : is(hazard.reader);
  return reads ? (hazard.chain.empty() ? 2 : 1) : 0;
}

// The likeliest first, since among repairs that would all do the first one is taken: the read that
// a race was seen of, then the one that, come late, gives just what the engine answered, then by
// preference.
std::vector<Hazard> LikeliestFirst(const Case& c, const Evaluation& found) {
  const Mode mode = found.verdict.mode;
  std::vector<std::tuple<int, int64_t, int, Hazard>> ranked;
  for (Hazard& hazard : ListHazards(c, mode)) {
    const int witnessed = Witnessed(c, hazard, found.outcome.race);
    const int64_t explained = ExplainedByLateRead(c, hazard, found.outcome);
    ranked.emplace_back(-witnessed, -explained, Preference(hazard), std::move(hazard));
  }
  const auto rank = [](const auto& r) {
    return std::tie(std::get<0>(r), std::get<1>(r), std::get<2>(r));
  };
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  std::vector<Hazard> hazards;
  for (auto& r : ranked) hazards.push_back(std::move(std::get<Hazard>(r)));
  return hazards;
}

bool ByHazardRepairs(Asker& ask, const Case& c, const Evaluation& found, Cause& cause) {
  const std::vector<Hazard> hazards = LikeliestFirst(c, found);
  if (hazards.empty() || !ask.Agrees(Repair(c, hazards))) return false;
  const auto enough = [&](const std::vector<int>& members) {
    return ask.Agrees(Repair(c, Select(hazards, members)));
  };
  const int count = static_cast<int>(hazards.size());
  std::vector<int> needed = SmallestSet(count, enough);
  // Halving takes for granted that more repairs never hurt; one that splits a segment may. So a
  // cause of several parts must not be smaller by itself.
  for (int i = 0; i < count && needed.size() > 1; ++i) {
    if (enough({i})) needed = {i};
  }
  cause.hazards = Select(hazards, needed);
  for (const Hazard& hazard : cause.hazards) {
    cause.classes.insert(hazard.id);
    cause.patterns.push_back(hazard.pattern);
    cause.texts.push_back(hazard.text);
    cause.repairs.push_back(hazard.repair_text);
  }
  if (Result<Case> control = Control(c, cause.hazards); control.ok()) {
    cause.control = ask.Ask(*control).bad() ? ControlResult::kKept : ControlResult::kLost;
  }
  return true;
}

// The updates whose replacement by a fresh output makes the case agree.
bool ByFreshOutputs(Asker& ask, const Case& c, Cause& cause) {
  std::vector<int> updates;
  for (size_t e = 0; e < c.graph.effects().size(); ++e) {
    if (c.graph.effects()[e].is_update()) updates.push_back(static_cast<int>(e));
  }
  const auto without = [&](const std::vector<int>& members) {
    Result<Case> changed = c;
    for (int i : members) {
      if (changed.ok()) changed = RepairByFreshOutput(*changed, updates[i]);
    }
    return ask.Agrees(changed);
  };
  std::vector<int> all(updates.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  if (all.empty() || !without(all)) return false;
  for (int i : SmallestSet(static_cast<int>(all.size()), without)) {
    const Effect& update = c.graph.effects()[updates[i]];
    Pattern pattern;
    pattern.id = HazardClass::kE1;
    pattern.write = WriteForm(c.graph, update.value);
    cause.classes.insert(HazardClass::kE1);
    cause.patterns.push_back(pattern);
    cause.texts.push_back(fmt::format("the update {} is wrong or lost, although no read is early",
                                      PrintEffect(c.graph, update)));
    cause.repairs.push_back(
        fmt::format("write {} to a fresh output", c.graph.node(update.value).name));
  }
  return true;
}

void FindParts(Asker& ask, const Case& c, const Evaluation& found, Cause& cause) {
  const Verdict& verdict = found.verdict;
  if (verdict.kind == VerdictKind::kFailure) {
    Name(cause, HazardClass::kX2, c, -1, fmt::format("the engine failed: {}", verdict.text));
  } else if (verdict.observed.wrong_identity) {
    Name(cause, HazardClass::kE3, c, verdict.effect,
         fmt::format("{} shares memory with an input", EffectText(c.graph, verdict.effect)));
  } else if (verdict.observed.shared_outputs) {
    Name(cause, HazardClass::kD4, c, verdict.effect,
         fmt::format("{} shares memory with another output", EffectText(c.graph, verdict.effect)));
  } else if (BySwitch(ask, c, found, cause) || ByHazardRepairs(ask, c, found, cause)) {
    return;
  } else if (std::optional<Case> changed = WithEdgesRecomputed(c);
             changed && ask.Agrees(*changed)) {
    Name(cause, HazardClass::kS1, c, verdict.effect,
         fmt::format("{} agrees when no value is stored between segments",
                     EffectText(c.graph, verdict.effect)),
         "recompute every value that crosses a cut");
  } else if (verdict.observed.phantom_write) {
    Name(cause, HazardClass::kE2, c, verdict.effect,
         fmt::format("{} was written, although no update names it", verdict.place));
  } else if (!ByFreshOutputs(ask, c, cause)) {
    Name(cause, HazardClass::kX1, c, verdict.effect,
         fmt::format("no hazard explains {}: its arithmetic is wrong",
                     EffectText(c.graph, verdict.effect)));
  }
}

}  // namespace

std::string_view Text(ControlResult control) {
  static constexpr std::string_view kNames[] = {"none", "kept", "lost"};
  return kNames[static_cast<int>(control)];
}

std::optional<Case> SecondCallAsFirst(const Case& c, const Evaluation& found) {
  if (!found.verdict.observed.second_call_only || found.outcome.calls.empty()) return std::nullopt;
  return FromState(c, found.outcome.calls[0].storages);
}

Cause FindCause(Engine& engine, const Case& c, const Evaluation& found) {
  Asker ask(engine, found.verdict.mode);
  Cause cause;
  // A repair keeps the values of call 1 for the reader, so in call 2 it changes the question: a
  // divergence of call 2 is explained as one of a first call, where repairs change no answer.
  if (const std::optional<Case> first = SecondCallAsFirst(c, found)) {
    const Evaluation fresh = ask.Evaluate(*first);
    if (!ByState(c, found, fresh, cause)) FindParts(ask, *first, fresh, cause);
  } else {
    FindParts(ask, c, found, cause);
  }
  cause.runs = ask.runs();
  return cause;
}

}  // namespace seamfuzz
