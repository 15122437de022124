// Passes that make what is left plain: attributes, layouts, dtypes, schedule, values, names.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "fuzz/minimize/edit.h"
#include "fuzz/minimize/pass.h"

namespace seamfuzz {
namespace {

// ---- default-attributes
// ---------------------------------------------------------------------------------------------

struct NodeAttr {
  ValueId node;
  AttrKey key;
};

std::vector<NodeAttr> OptionalAttrs(const Graph& graph) {
  std::vector<NodeAttr> found;
  for (ValueId v = 0; v < graph.size(); ++v) {
    const Node& node = graph.node(v);
    for (const AttrSpec& spec : node.row().attrs) {
      if (spec.key != AttrKey::kNone && !spec.required && FindAttr(node.attrs, spec.key)) {
        found.push_back({v, spec.key});
      }
    }
  }
  return found;
}
int OptionalAttrUnits(const Case& c) { return static_cast<int>(OptionalAttrs(c.graph).size()); }
std::optional<Case> DefaultAttrs(const Case& c, int first, int count) {
  GraphEdit edit(c.graph);
  const std::vector<NodeAttr> attrs = OptionalAttrs(c.graph);
  for (int i = first; i < first + count; ++i) {
    NodeEdit& node = edit.nodes[attrs[i].node];
    if (!node.attrs) node.attrs = c.graph.node(attrs[i].node).attrs;
    std::erase_if(*node.attrs, [&](const Attr& attr) { return attr.key == attrs[i].key; });
  }
  return Apply(c, edit);
}

// ---- plain-layouts
// --------------------------------------------------------------------------------------------------

int Nodes(const Case& c) { return c.graph.size(); }

// Units are nodes; computed ones have no layout.
template <typename Change>
std::optional<Case> ChangeLayouts(const Case& c, int first, int count, Change change) {
  GraphEdit edit(c.graph);
  bool any = false;
  for (ValueId v = first; v < first + count; ++v) {
    if (!c.graph.is_input(v)) continue;
    Layout layout = c.graph.node(v).layout;
    change(c.graph.node(v), layout);
    if (layout == c.graph.node(v).layout) continue;
    edit.nodes[v].layout = layout;
    any = true;
  }
  return any ? Apply(c, edit) : std::nullopt;
}
std::optional<Case> PlainLayouts(const Case& c, int first, int count) {
  return ChangeLayouts(c, first, count, [](const Node&, Layout& layout) { layout = Layout{}; });
}
std::optional<Case> OwnStorages(const Case& c, int first, int count) {
  return ChangeLayouts(c, first, count, [](const Node& node, Layout& layout) {
    layout.storage = node.name;
    layout.offset = 0;
  });
}
std::optional<Case> ContiguousStridesOnly(const Case& c, int first, int count) {
  return ChangeLayouts(c, first, count, [](const Node&, Layout& layout) { layout.strides = {}; });
}
std::optional<Case> SmallerOffsets(const Case& c, int first, int count) {
  return ChangeLayouts(c, first, count, [](const Node&, Layout& layout) { layout.offset /= 2; });
}

// ---- f32
// ------------------------------------------------------------------------------------------------------------

std::optional<Case> ToF32(const Case& c, int first, int count) {
  GraphEdit edit(c.graph);
  bool any = false;
  for (ValueId v = first; v < first + count; ++v) {
    const Node& node = c.graph.node(v);
    if (c.graph.is_input(v) && node.type.dtype != DType::kF32) {
      edit.nodes[v].type = TensorType{DType::kF32, node.type.shape};
      any = true;
    } else if (const Attr* attr = FindAttr(node.attrs, AttrKey::kDType);
               attr && attr->dtype != DType::kF32) {
      edit.nodes[v].attrs = node.attrs;
      for (Attr& changed : *edit.nodes[v].attrs) {
        if (changed.key == AttrKey::kDType) changed.dtype = DType::kF32;
      }
      any = true;
    }
  }
  return any ? Apply(c, edit) : std::nullopt;
}

// ---- schedule
// -------------------------------------------------------------------------------------------------------

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

int ScheduleKeys(const Case& c) { return static_cast<int>(Words(ScheduleText(c.schedule)).size()); }

std::optional<Case> ResetSchedule(const Case& c, int first, int count) {
  Case changed = c;
  changed.schedule = Schedule{};
  changed.schedule.lanes = c.schedule.lanes;
  const std::string text = ScheduleText(c.schedule);
  const std::vector<std::string_view> words = Words(text);
  for (int i = 0; i < static_cast<int>(words.size()); ++i) {
    if (i >= first && i < first + count) continue;
    const size_t equals = words[i].find('=');
    if (!SetScheduleKey(changed.schedule, words[i].substr(0, equals), words[i].substr(equals + 1))
             .ok()) {
      return std::nullopt;
    }
  }
  return changed;
}

// ---- values
// ---------------------------------------------------------------------------------------------------------

// A short list of plain choices for all values; each is a unit.
constexpr void (*kPlainValues[])(Case&) = {
    [](Case& c) {
      c.lane = Lane::kExact;
      c.special = false;
      c.seed = 1;
      c.data.clear();
    },
    [](Case& c) {
      c.lane = Lane::kExact;
      c.special = false;
    },
    [](Case& c) { c.special = false; },
    [](Case& c) { c.seed = 1; },
};
int PlainValueUnits(const Case&) { return static_cast<int>(std::size(kPlainValues)); }
std::optional<Case> PlainValues(const Case& c, int first, int) {
  Case changed = c;
  kPlainValues[first](changed);
  return changed;
}

int DataUnits(const Case& c) { return static_cast<int>(c.data.size()); }
std::optional<Case> DropData(const Case& c, int first, int count) {
  Case changed = c;
  changed.data.erase(changed.data.begin() + first, changed.data.begin() + first + count);
  return changed;
}

// Literal elements become 0, 1, 2, ... so that a wrong index is readable.
std::optional<Case> CountingData(const Case& c, int first, int count) {
  Case changed = c;
  const std::vector<StorageInfo> storages = Storages(c.graph);
  for (int i = first; i < first + count; ++i) {
    StorageData& data = changed.data[i];
    const auto storage = std::find_if(storages.begin(), storages.end(),
                                      [&](const auto& s) { return s.name == data.storage; });
    if (storage == storages.end()) return std::nullopt;
    const DType dtype = c.graph.type(storage->inputs.front()).dtype;
    for (size_t e = 0; e < data.elements.size(); ++e) {
      data.elements[e] = Convert(IntScalar(static_cast<int64_t>(e % 8)), DType::kI64, dtype);
    }
  }
  return changed;
}

// Literal elements of all storages, the last first.
std::vector<std::pair<size_t, size_t>> DataElements(const Case& c) {
  std::vector<std::pair<size_t, size_t>> elements;
  for (size_t i = 0; i < c.data.size(); ++i) {
    for (size_t e = c.data[i].elements.size(); e-- > 0;) elements.emplace_back(i, e);
  }
  return elements;
}
int DataElementUnits(const Case& c) { return static_cast<int>(DataElements(c).size()); }
std::optional<Case> ZeroElements(const Case& c, int first, int count) {
  Case changed = c;
  const auto elements = DataElements(c);
  for (int i = first; i < first + count; ++i) {
    changed.data[elements[i].first].elements[elements[i].second] = Scalar{.i = 0};
  }
  return changed;
}

// ---- names
// ----------------------------------------------------------------------------------------------------------

std::optional<Case> CanonicalNames(const Case& c, int first, int count) {
  std::vector<bool> rename(c.graph.size());
  std::fill_n(rename.begin() + first, count, true);
  return Rename(c, rename);
}

constexpr Pass kPasses[] = {
    {"plain-layouts", "an input becomes contiguous, of its own storage", Nodes, PlainLayouts},
    {"own-storages", "an input keeps its strides and gets its own storage", Nodes, OwnStorages},
    {"contiguous-strides", "an input becomes contiguous where it is", Nodes, ContiguousStridesOnly},
    {"smaller-offsets", "an input begins nearer to the start of its storage", Nodes,
     SmallerOffsets},
    {"reset-schedule", "a schedule key goes back to its default", ScheduleKeys, ResetSchedule},
    {"default-attributes", "an optional attribute goes back to its default", OptionalAttrUnits,
     DefaultAttrs},
    {"f32", "an input or a cast becomes f32", Nodes, ToF32},
    {"plain-values", "the lane becomes exact, the seed 1, literal data goes", PlainValueUnits,
     PlainValues, /*chunks=*/false},
    {"drop-data", "a storage's literal data goes", DataUnits, DropData},
    {"counting-data", "literal data becomes 0, 1, 2, ...", DataUnits, CountingData},
    {"zero-elements", "a literal element becomes 0", DataElementUnits, ZeroElements},
    {"canonical-names", "a value is named by its place", Nodes, CanonicalNames},
};

}  // namespace

std::span<const Pass> DetailPasses() { return kPasses; }

}  // namespace seamfuzz
