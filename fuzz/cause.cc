// See cause.h. The order of the questions follows design 9: what the effects show, then switches,
// then repairs.
#include "fuzz/cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
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

// A cause is one line: it stands in notes of cases and in titles.
std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

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

// A divergence of the second call alone, asked as one of a first call: the case whose storages hold
// at entry what call 1 left. nullopt for any other evaluation.
std::optional<Case> SecondCallAsFirst(const Case& c, const Evaluation& found) {
  if (!found.verdict.observed.second_call_only || found.outcome.calls.empty()) return std::nullopt;
  return FromState(c, found.outcome.calls[0].storages);
}

// The case with definitions in place of its composites; nullopt where it has none.
std::optional<Case> WithDefinitions(const Case& c) {
  const std::vector<Node>& nodes = c.graph.nodes();
  if (std::none_of(nodes.begin(), nodes.end(),
                   [](const Node& node) { return node.row().form == Form::kComposite; })) {
    return std::nullopt;
  }
  Case changed = c;
  changed.graph = ExpandComposites(c.graph).graph;
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
                       verdict.effect >= 0 ? EffectText(c.graph, verdict.effect) : verdict.place),
           "switch buffer reuse off");
      // Which value took the buffer, and so where it shows, is the plan's chance.
      cause.patterns = {Pattern{.id = HazardClass::kD3}};
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

// Positions in a list of hazards.
using Members = std::vector<int>;

// Pairs of late reads are tried for so many reads at most.
constexpr size_t kMostForPairs = 8;

