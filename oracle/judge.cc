// Effect by effect, then what no effect may touch, then identity; the second call from the engine's
// own storages.
#include "oracle/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "generator/ir/check.h"
#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

std::string ByteText(std::byte b) { return fmt::format("0x{:02x}", static_cast<unsigned>(b)); }

bool SameStorages(const std::vector<StorageBytes>& a, const std::vector<StorageBytes>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StorageBytes& x, const StorageBytes& y) { return SameBytes(x, y); });
}

bool SameCall(const Call& a, const Call& b) {
  return SameStorages(a.storages, b.storages) && SameStorages(a.outputs, b.outputs) &&
         std::equal(a.identity.begin(), a.identity.end(), b.identity.begin(), b.identity.end(),
                    [](const Identity& x, const Identity& y) {
                      return x.storage == y.storage && x.output == y.output;
                    });
}

bool AllUnjudged(const Tally& tally) {
  int64_t judged = 0;
  int64_t unjudged = 0;
  for (int form = 0; form < kFormCount; ++form) {
    judged += tally.judged[form];
    unjudged += tally.unjudged[form];
  }
  return judged == 0 && unjudged > 0;
}

// The first thing that is wrong stands in the verdict; everything else only counts and sets what
// was observed.
void Report(Verdict& verdict, int effect, std::string place, std::string got,
            std::string permitted) {
  if (verdict.kind == VerdictKind::kDiffer) return;
  verdict.kind = VerdictKind::kDiffer;
  verdict.effect = effect;
  verdict.place = std::move(place);
  verdict.got = std::move(got);
  verdict.permitted = std::move(permitted);
}

std::string RaceText(const Race& race) {
  return fmt::format("{} byte {}: {}; {}; {}", race.memory, race.byte, race.first.text,
                     race.second.text, race.order);
}

}  // namespace

struct Judge::State {
  Case c;
  std::vector<StorageInfo> storages;
  std::vector<int> storage_of;
  std::vector<Error> broken;
  std::vector<StorageBytes> entry;
  Status status = Done{};
  Tally tally;

  // The references of call 1 by mode, and of call 2 with the bytes that they start from; both modes
  // share one where no cut rounds anything.
  std::array<std::optional<Reference>, 2> first_call;
  struct SecondCall {
    std::vector<StorageBytes> before;
    Mode mode;
    Reference reference;
  };
  std::vector<std::unique_ptr<SecondCall>> second_calls;

  // Calls, all of their effects shown, that agree with a reference which serves both modes: an
  // honest engine mostly answers the other mode alike, and the same answer is not judged twice.
  struct AgreedCall {
    const Reference* reference;
    Call call;
    Tally counted;
  };
  std::vector<AgreedCall> agreed;

  explicit State(const Case& input)
      : c(input), storages(Storages(c.graph)), storage_of(StorageOf(c.graph)) {
    broken = BrokenContract(c.graph);
    entry = EntryBytes(c);
  }

  // Made on first use; the error is one of the case.
  Result<const Reference*> FirstCall(Mode mode) {
    for (const Mode known : kModes) {
      const std::optional<Reference>& reference = first_call[static_cast<size_t>(known)];
      if (reference && (known == mode || reference->both_modes)) return &*reference;
    }
    Result<Reference> reference = Interpret(c.graph, mode, entry);
    if (!reference.ok()) return reference.error();
    return &first_call[static_cast<size_t>(mode)].emplace(*std::move(reference));
  }
  Result<const Reference*> SecondCallFrom(Mode mode, const std::vector<StorageBytes>& before) {
    for (const auto& known : second_calls) {
      if ((known->mode == mode || known->reference.both_modes) &&
          SameStorages(known->before, before))
        return &known->reference;
    }
    const Result<const Reference*> first = FirstCall(mode);
    if (!first.ok()) return first.error();
    Result<Reference> reference = InterpretNext(c.graph, mode, before, entry, **first);
    if (!reference.ok()) return reference.error();
    second_calls.push_back(
        std::make_unique<SecondCall>(SecondCall{before, mode, *std::move(reference)}));
    return &second_calls.back()->reference;
  }

