// From the oracle's permitted sets to a script's.
#include "fuzz/script_expectation.h"

#include "engine/foreign/rows.h"
#include "generator/case/values.h"
#include "oracle/interpret.h"

namespace seamfuzz {
namespace {

ScriptTensor Plain(const PermittedTensor& permitted) {
  ScriptTensor tensor{permitted.dtype, permitted.shape, {}};
  tensor.elements.reserve(permitted.elements.size());
  for (const Permitted& element : permitted.elements) {
    ScriptElement plain{element.low, element.high, element.nan, element.any, {}};
    if (element.finite >= 0) plain.set = permitted.sets[static_cast<size_t>(element.finite)];
    tensor.elements.push_back(std::move(plain));
  }
  return tensor;
}

// Writes every update into the storages; false when the reference leaves a choice.
bool Commit(const Graph& graph, const Reference& reference, std::vector<StorageBytes>& storages) {
  const std::vector<int> storage_of = StorageOf(graph);
  for (const Effect& effect : graph.effects()) {
    if (!effect.is_update()) continue;
    const PermittedTensor& value = reference.values[static_cast<size_t>(effect.value)];
    const Node& target = graph.node(effect.target);
    StorageBytes& storage = storages[static_cast<size_t>(storage_of[effect.target])];
    for (int64_t i = 0; i < static_cast<int64_t>(value.elements.size()); ++i) {
      const Permitted& element = value.elements[static_cast<size_t>(i)];
      if (!value.IsPoint(i) || element.nan) return false;
      const IntList index = Unravel(i, target.type.shape);
      Store(&storage[static_cast<size_t>(kGuardBytes + ByteOffset(target, index))],
            target.type.dtype, element.low);
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> StandaloneScript(std::string_view engine, const Case& c) {
  const ForeignRow* row = FindForeignRow(engine);
  if (row == nullptr || row->script == nullptr) return std::nullopt;
  const Result<ScriptExpectation> expectation = ExpectationOf(c);
  if (!expectation.ok()) return std::nullopt;
  return row->script(c, &*expectation);
}

Result<ScriptExpectation> ExpectationOf(const Case& c) {
  ScriptExpectation expectation;
  for (Mode mode : kModes) {
    std::vector<ScriptCall>& calls =
        mode == Mode::kMonolithic ? expectation.monolithic : expectation.segmented;
    std::vector<StorageBytes> storages = EntryBytes(c);
    constexpr int kCalls = 2;
    bool known = true;
    for (int call = 0; call < kCalls && known; ++call) {
      const Result<Reference> reference = Interpret(c.graph, mode, storages);
      if (!reference.ok()) {
        if (call > 0) break;  // an index that an update has moved out of range
        return reference.error();
      }
      ScriptCall effects;
      for (const Effect& effect : c.graph.effects()) {
        effects.push_back(Plain(reference->values[static_cast<size_t>(effect.value)]));
      }
      calls.push_back(std::move(effects));
      known = Commit(c.graph, *reference, storages);
    }
  }
  return expectation;
}

}  // namespace seamfuzz
