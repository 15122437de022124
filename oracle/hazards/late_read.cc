// Reads the input from the storage as it is after the update, and interprets the case with that.
#include "oracle/hazards/late_read.h"

#include <optional>

#include "generator/ir/segments.h"
#include "oracle/hazards/access.h"
#include "oracle/hazards/edit.h"
#include "oracle/interpret.h"
#include "oracle/value_set.h"

namespace seamfuzz {
namespace {

Scalar LoadAt(const StorageBytes& bytes, int64_t offset, DType dtype) {
  return Load(bytes.data() + kGuardBytes + offset, dtype);
}

// The input's elements once `update` is written: by the reference where it knows one value, else as
// the engine left them.
std::optional<std::vector<Scalar>> AfterUpdate(const Case& c, const Effect& update, ValueId input,
                                               const Reference& reference, const Call& call) {
  const std::vector<int> storage_of = StorageOf(c.graph);
  StorageBytes bytes = EntryBytes(c)[storage_of[update.target]];
  const DType dtype = c.graph.type(update.target).dtype;
  const PermittedTensor& written = reference.values[update.value];
  const std::vector<int64_t> offsets = ByteOffsets(c.graph.node(update.target));
  for (size_t i = 0; i < offsets.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    Scalar value;
    if (written.IsPoint(at)) {
      value = Representative(written, at);
    } else if (!call.storages.empty()) {
      value = LoadAt(call.storages[storage_of[update.target]], offsets[i], dtype);
    } else {
      return std::nullopt;
    }
    Store(bytes.data() + kGuardBytes + offsets[i], dtype, value);
  }
  std::vector<Scalar> elements;
  for (const int64_t offset : ByteOffsets(c.graph.node(input))) {
    elements.push_back(LoadAt(bytes, offset, c.graph.type(input).dtype));
  }
  return elements;
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

bool IsLateRead(const Hazard& hazard) {
  return hazard.update >= 0 &&
         (hazard.repair == RepairKind::kOwnStorage || hazard.repair == RepairKind::kPrivateInput);
}

}  // namespace

int64_t ExplainedByLateRead(const Case& c, const Hazard& hazard, const Outcome& outcome) {
  if (!IsLateRead(hazard) || outcome.kind != OutcomeKind::kEffects || outcome.calls.empty())
    return 0;
  const Call& call = outcome.calls[0];
  const Result<Reference> right = Interpret(c.graph, hazard.mode, EntryBytes(c));
  if (!right.ok()) return 0;
  const Effect& update = c.graph.effects()[hazard.update];
  std::optional<std::vector<Scalar>> values = AfterUpdate(c, update, hazard.input, *right, call);
  if (!values) return 0;
  CaseEdit edit(c);
  edit.SetValues(hazard.input, *std::move(values));
  MakePrivate(edit, hazard);
  const Result<Case> late = edit.Build();
  if (!late.ok()) return 0;
  const Result<Reference> wrong = Interpret(late->graph, hazard.mode, EntryBytes(*late));
  if (!wrong.ok()) return 0;

  int64_t explained = 0;
  for (int e = 0; e < static_cast<int>(c.graph.effects().size()); ++e) {
    const PermittedTensor& permitted = right->values[c.graph.effects()[e].value];
    const PermittedTensor& late_permitted = wrong->values[late->graph.effects()[e].value];
    const std::vector<Scalar> got = Got(c, e, call);
    for (size_t i = 0; i < got.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      explained += !permitted.Allows(at, got[i]) && !late_permitted.elements[i].any &&
                   late_permitted.Allows(at, got[i]);
    }
  }
  return explained;
}

}  // namespace seamfuzz