  const Node& node(ValueId v) const { return c.graph.node(v); }
  void JudgeCall(const Call& call, const std::vector<StorageBytes>& before,
                 const Reference& reference, const Unobserved& unobserved, Verdict& verdict,
                 Tally& counted);
  void CompareCall(const Call& call, const std::vector<StorageBytes>& before,
                   const Reference& reference, const Unobserved& unobserved, Verdict& verdict,
                   Tally& counted);
  void CompareOutput(int effect, const Call& call, const Reference& reference, Verdict& verdict,
                     Tally& counted);
  void CompareUpdate(int effect, const Call& call, const std::vector<StorageBytes>& before,
                     const Reference& reference, Verdict& verdict, Tally& counted,
                     std::vector<StorageBytes>& expected);
  void CompareRest(const Call& call, const std::vector<StorageBytes>& expected, bool guards,
                   Verdict& verdict);
  void CompareIdentity(const Call& call, Verdict& verdict);
  bool CompareElement(const PermittedTensor& permitted, int64_t i, Scalar got, Form form,
                      Tally& counted);
  std::string Misshapen(const Outcome& outcome) const;
};

// What an engine must report for its effects to be compared; empty when it does.
std::string Judge::State::Misshapen(const Outcome& outcome) const {
  const size_t calls = outcome.unobserved.second_call ? 1 : 2;
  if (outcome.calls.size() < calls)
    return fmt::format("the engine reported {} calls of {}", outcome.calls.size(), calls);
  for (const Call& call : outcome.calls) {
    if (call.outputs.size() != c.graph.effects().size()) {
      return fmt::format("the engine reported {} effects of {}", call.outputs.size(),
                         c.graph.effects().size());
    }
    if (outcome.unobserved.storages) continue;
    if (call.storages.size() != storages.size()) {
      return fmt::format("the engine reported {} storages of {}", call.storages.size(),
                         storages.size());
    }
    for (size_t s = 0; s < storages.size(); ++s) {
      if (call.storages[s].size() == entry[s].size()) continue;
      return fmt::format("the engine reported {} bytes of storage {}, which has {}",
                         call.storages[s].size(), storages[s].name, entry[s].size());
    }
  }
  return {};
}

bool Judge::State::CompareElement(const PermittedTensor& permitted, int64_t i, Scalar got,
                                  Form form, Tally& counted) {
  const Permitted& p = permitted.elements[i];
  const auto f = static_cast<size_t>(form);
  if (p.any) {
    ++counted.unjudged[f];
    return true;
  }
  ++counted.judged[f];
  if (p.finite < 0 && !p.nan) {
    if (!IsFloat(permitted.dtype)) return got.i == p.low.i;
    if (p.low.f == p.high.f && got.f == p.low.f) return true;
  }
  counted.weak[f] += permitted.IsWeak(i);
  return permitted.Allows(i, got);
}

void Judge::State::CompareOutput(int effect, const Call& call, const Reference& reference,
                                 Verdict& verdict, Tally& counted) {
  const Node& value = node(c.graph.effects()[effect].value);
  const PermittedTensor& permitted = reference.values[c.graph.effects()[effect].value];
  const std::vector<std::byte>& bytes = call.outputs[effect];
  const int64_t size = Row(permitted.dtype).bytes;
  const int64_t elements = std::ssize(permitted.elements);
  if (std::ssize(bytes) != elements * size) {
    ++verdict.wrong_elements;
    return Report(verdict, effect, value.name, fmt::format("{} bytes long", bytes.size()),
                  fmt::format("{} elements of {} bytes", elements, size));
  }
  const Form form = value.row().form;
  for (int64_t i = 0; i < elements; ++i) {
    const Scalar got = Load(bytes.data() + i * size, permitted.dtype);
    if (CompareElement(permitted, i, got, form, counted)) continue;
    ++verdict.wrong_elements;
    Report(verdict, effect, value.name + Unravel(i, permitted.shape).Text(),
           ScalarText(got, permitted.dtype), permitted.Text(i));
  }
}

