// The case that an imported definition becomes: the script's names, shared storages, data.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "fuzz/import_data.h"
#include "fuzz/import_fusion.h"

namespace seamfuzz {
namespace {

// Words of the text form that a value should not be called, or letters that it does not take.
std::string Identifier(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kWords = {
      "graph", "trace",  "input",   "output", "values",  "data", "in",
      "at",    "expect", "strides", "scalar", "special", "true", "false"};
  std::string made;
  for (char c : name.substr(0, 48)) {
    const bool taken =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    made += taken ? c : '_';
  }
  if (std::find(kWords.begin(), kWords.end(), made) != kWords.end() || made == "nan" ||
      made == "inf")
    made += '_';
  return made;
}

}  // namespace

void FusionBuilder::Name(const ScriptValue& value, std::string_view name) {
  if (!value.is(ScriptKind::kValue) || value.operand.is_literal() || name == "_") return;
  names_.try_emplace(value.operand.value, Identifier(name));
}

std::vector<std::string> FusionBuilder::FinalNames() const {
  std::set<std::string> taken;
  std::vector<std::string> final(graph_.size());
  for (const auto& [value, name] : names_) {
    std::string unique = name;
    for (int k = 2; !taken.insert(unique).second; ++k) unique = fmt::format("{}_{}", name, k);
    final[value] = unique;
  }
  for (int v = 0; v < graph_.size(); ++v) {
    for (int k = v; final[v].empty(); ++k) {
      if (std::string free = fmt::format("T{}", k); taken.insert(free).second) final[v] = free;
    }
  }
  return final;
}

Result<Case> FusionBuilder::Finish() const {
  const std::vector<std::string> names = FinalNames();
  std::set<std::string> taken(names.begin(), names.end());
  std::map<int, std::vector<ValueId>> by_storage;
  for (const Input& input : tensor_inputs_) {
    if (input.storage >= 0) by_storage[input.storage].push_back(input.value);
  }
  std::map<ValueId, std::string> shared;
  std::set<ValueId> alone;
  int next = 0;
  for (const auto& [storage, values] : by_storage) {
    if (values.size() == 1) {
      alone.insert(values[0]);
      continue;
    }
    std::string name;
    do {
      name = next == 0 ? "S" : fmt::format("S{}", next);
      ++next;
    } while (!taken.insert(name).second);
    for (ValueId v : values) shared[v] = name;
  }

  Case made;
  for (int v = 0; v < graph_.size(); ++v) {
    const Node& node = graph_.node(v);
    Result<ValueId> added = kNoValue;
    if (graph_.is_input(v)) {
      Layout layout = node.layout;
      layout.storage = shared.contains(v) ? shared.at(v) : "";
      if (alone.contains(v)) layout.offset = 0;  // a view of something that nothing else sees
      added = made.graph.AddInput(names[v], node.type, layout);
    } else {
      added = made.graph.Add(node.op, node.operands, node.attrs, names[v]);
    }
    if (!added.ok()) return added.error();
  }
  for (const Effect& effect : graph_.effects()) {
    const Status added = effect.is_update() ? made.graph.AddUpdate(effect.target, effect.value)
                                            : made.graph.AddOutput(effect.value);
    if (!added.ok()) return added.error();
  }
  for (const auto& [value, scalar] : known_) {
    if (made.graph.is_input(value)) made.data.push_back({names[value], {scalar}});
  }
  AddIndexData(made);
  made.lane = KeepsIntegers(made) ? Lane::kExact : Lane::kBounded;
  SortData(made);
  return made;
}

}  // namespace seamfuzz
