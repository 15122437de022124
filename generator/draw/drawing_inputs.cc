// Inputs of a drawn graph: their layouts, the storages they share, literal data for indices.
#include <numeric>

#include "generator/draw/drawing.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

std::string InputName(const Graph& graph) { return "T" + std::to_string(graph.size()); }

// Row-major strides of the dims taken in a drawn order, with drawn gaps: no two elements share a
// place.
Strides DrawInjectiveStrides(Choices& choices, const Shape& shape) {
  IntList order;
  for (int d = 0; d < shape.size(); ++d) order.push_back(d);
  if (choices.OneIn(2)) {
    for (int d = shape.size() - 1; d > 0; --d) std::swap(order[d], order[choices.Below(d + 1)]);
  }
  Strides strides = Strides::Filled(shape.size(), 1);
  int64_t step = choices.OneIn(3) ? choices.Between(2, 3) : 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    strides[order[d]] = step;
    const int gap = choices.OneIn(3) ? choices.Between(1, 3) : 0;
    step *= std::max<int64_t>(shape[order[d]], 1) + gap;
  }
  return strides;
}

// Also expanded (stride 0) and unfolded layouts, whose elements share places.
Strides DrawStrides(Choices& choices, const Shape& shape) {
  Strides strides = DrawInjectiveStrides(choices, shape);
  if (shape.empty() || !choices.OneIn(3)) return strides;
  strides[choices.Below(shape.size())] = choices.Below(2);
  return strides;
}

}  // namespace

ValueId Drawing::AddInput(const TensorType& type, Layout layout, const Facts& facts) {
  Result<ValueId> added = graph_.AddInput(InputName(graph_), type, std::move(layout));
  CHECK(added.ok());
  facts_.push_back(facts);
  used_.push_back(false);
  ++inputs_;
  return *added;
}

ValueId Drawing::Input(const TensorType& type) {
  Layout layout;
  if (choices_.Percent(swarm_.layout_percent)) {
    layout.strides = DrawStrides(choices_, type.shape);
    layout.offset = choices_.OneIn(3) ? choices_.Between(1, 5) : 0;
  }
  const Range entry = EntryRange(type.dtype, swarm_.lane);
  return AddInput(type, std::move(layout), {.first = entry, .any = entry});
}

ValueId Drawing::ScalarInput(DType dtype) {
  const Range entry = EntryRange(dtype, swarm_.lane);
  return AddInput({dtype, {}}, {.scalar = true}, {.first = entry, .any = entry});
}

ValueId Drawing::Target(const TensorType& type, const Range& written, bool shared) {
  Layout layout;
  if (choices_.Percent(swarm_.layout_percent)) {
    layout.strides = DrawInjectiveStrides(choices_, type.shape);
    layout.offset = choices_.OneIn(3) ? choices_.Between(1, 5) : 0;
  }
  if (shared) {
    layout.storage = "S" + std::to_string(graph_.size());
    layout.offset = choices_.Below(5);
  }
  const Range entry = EntryRange(type.dtype, swarm_.lane);
  const Range any = {std::min(entry.low, written.low), std::max(entry.high, written.high)};
  return AddInput(type, std::move(layout), {.first = entry, .any = any});
}

ValueId Drawing::AliasOf(ValueId target) {
  const Node& node = graph_.node(target);
  const TensorType type = node.type;
  Layout layout = node.layout;
  const Facts facts = facts_[target];
  const int64_t extent = Extent(type.shape, layout.strides);
  if (extent == 0 || choices_.OneIn(2)) return AddInput(type, std::move(layout), facts);
  if (choices_.OneIn(2)) {
    // Shifted by less than its extent, to either side.
    const int back = static_cast<int>(std::min(layout.offset, extent - 1));
    const int forward = static_cast<int>(std::min<int64_t>(extent - 1, 4));
    layout.offset += choices_.Between(-back, forward);
    return AddInput(type, std::move(layout), facts);
  }
  // A flat window that begins inside the target.
  layout.offset += choices_.Below(static_cast<int>(extent));
  const int64_t length = choices_.Between(1, static_cast<int>(std::min<int64_t>(extent, 64)));
  layout.strides = {1};
  TensorType window = {type.dtype, {length}};
  if (choices_.OneIn(8)) {
    layout.strides = {};
    window.shape = {};
  }
  return AddInput(window, std::move(layout), facts);
}

ValueId Drawing::ExpandedInput(DType dtype) {
  const Range entry = EntryRange(dtype, swarm_.lane);
  return AddInput({dtype, {choices_.Between(2, 9)}}, {.strides = {0}},
                  {.first = entry, .any = entry});
}

ValueId Drawing::IndexInput(const Shape& shape, int dim, int64_t limit, bool repeat) {
  CHECK(limit >= 1);
  const bool wide = Takes(DType::kI64) && (!Takes(DType::kI32) || choices_.Percent(65));
  const Range range = {0, static_cast<double>(limit - 1)};
  const ValueId input =
      AddInput({wide ? DType::kI64 : DType::kI32, shape}, {}, {.first = range, .any = range});
  StorageData data = {.storage = graph_.node(input).layout.storage};
  const int64_t count = NumElements(shape);
  data.elements.reserve(static_cast<size_t>(count));
  const int bound = static_cast<int>(limit);
  const int64_t start = choices_.Below(bound);
  int64_t step = choices_.Between(1, bound);
  while (std::gcd(step, limit) != 1) ++step;
  IntList index = IntList::Filled(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = 0;
    if (repeat) {
      value = choices_.Below(bound);
    } else {
      for (int d = 0; d < shape.size(); ++d) value += d == dim ? step * index[d] : index[d];
      value = (start + value) % limit;
    }
    data.elements.push_back(IntScalar(value));
    NextIndex(index, shape);
  }
  if (count > 0) data_.push_back(std::move(data));
  return input;
}

}  // namespace seamfuzz