// Compares the updated elements and puts what stands there into `expected`, so that what no update
// names is left to compare.
void Judge::State::CompareUpdate(int effect, const Call& call,
                                 const std::vector<StorageBytes>& before,
                                 const Reference& reference, Verdict& verdict, Tally& counted,
                                 std::vector<StorageBytes>& expected) {
  const Effect& update = c.graph.effects()[effect];
  const Node& target = node(update.target);
  const PermittedTensor& permitted = reference.values[update.value];
  const auto storage = static_cast<size_t>(storage_of[update.target]);
  const std::byte* after = call.storages[storage].data() + kGuardBytes;
  const std::byte* old = before[storage].data() + kGuardBytes;
  const int64_t size = Row(permitted.dtype).bytes;
  const Form form = node(update.value).row().form;
  bool unchanged = true;
  bool lost = false;  // some element had to change
  IntList index = IntList::Filled(permitted.shape.size(), 0);
  for (int64_t i = 0; i < std::ssize(permitted.elements); ++i, NextIndex(index, permitted.shape)) {
    const int64_t at = ByteOffset(target, index);
    const Scalar got = Load(after + at, permitted.dtype);
    unchanged &= std::memcmp(after + at, old + at, size) == 0;
    std::memcpy(expected[storage].data() + kGuardBytes + at, after + at, size);
    if (CompareElement(permitted, i, got, form, counted)) continue;
    lost |= !permitted.Allows(i, Load(old + at, permitted.dtype));
    ++verdict.wrong_elements;
    Report(verdict, effect, target.name + index.Text(), ScalarText(got, permitted.dtype),
           permitted.Text(i));
  }
  verdict.observed.lost_write |= unchanged && lost;
}

// Non-updated elements, gaps and guard zones: bit for bit as at entry.
void Judge::State::CompareRest(const Call& call, const std::vector<StorageBytes>& expected,
                               bool guards, Verdict& verdict) {
  for (size_t s = 0; s < storages.size(); ++s) {
    const StorageBytes& want = expected[s];
    const StorageBytes& got = call.storages[s];
    const int64_t begin = guards ? 0 : kGuardBytes;
    const int64_t end = guards ? std::ssize(want) : std::ssize(want) - kGuardBytes;
    if (std::memcmp(want.data() + begin, got.data() + begin, end - begin) == 0) continue;
    const auto differ =
        std::mismatch(want.begin() + begin, want.begin() + end, got.begin() + begin);
    const int64_t at = differ.first - want.begin() - kGuardBytes;
    std::string place = fmt::format("storage {} byte {}", storages[s].name, at);
    if (at < 0) place = fmt::format("guard zone before {}", storages[s].name);
    if (at >= storages[s].bytes) place = fmt::format("guard zone after {}", storages[s].name);
    verdict.observed.phantom_write = true;
    ++verdict.wrong_elements;
    Report(verdict, -1, std::move(place), ByteText(*differ.second),
           ByteText(*differ.first) + " as at entry");
  }
}

void Judge::State::CompareIdentity(const Call& call, Verdict& verdict) {
  const std::vector<Effect>& effects = c.graph.effects();
  for (size_t e = 0; e < std::min(effects.size(), call.identity.size()); ++e) {
    if (effects[e].is_update()) continue;
    const Identity& identity = call.identity[e];
    const std::string& name = node(effects[e].value).name;
    if (identity.storage >= 0) {
      verdict.observed.wrong_identity = true;
      const auto storage = static_cast<size_t>(identity.storage);
      const std::string other = storage < storages.size() ? storages[storage].name : "?";
      Report(verdict, static_cast<int>(e), "the memory of output " + name,
             "that of storage " + other, "memory of its own");
    }
    if (identity.output < 0 || identity.output >= static_cast<int>(e)) continue;
    if (effects[identity.output].value == effects[e].value) continue;  // listed twice
    verdict.observed.shared_outputs = true;
    Report(verdict, static_cast<int>(e), "the memory of output " + name,
           "that of output " + node(effects[identity.output].value).name, "memory of its own");
  }
}

