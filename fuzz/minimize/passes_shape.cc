// Passes that make extents smaller and take dims away, in the whole graph, at one place of all
// inputs, or in one input.
#include <algorithm>
#include <set>
#include <vector>

#include "fuzz/minimize/edit.h"
#include "fuzz/minimize/pass.h"

namespace seamfuzz {
namespace {

// One step: dims of inputs that get another extent or go.
struct ShapeStep {
  ValueId input = kNoValue;  // kNoValue: all inputs
  int from_right = -1;  // the dim, counted from the innermost; -1: every dim with extent `from`
  int64_t from = 1;
  int64_t to = 1;
  bool larger_too = false;
};

constexpr int kEveryDim = -1;

bool Concerns(const ShapeStep& step, const Graph& graph, ValueId v) {
  return graph.is_input(v) && (step.input == kNoValue || step.input == v);
}

// Extents to try in place of `extent`, the smallest first.
std::vector<int64_t> SmallerExtents(int64_t extent) {
  std::set<int64_t> smaller = {1, 2, 3, extent / 2, extent - 1};
  std::vector<int64_t> result;
  for (int64_t e : smaller) {
    if (e >= 1 && e < extent) result.push_back(e);
  }
  return result;
}

// The extents that occur, in any value or list of extents.
std::set<int64_t> ExtentsOf(const Graph& graph) {
  std::set<int64_t> extents;
  for (const Node& node : graph.nodes()) {
    extents.insert(node.type.shape.begin(), node.type.shape.end());
  }
  return extents;
}

std::vector<ShapeStep> ExtentSteps(const Graph& graph) {
  std::vector<ShapeStep> steps;
  for (int64_t from : ExtentsOf(graph)) {
    for (int64_t to : SmallerExtents(from)) steps.push_back({.from = from, .to = to});
    // Slices and shifts relate extents by differences: all larger ones follow.
    if (from > 1) steps.push_back({.from = from, .to = from - 1, .larger_too = true});
  }
  std::set<std::pair<int, int64_t>> places;
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (!graph.is_input(v)) continue;
    const Shape& shape = graph.type(v).shape;
    for (int d = 0; d < shape.size(); ++d) places.emplace(shape.size() - 1 - d, shape[d]);
  }
  for (const auto& [from_right, from] : places) {
    for (int64_t to : SmallerExtents(from)) {
      steps.push_back({.from_right = from_right, .from = from, .to = to});
    }
  }
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (!graph.is_input(v)) continue;
    const Shape& shape = graph.type(v).shape;
    for (int d = 0; d < shape.size(); ++d) {
      for (int64_t to : SmallerExtents(shape[d])) {
        steps.push_back(
            {.input = v, .from_right = shape.size() - 1 - d, .from = shape[d], .to = to});
      }
    }
  }
  return steps;
}

int SmallerExtentUnits(const Case& c) { return static_cast<int>(ExtentSteps(c.graph).size()); }

std::optional<Case> ShrinkExtents(const Case& c, int first, int) {
  const ShapeStep step = ExtentSteps(c.graph)[first];
  GraphEdit edit(c.graph);
  edit.shapes = {.from = step.from, .to = step.to, .larger_too = step.larger_too};
  for (ValueId v = 0; v < c.graph.size(); ++v) {
    if (!Concerns(step, c.graph, v)) continue;
    TensorType type = c.graph.type(v);
    for (int d = 0; d < type.shape.size(); ++d) {
      if (step.from_right == kEveryDim) {
        type.shape[d] = edit.shapes.Of(type.shape[d]);
      } else if (type.shape.size() - 1 - d == step.from_right && type.shape[d] == step.from) {
        type.shape[d] = step.to;
      }
    }
    if (!(type == c.graph.type(v))) edit.nodes[v].type = type;
  }
  return Apply(c, edit);
}

// Dims of extent 1, at one place of all inputs that have it, or of one input.
std::vector<ShapeStep> DimSteps(const Graph& graph) {
  std::vector<ShapeStep> steps;
  for (int from_right = 0; from_right < kMaxRank; ++from_right) {
    bool all_one = true, any = false;
    for (ValueId v = 0; v < graph.size(); ++v) {
      const Shape& shape = graph.type(v).shape;
      if (!graph.is_input(v) || shape.size() <= from_right) continue;
      any = true;
      all_one &= shape[shape.size() - 1 - from_right] == 1;
    }
    if (any && all_one) steps.push_back({.from_right = from_right});
  }
  for (ValueId v = 0; v < graph.size(); ++v) {
    const Shape& shape = graph.type(v).shape;
    for (int d = 0; d < shape.size() && graph.is_input(v); ++d) {
      if (shape[d] == 1) steps.push_back({.input = v, .from_right = shape.size() - 1 - d});
    }
  }
  return steps;
}

int UnitDims(const Case& c) { return static_cast<int>(DimSteps(c.graph).size()); }

std::optional<Case> DropDims(const Case& c, int first, int) {
  const ShapeStep step = DimSteps(c.graph)[first];
  GraphEdit edit(c.graph);
  edit.shapes.drop_from_right = step.from_right;
  for (ValueId v = 0; v < c.graph.size(); ++v) {
    TensorType type = c.graph.type(v);
    const int rank = type.shape.size();
    if (!Concerns(step, c.graph, v) || rank <= step.from_right) continue;
    const int at = rank - 1 - step.from_right;
    const Node& node = c.graph.node(v);
    type.shape.erase(at);
    Layout layout = node.layout;
    layout.strides.erase(at);
    edit.nodes[v].type = type;
    edit.nodes[v].layout = layout;
  }
  return Apply(c, edit);
}

constexpr Pass kPasses[] = {
    {"shrink-extents", "an extent becomes smaller", SmallerExtentUnits, ShrinkExtents,
     /*chunks=*/false},
    {"drop-dims", "a dim of extent 1 goes", UnitDims, DropDims, /*chunks=*/false},
};

}  // namespace

std::span<const Pass> ShapePasses() { return kPasses; }

}  // namespace seamfuzz
