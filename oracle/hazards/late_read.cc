// Reads the inputs from the storages as they are after the updates, and interprets the case with
// that.
#include "oracle/hazards/late_read.h"

#include <algorithm>
#include <map>
#include <vector>

#include "generator/ir/segments.h"
#include "oracle/hazards/access.h"
#include "oracle/hazards/edit.h"
#include "oracle/interpret.h"
#include "oracle/value_set.h"

namespace seamfuzz {
namespace {

// Updates that are wrong one for another are followed so far.
constexpr size_t kMostRounds = 3;

Scalar LoadAt(const StorageBytes& bytes, int64_t offset, DType dtype) {
  return Load(bytes.data() + kGuardBytes + offset, dtype);
}

// Writes the update into `bytes`, its target's storage: `written` where one value is known, else as
// the engine left it. False where neither is.
bool Commit(const Case& c, const Effect& update, const PermittedTensor& written, const Call& call,
            StorageBytes& bytes) {
  const int storage = StorageOf(c.graph)[update.target];
  const DType dtype = c.graph.type(update.target).dtype;
  const std::vector<int64_t> offsets = ByteOffsets(c.graph.node(update.target));
  for (size_t i = 0; i < offsets.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (!written.IsPoint(at) && call.storages.empty()) return false;
    const Scalar value = written.IsPoint(at) ? Representative(written, at)
                                             : LoadAt(call.storages[storage], offsets[i], dtype);
    Store(bytes.data() + kGuardBytes + offsets[i], dtype, value);
  }
  return true;
}

// What call 1 left of an effect; empty where the engine does not show it.
std::vector<Scalar> Got(const Case& c, int effect, const Call& call) {
  const Effect& e = c.graph.effects()[effect];
  const DType dtype = c.graph.type(e.value).dtype;
  std::vector<Scalar> elements;
  if (!e.is_update()) {
    const std::vector<std::byte>& bytes = call.outputs[effect];
    for (size_t at = 0; at + Row(dtype).bytes <= bytes.size(); at += Row(dtype).bytes) {
      elements.push_back(Load(bytes.data() + at, dtype));
    }
  } else if (!call.storages.empty()) {
    const StorageBytes& bytes = call.storages[StorageOf(c.graph)[e.target]];
    for (const int64_t offset : ByteOffsets(c.graph.node(e.target))) {
      elements.push_back(LoadAt(bytes, offset, dtype));
    }
  }
  return elements;
}

// What the effects are, in the order of the graph.
std::vector<PermittedTensor> EffectsOf(const Graph& graph, const Reference& reference) {
  std::vector<PermittedTensor> effects;
  for (const Effect& effect : graph.effects()) effects.push_back(reference.values[effect.value]);
  return effects;
}

// The case in which these reads are late, where the updates wrote `written`.
Result<Case> WithLateReads(const Case& c, std::span<const Hazard> hazards,
                           const std::vector<PermittedTensor>& written, const Call& call) {
  const std::vector<int> storage_of = StorageOf(c.graph);
  const std::vector<StorageBytes> entry = EntryBytes(c);
  std::map<ValueId, StorageBytes> late;  // by the input that is read
  CaseEdit edit(c);
  for (const Hazard& hazard : hazards) {
    StorageBytes& bytes = late.emplace(hazard.input, entry[storage_of[hazard.input]]).first->second;
    if (!Commit(c, c.graph.effects()[hazard.update], written[hazard.update], call, bytes))
      return Error{"late_read", "the update's value is not known"};
    MakePrivate(edit, hazard);
  }
  for (const auto& [input, bytes] : late) {
    std::vector<Scalar> elements;
    for (const int64_t offset : ByteOffsets(c.graph.node(input))) {
      elements.push_back(LoadAt(bytes, offset, c.graph.type(input).dtype));
    }
    edit.SetValues(input, std::move(elements));
  }
  return edit.Build();
}

}  // namespace

bool IsLateRead(const Hazard& hazard) {
  return hazard.update >= 0 &&
         (hazard.repair == RepairKind::kOwnStorage || hazard.repair == RepairKind::kPrivateInput);
}

LateReads ExplainedByLateReads(const Case& c, std::span<const Hazard> hazards,
                               const Outcome& outcome) {
  LateReads result;
  if (hazards.empty() || outcome.kind != OutcomeKind::kEffects || outcome.calls.empty())
    return result;
  const Mode mode = hazards.front().mode;
  const Call& call = outcome.calls[0];
  const Result<Reference> right = Interpret(c.graph, mode, EntryBytes(c));
  if (!right.ok()) return result;
  const std::vector<PermittedTensor> permitted = EffectsOf(c.graph, *right);
  std::vector<PermittedTensor> late_permitted = permitted;
  // A late read may be of an update that is wrong itself for another late read, and so on.
  for (size_t round = 0; round < std::min(hazards.size(), kMostRounds); ++round) {
    const Result<Case> late = WithLateReads(c, hazards, late_permitted, call);
    if (!late.ok()) return result;
    const Result<Reference> wrong = Interpret(late->graph, mode, EntryBytes(*late));
    if (!wrong.ok()) return result;
    late_permitted = EffectsOf(late->graph, *wrong);
  }
  for (int e = 0; e < static_cast<int>(permitted.size()); ++e) {
    const std::vector<Scalar> got = Got(c, e, call);
    for (size_t i = 0; i < got.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (permitted[e].Allows(at, got[i])) continue;
      ++result.wrong;
      result.explained +=
          !late_permitted[e].elements[i].any && late_permitted[e].Allows(at, got[i]);
    }
  }
  return result;
}

}  // namespace seamfuzz
