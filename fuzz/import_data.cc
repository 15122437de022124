// Index data and the choice of the value lane.
#include "fuzz/import_data.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace seamfuzz {
namespace {

// The input whose elements `v` holds unchanged; kNoValue when they are computed.
ValueId SourceOf(const Graph& graph, ValueId v) {
  while (!graph.is_input(v)) {
    const Node& node = graph.node(v);
    const bool copies = node.row().form == Form::kMove || node.op == SegmentSetOp() ||
                        node.op == SetOp() || node.op == CloneOp() || node.op == CastOp();
    if (!copies || node.operands.size() != 1 || node.operands[0].is_literal()) return kNoValue;
    v = node.operands[0].value;
  }
  return v;
}

}  // namespace

void AddIndexData(Case& c) {
  std::map<ValueId, int64_t> limits;  // input -> smallest extent that it indexes
  for (const Node& node : c.graph.nodes()) {
    const int k = node.row().index_operand;
    if (k < 0 || node.operands[k].is_literal()) continue;
    const ValueId source = SourceOf(c.graph, node.operands[k].value);
    if (source == kNoValue || IsFloat(c.graph.type(source).dtype)) continue;
    const Attr* dim = FindAttr(node.attrs, AttrKey::kDim);
    const Shape& indexed = c.graph.type(node.operands[0].value).shape;
    const int64_t d = dim == nullptr ? 0 : dim->value.i;
    if (d < 0 || d >= indexed.size() || indexed[static_cast<int>(d)] == 0) continue;
    const int64_t extent = indexed[static_cast<int>(d)];
    const auto [limit, fresh] = limits.try_emplace(source, extent);
    if (!fresh) limit->second = std::min(limit->second, extent);
  }
  const std::vector<StorageInfo> storages = Storages(c.graph);
  const std::vector<int> storage_of = StorageOf(c.graph);
  for (const auto& [input, limit] : limits) {
    const StorageInfo& storage = storages[storage_of[input]];
    const DType dtype = c.graph.type(storage.inputs[0]).dtype;
    const auto has_data = [&](const StorageData& data) { return data.storage == storage.name; };
    if (IsFloat(dtype) || std::any_of(c.data.begin(), c.data.end(), has_data)) continue;
    StorageData data{storage.name, {}};
    for (int64_t k = 0; k < storage.bytes / Row(dtype).bytes; ++k) {
      data.elements.push_back(IntScalar(limit - 1 - k % limit));
    }
    c.data.push_back(std::move(data));
  }
}

bool KeepsIntegers(const Case& c) {
  const auto is_integer = [](Scalar value, DType dtype) {
    return !IsFloat(dtype) || value.f == std::trunc(value.f);
  };
  for (const Node& node : c.graph.nodes()) {
    if (node.op == InputOp()) continue;
    if (node.row().exact == ExactRule::kNever) return false;
    for (const Operand& operand : node.operands) {
      if (operand.is_literal() && !is_integer(operand.literal, operand.literal_dtype)) return false;
    }
  }
  for (const StorageInfo& storage : Storages(c.graph)) {
    const DType dtype = c.graph.type(storage.inputs[0]).dtype;
    for (const StorageData& data : c.data) {
      if (data.storage != storage.name) continue;
      for (Scalar element : data.elements) {
        if (!is_integer(element, dtype)) return false;
      }
    }
  }
  return true;
}

void SortData(Case& c) {
  const std::vector<StorageInfo> storages = Storages(c.graph);
  const auto position = [&](const StorageData& data) {
    return std::find_if(storages.begin(), storages.end(),
                        [&](const StorageInfo& s) { return s.name == data.storage; }) -
           storages.begin();
  };
  std::stable_sort(c.data.begin(), c.data.end(), [&](const StorageData& a, const StorageData& b) {
    return position(a) < position(b);
  });
}

}  // namespace seamfuzz