void Judge::State::CompareCall(const Call& call, const std::vector<StorageBytes>& before,
                               const Reference& reference, const Unobserved& unobserved,
                               Verdict& verdict, Tally& counted) {
  std::vector<StorageBytes> expected = before;
  for (int e = 0; e < std::ssize(c.graph.effects()); ++e) {
    if (!c.graph.effects()[e].is_update()) {
      CompareOutput(e, call, reference, verdict, counted);
    } else if (!unobserved.storages) {
      CompareUpdate(e, call, before, reference, verdict, counted, expected);
    }
  }
  if (!unobserved.storages) CompareRest(call, expected, !unobserved.guards, verdict);
  if (!unobserved.identity) CompareIdentity(call, verdict);
}

void Judge::State::JudgeCall(const Call& call, const std::vector<StorageBytes>& before,
                             const Reference& reference, const Unobserved& unobserved,
                             Verdict& verdict, Tally& counted) {
  const bool shows_all = !unobserved.storages && !unobserved.guards && !unobserved.identity;
  const bool shared = shows_all && reference.both_modes;
  if (shared) {
    for (const AgreedCall& known : agreed) {
      if (known.reference == &reference && SameCall(known.call, call))
        return counted.Add(known.counted);
    }
  }
  Tally of_call;
  CompareCall(call, before, reference, unobserved, verdict, of_call);
  counted.Add(of_call);
  if (shared && !verdict.bad()) agreed.push_back({&reference, call, of_call});
}

Judge::Judge(const Case& c) : state_(std::make_unique<State>(c)) {
  if (!state_->broken.empty() && c.graph.reading() == Reading::kGraph) return;  // never compared
  for (const Mode mode : kModes) {
    const auto first = state_->FirstCall(mode);
    if (!first.ok()) state_->status = first.error();
  }
}
Judge::~Judge() = default;

const Status& Judge::status() const { return state_->status; }
const Tally& Judge::tally() const { return state_->tally; }

const Reference& Judge::reference(Mode mode) {
  const auto reference = state_->FirstCall(mode);
  CHECK(reference.ok());
  return **reference;
}

Verdict Judge::Of(Mode mode, const Outcome& outcome) {
  State& state = *state_;
  Verdict verdict;
  verdict.mode = mode;
  verdict.text = outcome.text;
  switch (outcome.kind) {
    case OutcomeKind::kFailure:
      verdict.kind = VerdictKind::kFailure;
      return verdict;
    case OutcomeKind::kRefusal:
      verdict.kind = VerdictKind::kRejected;
      return verdict;
    case OutcomeKind::kCannot:
      verdict.kind = VerdictKind::kCannot;
      return verdict;
    case OutcomeKind::kEffects:
      break;
  }
  if (!state.broken.empty()) {
    verdict.kind = VerdictKind::kAcceptedIllFormed;
    verdict.text = state.broken.front().Text();
    return verdict;
  }
  CHECK(state.status.ok());
  if (const std::string misshapen = state.Misshapen(outcome); !misshapen.empty()) {
    verdict.kind = VerdictKind::kFailure;
    verdict.text = misshapen;
    return verdict;
  }
  Tally counted;
  state.JudgeCall(outcome.calls[0], state.entry, reference(mode), outcome.unobserved, verdict,
                  counted);
  // A second call says nothing new once the first is wrong, and starts from nothing known where
  // storages are not shown.
  const bool second =
      !verdict.bad() && !outcome.unobserved.second_call && !outcome.unobserved.storages;
  if (second) {
    const std::vector<StorageBytes>& before = outcome.calls[0].storages;
    const auto from_before = state.SecondCallFrom(mode, before);
    if (from_before.ok()) {
      state.JudgeCall(outcome.calls[1], before, **from_before, outcome.unobserved, verdict,
                      counted);
      verdict.call = verdict.bad() ? 1 : 0;
      verdict.observed.second_call_only = verdict.bad();
    } else {
      // The updates of call 1 took an index out of range: the case's own doing.
      verdict.kind = VerdictKind::kUnjudged;
      verdict.text = "call 2: " + from_before.error().Text();
    }
  }
  state.tally.Add(counted);
  if (outcome.race) {
    verdict.kind = VerdictKind::kRace;
    verdict.text = RaceText(*outcome.race);
  } else if (!verdict.bad() && AllUnjudged(counted)) {
    verdict.kind = VerdictKind::kUnjudged;
  }
  return verdict;
}

}  // namespace seamfuzz
