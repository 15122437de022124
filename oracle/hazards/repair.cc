// Repairs by class, the last resort, and the control: all of them edits of one case.
//
// A private input keeps the values of call 1 in both calls, while the original reader would see the
// updated target in call 2. So a repaired case has the reference answer of the original in call 1,
// and a reference of its own in call 2, which the judge computes from the engine's storages like
// any other.
#include <algorithm>
#include <set>
#include <tuple>

#include "oracle/hazards/access.h"
#include "oracle/hazards/edit.h"
#include "oracle/hazards/hazards.h"

namespace seamfuzz {
void MakePrivate(CaseEdit& edit, const Hazard& hazard) {
  if (hazard.reader == kNoValue) {
    edit.MakePrivateEffect(hazard.reader_effect, hazard.input, hazard.chain);
  }
  for (const int operand : hazard.reader_operands) {
    edit.MakePrivate(hazard.reader, operand, hazard.input, hazard.chain);
  }
}

Result<Case> Repair(const Case& c, std::span<const Hazard> hazards) {
  CaseEdit edit(c);
  for (const Hazard& hazard : hazards) {
    switch (hazard.repair) {
      case RepairKind::kContiguousTarget:
        edit.MakeContiguous(hazard.input);
        break;
      case RepairKind::kOwnStorage:
      case RepairKind::kPrivateInput:
      case RepairKind::kPrivateBase:
      case RepairKind::kPrivateRounded:
        MakePrivate(edit, hazard);
        break;
      case RepairKind::kFreshOutput:
        edit.MakeOutput(hazard.update);
        break;
    }
  }
  return edit.Build();
}

Result<Case> RepairByFreshOutput(const Case& c, int effect) {
  CaseEdit edit(c);
  edit.MakeOutput(effect);
  return edit.Build();
}

Result<Case> Control(const Case& c, std::span<const Hazard> hazards) {
  std::set<std::tuple<ValueId, int, int>> hazardous;  // reader, operand, effect
  std::set<ValueId> hazardous_inputs;
  for (const Hazard& hazard : hazards) hazardous_inputs.insert(hazard.input);
  for (const Mode mode : kModes) {
    for (const Hazard& hazard : ListHazards(c, mode)) {
      hazardous.insert({hazard.reader, -1, hazard.reader_effect});
      for (const int operand : hazard.reader_operands) {
        hazardous.insert({hazard.reader, operand, -1});
      }
    }
  }
  CaseEdit edit(c);
  ValueId any_input = kNoValue;
  for (ValueId input = 0; input < c.graph.size(); ++input) {
    if (!c.graph.is_input(input) || c.graph.node(input).layout.scalar) continue;
    if (any_input == kNoValue || hazardous_inputs.contains(input)) any_input = input;
    if (hazardous_inputs.contains(input)) continue;
    for (const AccessPath& access : AccessesOf(c.graph, input)) {
      if (access.reader == kNoValue ||
          hazardous.contains({access.reader, access.operand, access.effect}))
        continue;
      edit.MakePrivate(access.reader, access.operand, input, access.chain);
      return edit.Build();
    }
  }
  if (any_input == kNoValue)
    return Error{"control", "the case has no input to take a control from"};
  edit.AddUnrelatedOutput(any_input);
  return edit.Build();
}

}  // namespace seamfuzz
