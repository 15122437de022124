// See edit.h.
#include "fuzz/minimize/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuzz/minimize/retype.h"
#include "generator/ir/segments.h"

namespace seamfuzz {
namespace {

// What the users of each value read after the edit, and which nodes are then still of use.
class Reads {
 public:
  Reads(const Graph& graph, const GraphEdit& edit) : graph_(graph), edit_(edit) {
    live_.resize(graph.size());
    for (size_t e = 0; e < graph.effects().size(); ++e) {
      if (edit.drop_effect[e]) continue;
      live_[EffectValue(e)] = true;
      if (IsUpdate(e)) live_[graph.effects()[e].target] = true;
    }
    for (ValueId v = graph.size() - 1; v >= 0; --v) {
      if (!live_[v] || edit.nodes[v].as_input) continue;
      for (const Operand& operand : graph.node(v).operands) {
        const Operand read = Of(operand);
        if (!read.is_literal()) live_[read.value] = true;
      }
    }
  }

  bool live(ValueId v) const { return live_[v]; }
  bool IsUpdate(size_t e) const { return graph_.effects()[e].is_update() && !edit_.as_output[e]; }

  ValueId EffectValue(size_t e) const {
    return Follow(edit_.effect_value.empty() ? graph_.effects()[e].value : edit_.effect_value[e]);
  }

  Operand Of(const Operand& operand) const {
    if (operand.is_literal()) return operand;
    const ValueId read = Follow(operand.value);
    const std::optional<Operand>& literal = edit_.nodes[read].literal;
    return literal ? *literal : Operand::Value(read);
  }

 private:
  ValueId Follow(ValueId v) const {
    while (edit_.nodes[v].read_instead != kNoValue) v = edit_.nodes[v].read_instead;
    return v;
  }

  const Graph& graph_;
  const GraphEdit& edit_;
  std::vector<bool> live_;
};

// The input's layout where its shape changed: contiguous stays contiguous, other strides stay as
// they are.
Layout LayoutFor(const Node& input, const TensorType& type) {
  Layout layout = input.layout;
  const Shape& old = input.type.shape;
  if (layout.strides == ContiguousStrides(old)) {
    layout.strides = {};
  } else if (type.shape.size() < old.size()) {
    layout.strides.erase(DroppedDim(old, type.shape, /*prefer_from_right=*/-1));
  }
  return layout;
}

Attrs AttrsTakenBy(const OpRow& row, const Attrs& attrs) {
  Attrs taken;
  std::copy_if(attrs.begin(), attrs.end(), std::back_inserter(taken), [&](const Attr& attr) {
    return std::any_of(row.attrs.begin(), row.attrs.end(),
                       [&](const AttrSpec& spec) { return spec.key == attr.key; });
  });
  return taken;
}

class Builder {
 public:
  Builder(const Graph& graph, const GraphEdit& edit)
      : graph_(graph), edit_(edit), reads_(graph, edit), image_(graph.size(), kNoValue) {}

  std::optional<Graph> Build() {
    // Inputs first, so that a node that became one reads like the others.
    for (ValueId v = 0; v < graph_.size(); ++v) {
      if (reads_.live(v) && IsInput(v) && !AddInput(v)) return std::nullopt;
    }
    for (ValueId v = 0; v < graph_.size(); ++v) {
      if (reads_.live(v) && !IsInput(v) && !AddNode(v)) return std::nullopt;
    }
    for (size_t e = 0; e < graph_.effects().size(); ++e) {
      if (edit_.drop_effect[e]) continue;
      const Effect& effect = graph_.effects()[e];
      const ValueId value = image_[reads_.EffectValue(e)];
      const Status added = reads_.IsUpdate(e) ? result_.AddUpdate(image_[effect.target], value)
                                              : result_.AddOutput(value);
      if (!added.ok()) return std::nullopt;
    }
    if (result_.effects().empty()) return std::nullopt;
    return std::move(result_);
  }

 private:
  bool IsInput(ValueId v) const { return graph_.is_input(v) || edit_.nodes[v].as_input; }

  bool AddInput(ValueId v) {
    const Node& node = graph_.node(v);
    const NodeEdit& change = edit_.nodes[v];
    Layout layout;
    const TensorType type = change.type.value_or(node.type);
    if (!change.as_input) layout = change.layout ? *change.layout : LayoutFor(node, type);
    const Result<ValueId> added = result_.AddInput(node.name, type, layout);
    if (added.ok()) image_[v] = *added;
    return added.ok();
  }

  bool AddNode(ValueId v) {
    const Node& node = graph_.node(v);
    const NodeEdit& change = edit_.nodes[v];
    const OpId op = change.op.value_or(node.op);
    Attrs attrs = change.attrs.value_or(node.attrs);
    if (change.op) attrs = AttrsTakenBy(Row(op), attrs);
    std::vector<Operand> operands;
    for (const Operand& operand : node.operands) {
      Operand read = reads_.Of(operand);
      if (!read.is_literal()) read.value = image_[read.value];
      operands.push_back(read);
    }
    attrs = AttrsFor(graph_, node, op, attrs, result_, operands, edit_.shapes);
    const Result<ValueId> added = result_.Add(op, std::move(operands), std::move(attrs), node.name);
    if (added.ok()) image_[v] = *added;
    return added.ok();
  }