std::vector<Hazard> Select(const std::vector<Hazard>& hazards, const Members& members) {
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

// What such a read gives when it comes late depends on how far the update has come, so that nothing
// speaks for it but its repair.
bool IsPartial(const Hazard& hazard) { return hazard.id == HazardClass::kA4; }

// 2 where the race is between the hazard's reader and its update, 1 where the race is on the way
// there, in a copy or move that has a memory of its own.
int Witnessed(const Case& c, const Hazard& hazard, const std::optional<Race>& race) {
  if (!race || hazard.update < 0) return 0;
  const std::string update = EffectText(c.graph, hazard.update);
  const RaceAccess& write = race->first.writes ? race->first : race->second;
  const RaceAccess& read = race->first.writes ? race->second : race->first;
  if (write.purpose != update || read.writes) return 0;
  const std::string_view element = read.element;
  if (element.substr(0, element.find('[')) != c.graph.node(hazard.input).name) return 0;
  // One byte, two elements of the target: it is the layouts that differ.
  const std::string target = c.graph.node(c.graph.effects()[hazard.update].target).name + "[";
  const bool layouts_differ = read.element != write.element && read.element.starts_with(target) &&
                              write.element.starts_with(target);
  const bool is_layout = hazard.repair == RepairKind::kContiguousTarget;
  if (layouts_differ || is_layout) return layouts_differ && is_layout ? 2 : 0;
  const std::string reader =
      hazard.reader == kNoValue ? EffectText(c.graph, hazard.reader_effect) : hazard.reader_op;
  std::set<std::string> seen(read.through.begin(), read.through.end());
  seen.insert(read.purpose);
  // Moves within the definition of a composite are no part of the chain.
  std::erase_if(seen, [&](const std::string& name) {
    return name != reader && name != read.purpose && c.graph.Find(name) == kNoValue;
  });
  // Every node on the way, up to where the race is, is seen, but for copies, which are no work.
  for (const ValueId v : hazard.chain) {
    const Node& node = c.graph.node(v);
    const bool is_seen = seen.erase(node.name) > 0;
    if (node.name == read.purpose && seen.empty()) return 1;
    if (!is_seen && node.row().form == Form::kMove) return 0;
  }
  return seen.size() == 1 && seen.contains(reader) ? 2 : 0;
}

// The hazards that can be repaired, in order of preference.
std::vector<Hazard> RepairableHazards(const Case& c, Mode mode) {
  std::vector<Hazard> hazards = ListHazards(c, mode);
  std::erase_if(hazards, [&](const Hazard& hazard) { return !Repair(c, {&hazard, 1}).ok(); });
  std::stable_sort(hazards.begin(), hazards.end(), [](const Hazard& a, const Hazard& b) {
    return std::make_tuple(Preference(a), !IsPartial(a), a.id) <
           std::make_tuple(Preference(b), !IsPartial(b), b.id);
  });
  return hazards;
}

// What is asked of a divergence, and of whom.
struct Inquiry {
  Asker& ask;
  const Case& c;
  const Evaluation& found;
  const std::vector<Hazard>& hazards;

  bool RepairHelps(const Members& members) const {
    return ask.Agrees(Repair(c, Select(hazards, members)));
  }
  // With all other hazards repaired the case is still wrong.
  bool WrongAlone(const Members& members) const {
    Members others;
    for (int i = 0; i < static_cast<int>(hazards.size()); ++i) {
      if (std::find(members.begin(), members.end(), i) == members.end()) others.push_back(i);
    }
    if (others.empty()) return true;
    const Result<Case> left = Repair(c, Select(hazards, others));
    return left.ok() && ask.Ask(*left).bad();
  }
};

// What can speak for a set of hazards, the strongest first.
enum class Evidence {
  kRace,
  kRaceOnTheWay,
  kAllRaces,
  kLateRead,
  kLateClass,
  kLatePair,
  kLatePart
};
constexpr Evidence kEvidence[] = {Evidence::kRace,     Evidence::kRaceOnTheWay, Evidence::kAllRaces,
                                  Evidence::kLateRead, Evidence::kLateClass,    Evidence::kLatePair,
                                  Evidence::kLatePart};

// The sets that this evidence speaks for: reads that a race was seen of, or was seen on the way to,
// each alone or all of them; reads that, come late, give just what the engine answered: one, all of
// one class that one update must respect, two; one that gives a part of it.
std::vector<Members> Suspects(const Inquiry& q, Evidence evidence) {
  const int count = static_cast<int>(q.hazards.size());
  std::vector<Members> sets;
  Members witnessed, late;
  std::map<std::pair<int, HazardClass>, Members> by_update;
  for (int i = 0; i < count; ++i) {
    const Hazard& hazard = q.hazards[i];
    const int seen = Witnessed(q.c, hazard, q.found.outcome.race);
    if (seen > 0) witnessed.push_back(i);
    if (seen == (evidence == Evidence::kRace ? 2 : 1) && evidence <= Evidence::kRaceOnTheWay)
      sets.push_back({i});
    if (!IsLateRead(hazard)) continue;
    late.push_back(i);
    by_update[{hazard.update, hazard.id}].push_back(i);
  }
  const auto explains = [&](const Members& members) {
    return ExplainedByLateReads(q.c, Select(q.hazards, members), q.found.outcome);
  };
  const auto add_if_explained = [&](const Members& members) {
    if (explains(members).all()) sets.push_back(members);
  };
  switch (evidence) {
    case Evidence::kRace:
    case Evidence::kRaceOnTheWay:
      break;
    case Evidence::kAllRaces:
      if (witnessed.size() > 1) sets.push_back(witnessed);
      break;
    case Evidence::kLateRead:
      for (const int i : late) add_if_explained({i});
      break;
    case Evidence::kLateClass:
      for (const auto& [key, members] : by_update) {
        if (members.size() > 1) add_if_explained(members);
      }
      break;
    case Evidence::kLatePair:
      for (size_t b = 1; b < late.size() && late.size() <= kMostForPairs; ++b) {
        for (size_t a = 0; a < b; ++a) add_if_explained({late[a], late[b]});
      }
      break;
    case Evidence::kLatePart:
      for (const int i : late) {
        if (explains({i}).explained > 0) sets.push_back({i});
      }
      break;
  }
  return sets;
}

// The members of a set whose repair helps that are needed for it.
Members Smallest(const Inquiry& q, const Members& members) {
  if (members.size() == 1) return members;
  Members needed;
  for (const int m : SmallestSet(static_cast<int>(members.size()), [&](const Members& positions) {
         Members some;
         for (const int p : positions) some.push_back(members[p]);
         return q.RepairHelps(some);
       })) {
    needed.push_back(members[m]);
  }
  return needed;
}

// A set whose repair helps, and whether the case is wrong where it alone is not repaired.
struct Explanation {
  Members members;
  bool wrong_alone = false;
};

// A set that this evidence speaks for and whose repair helps; one that is wrong alone before
// others.
std::optional<Explanation> BySuspicion(const Inquiry& q, Evidence evidence) {
  std::optional<Explanation> best;
  for (const Members& suspects : Suspects(q, evidence)) {
    if (!q.RepairHelps(suspects)) continue;
    const Members members = Smallest(q, suspects);
    if (q.WrongAlone(members)) return Explanation{members, true};
    if (!best) best = Explanation{members, false};
  }
  return best;
}

// The hazards of `q` that are this hazard of a repaired case: the same reader of the same update.
Members Counterparts(const Inquiry& q, const Case& repaired, const Hazard& hazard) {
  const auto name = [](const Graph& graph, ValueId v) {
    return v == kNoValue ? std::string() : graph.node(v).name;
  };
  Members same;
  for (int i = 0; i < static_cast<int>(q.hazards.size()); ++i) {
    const Hazard& h = q.hazards[i];
    if (h.id == hazard.id && h.update == hazard.update && h.reader_effect == hazard.reader_effect &&
        name(q.c.graph, h.input) == name(repaired.graph, hazard.input) &&
        name(q.c.graph, h.reader) == name(repaired.graph, hazard.reader)) {
      same.push_back(i);
    }
  }
  return same;
}

// Repairs what evidence speaks for, looks what is wrong then, and so on until nothing is.
std::optional<Members> ByFollowing(const Inquiry& q) {
  constexpr int kMostRounds = 4;
  std::set<int> suspects;
  Case current = q.c;
  Evaluation seen = q.found;
  for (int round = 0; round < kMostRounds && seen.verdict.bad(); ++round) {
    const std::vector<Hazard> hazards = RepairableHazards(current, q.ask.mode());
    const Inquiry here{q.ask, current, seen, hazards};
    const size_t before = suspects.size();
    for (const Evidence evidence : kEvidence) {
      for (const Members& members : Suspects(here, evidence)) {
        for (const int m : members) {
          const Members same = Counterparts(q, current, hazards[m]);
          suspects.insert(same.begin(), same.end());
        }
      }
      if (suspects.size() > before) break;
    }
    if (suspects.size() == before) return std::nullopt;
    Result<Case> repaired = Repair(q.c, Select(q.hazards, {suspects.begin(), suspects.end()}));
    if (!repaired.ok()) return std::nullopt;
    current = *std::move(repaired);
    seen = q.ask.Evaluate(current);
    if (seen.verdict.kind == VerdictKind::kAgree)
      return Smallest(q, {suspects.begin(), suspects.end()});
  }
  return std::nullopt;
}

// The set that the strongest evidence speaks for, but one that is wrong alone before others.
std::optional<Members> ByEvidence(const Inquiry& q) {
  std::optional<Members> best;
  for (const Evidence evidence : kEvidence) {
    if (std::optional<Explanation> explanation = BySuspicion(q, evidence)) {
      if (explanation->wrong_alone) return explanation->members;
      if (!best) best = explanation->members;
    }
    // Where there are races, what they show goes before what the values may hint at.
    if (evidence == Evidence::kAllRaces && q.found.outcome.race) {
      if (!best) best = ByFollowing(q);
      if (best) return best;
    }
  }
  return best ? best : ByFollowing(q);
}

// The smallest set by halving alone.
Members ByHalving(const Inquiry& q) {
  const int count = static_cast<int>(q.hazards.size());
  const auto helps = [&](const Members& members) { return q.RepairHelps(members); };
  Members needed = SmallestSet(count, helps);
  // Halving takes for granted that more repairs never hurt; one that splits a segment may. So a
  // cause of several parts must not be smaller by itself.
  for (int i = 0; i < count && needed.size() > 1; ++i) {
    if (helps({i})) needed = {i};
  }
  if (needed.size() > 1 || q.WrongAlone(needed)) return needed;
  // It may help for another reason, such as the plan that it leads to; then what is wrong alone is
  // the better explanation.
  for (int i = 0; i < count; ++i) {
    if (i != needed[0] && helps({i}) && q.WrongAlone({i})) return {i};
  }
  return needed;
}

// The first set that any evidence speaks for; empty where none does.
Members FirstSuspects(const Inquiry& q) {
  for (const Evidence evidence : kEvidence) {
    const std::vector<Members> sets = Suspects(q, evidence);
    if (!sets.empty()) return sets.front();
  }
  return {};
}

bool ByHazardRepairs(Asker& ask, const Case& c, const Evaluation& found,
                     const CauseOptions& options, Cause& cause) {
  std::vector<Hazard> hazards = RepairableHazards(c, ask.mode());
  // What a late read gives may look like an update that was lost. It is the latter where all
  // repairs together do not help, and where no read come late gives any of it.
  const bool lost = found.verdict.observed.lost_write && !found.outcome.race;
  if (hazards.empty() || (lost && !ask.Agrees(Repair(c, hazards)))) return false;
  const Inquiry inquiry{ask, c, found, hazards};
  std::optional<Members> members;
  if (options.known == nullptr) members = ByEvidence(inquiry);
  if (!members) {
    if (lost && Suspects(inquiry, Evidence::kLatePart).empty()) std::erase_if(hazards, IsLateRead);
    if (options.known != nullptr) {
      members = NeededHazards(hazards, FirstSuspects(inquiry), *options.known,
                              [&](const Members& some) { return inquiry.RepairHelps(some); });
      if (members->empty()) return false;
    } else {
      if (hazards.empty() || !ask.Agrees(Repair(c, hazards))) return false;
      members = ByHalving(inquiry);
    }
  }
  cause.hazards = Select(hazards, *members);
  for (const Hazard& hazard : cause.hazards) {
    cause.classes.insert(hazard.id);
    cause.patterns.push_back(hazard.pattern);
    cause.texts.push_back(hazard.text);
    cause.repairs.push_back(hazard.repair_text);
  }
  if (!options.control) return true;
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

void FindParts(Asker& ask, const Case& c, const Evaluation& found, const CauseOptions& options,
               Cause& cause) {
  const Verdict& verdict = found.verdict;
  if (verdict.kind == VerdictKind::kFailure) {
    Name(cause, HazardClass::kX2, c, -1,
         fmt::format("the engine failed: {}", FirstLine(verdict.text)));
  } else if (verdict.observed.wrong_identity) {
    Name(cause, HazardClass::kE3, c, verdict.effect,
         fmt::format("{} shares memory with an input", EffectText(c.graph, verdict.effect)));
  } else if (verdict.observed.shared_outputs) {
    Name(cause, HazardClass::kD4, c, verdict.effect,
         fmt::format("{} shares memory with another output", EffectText(c.graph, verdict.effect)));
  } else if (BySwitch(ask, c, found, cause) || ByHazardRepairs(ask, c, found, options, cause)) {
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

Cause FindCause(Engine& engine, const Case& c, const Evaluation& found,
                const CauseOptions& options) {
  Asker ask(engine, found.verdict.mode);
  Cause cause;
  // A repair keeps the values of call 1 for the reader, so in call 2 it changes the question: a
  // divergence of call 2 is explained as one of a first call, where repairs change no answer.
  Case asked = c;
  Evaluation seen = found;
  if (std::optional<Case> first = SecondCallAsFirst(c, found)) {
    seen = ask.Evaluate(*first);
    if (ByState(c, found, seen, cause)) {
      cause.runs = ask.runs();
      return cause;
    }
    asked = *std::move(first);
  }
  // A composite reads in several ways; its definition tells them apart.
  if (std::optional<Case> expanded = WithDefinitions(asked)) {
    if (Evaluation same = ask.Evaluate(*expanded); same.verdict.kind == seen.verdict.kind) {
      asked = *std::move(expanded);
      seen = std::move(same);
    }
  }
  FindParts(ask, asked, seen, options, cause);
  if (!(asked == c)) cause.asked = std::move(asked);
  cause.runs = ask.runs();
  return cause;
}

}  // namespace seamfuzz