  const Graph& graph_;
  const GraphEdit& edit_;
  Reads reads_;
  std::vector<ValueId> image_;
  Graph result_;
};

// The data of storages that are still there, cut to what they hold and in the dtype of their first
// input.
std::vector<StorageData> DataFor(const Case& before, const Graph& after, const GraphEdit& edit) {
  std::vector<StorageData> data;
  const std::vector<StorageInfo> old_storages = Storages(before.graph);
  for (const StorageInfo& storage : Storages(after)) {
    const Node& first = after.node(storage.inputs.front());
    StorageData kept{storage.name, {}};
    const ValueId origin = before.graph.Find(first.name);
    if (edit.nodes[origin].as_input) {
      if (edit.nodes[origin].data) kept.elements = *edit.nodes[origin].data;
    } else {
      const auto old = std::find_if(before.data.begin(), before.data.end(),
                                    [&](const auto& d) { return d.storage == storage.name; });
      const auto info = std::find_if(old_storages.begin(), old_storages.end(),
                                     [&](const auto& s) { return s.name == storage.name; });
      if (old != before.data.end() && info != old_storages.end()) {
        const DType from = before.graph.type(info->inputs.front()).dtype;
        kept.elements = old->elements;
        for (Scalar& element : kept.elements) element = Convert(element, from, first.type.dtype);
      }
    }
    const int64_t capacity = DataCapacity(after, storage);
    if (static_cast<int64_t>(kept.elements.size()) > capacity) kept.elements.resize(capacity);
    if (!kept.elements.empty()) data.push_back(std::move(kept));
  }
  return data;
}

// For each segment of `before` the one that its nodes, known by their names, are in after; -1 where
// all of them are gone.
std::vector<int> SegmentsAfter(const Graph& before, const Graph& after) {
  const Segments old_segments = SegmentsOf(before, Mode::kSegmented);
  const Segments new_segments = SegmentsOf(after, Mode::kSegmented);
  std::vector<int> image(static_cast<size_t>(old_segments.count), -1);
  for (ValueId v = 0; v < before.size(); ++v) {
    const int segment = old_segments.of[v];
    const ValueId now = after.Find(before.node(v).name);
    if (segment >= 0 && image[segment] < 0 && now != kNoValue)
      image[segment] = new_segments.of[now];
  }
  return image;
}

// Keys of values that are gone go too, and segments get the numbers that they have now.
void FollowGraph(Schedule& schedule, const Graph& before, const Graph& after) {
  std::erase_if(schedule.values,
                [&](const auto& entry) { return after.Find(entry.first) == kNoValue; });
  const std::vector<int> image = SegmentsAfter(before, after);
  const auto follow = [&](std::vector<int>& segments) {
    std::vector<int> followed;
    for (const int segment : segments) {
      const int now = segment < std::ssize(image) ? image[segment] : -1;
      if (now >= 0 && std::find(followed.begin(), followed.end(), now) == followed.end())
        followed.push_back(now);
    }
    segments = std::move(followed);
  };
  follow(schedule.order);
  for (std::vector<int>& group : schedule.merge) follow(group);
  std::erase_if(schedule.merge, [](const std::vector<int>& group) { return group.size() < 2; });
}

}  // namespace

int64_t ShapeChange::Of(int64_t extent) const {
  if (from < 0 || extent < from) return extent;
  if (extent == from) return to;
  return larger_too ? extent - (from - to) : extent;
}

int64_t DataCapacity(const Graph& graph, const StorageInfo& storage) {
  return storage.bytes / Row(graph.type(storage.inputs.front()).dtype).bytes;
}

std::optional<Case> Apply(const Case& c, const GraphEdit& edit) {
  std::optional<Graph> graph = Builder(c.graph, edit).Build();
  if (!graph) return std::nullopt;
  if (!BrokenContract(*graph).empty() && BrokenContract(c.graph).empty()) return std::nullopt;
  Case changed = c;
  changed.data = DataFor(c, *graph, edit);
  changed.graph = *std::move(graph);
  FollowGraph(changed.schedule, c.graph, changed.graph);
  return changed;
}

std::optional<Case> Rename(const Case& c, const std::vector<bool>& rename) {
  const auto name_of = [&](ValueId v) {
    return rename[v] ? fmt::format("T{}", v) : c.graph.node(v).name;
  };
  // A storage that is named as an input follows it.
  const auto storage_of = [&](const std::string& storage) {
    const ValueId v = c.graph.Find(storage);
    return v != kNoValue && c.graph.is_input(v) ? name_of(v) : storage;
  };
  Graph graph;
  for (ValueId v = 0; v < c.graph.size(); ++v) {
    const Node& node = c.graph.node(v);
    Layout layout = node.layout;
    layout.storage = storage_of(layout.storage);
    const Result<ValueId> added = c.graph.is_input(v)
                                      ? graph.AddInput(name_of(v), node.type, layout)
                                      : graph.Add(node.op, node.operands, node.attrs, name_of(v));
    if (!added.ok()) return std::nullopt;
  }
  for (const Effect& effect : c.graph.effects()) {
    const Status added = effect.is_update() ? graph.AddUpdate(effect.target, effect.value)
                                            : graph.AddOutput(effect.value);
    if (!added.ok()) return std::nullopt;
  }
  Case renamed = c;
  renamed.graph = std::move(graph);
  for (StorageData& data : renamed.data) data.storage = storage_of(data.storage);
  renamed.schedule.values.clear();
  for (const auto& [name, choice] : c.schedule.values) {
    const ValueId v = c.graph.Find(name);
    if (v != kNoValue) renamed.schedule.values[name_of(v)] = choice;
  }
  return renamed;
}

}  // namespace seamfuzz
