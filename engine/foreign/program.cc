// Pieces, and which values an imperative program must copy before it commits.
#include "engine/foreign/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/foreign/script.h"

namespace seamfuzz {
namespace {

bool Intersect(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
  return std::ranges::any_of(a, [&](ValueId v) { return std::ranges::find(b, v) != b.end(); });
}

}  // namespace

ValueId BehindCuts(const Graph& graph, ValueId v) {
  while (graph.node(v).op == SegmentSetOp()) v = graph.node(v).operands[0].value;
  return v;
}

std::vector<Piece> PiecesOf(const Graph& graph, Mode mode) {
  const Segments segments = SegmentsOf(graph, mode);
  std::vector<Piece> all(static_cast<size_t>(segments.count));
  std::vector<int> piece_of(static_cast<size_t>(graph.size()), -1);
  std::vector<std::set<ValueId>> takes(all.size()), gives(all.size());
  for (ValueId v = 0; v < graph.size(); ++v) {
    const Node& node = graph.node(v);
    if (graph.is_input(v) || node.op == SegmentSetOp()) continue;
    const int own = piece_of[v] = segments.of[v];
    all[own].nodes.push_back(v);
    for (const Operand& operand : node.operands) {
      if (operand.is_literal()) continue;
      const ValueId source = BehindCuts(graph, operand.value);
      if (piece_of[source] == own) continue;
      takes[own].insert(source);
      if (piece_of[source] >= 0) gives[piece_of[source]].insert(source);
    }
  }
  for (const Effect& effect : graph.effects()) {
    const ValueId v = BehindCuts(graph, effect.value);
    if (piece_of[v] >= 0) gives[piece_of[v]].insert(v);
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].nodes.empty()) continue;
    all[i].takes.assign(takes[i].begin(), takes[i].end());
    all[i].gives.assign(gives[i].begin(), gives[i].end());
    pieces.push_back(std::move(all[i]));
  }
  return pieces;
}

std::vector<std::string> NamesBehindCuts(const Graph& graph) {
  std::vector<std::string> names = PythonNames(graph);
  for (ValueId v = 0; v < graph.size(); ++v) names[v] = names[BehindCuts(graph, v)];
  return names;
}

std::string JoinNames(const std::vector<ValueId>& values, const std::vector<std::string>& names) {
  std::string out;
  for (const ValueId v : values) out += (out.empty() ? "" : ", ") + names[v];
  return out;
}

std::vector<ValueId> InputsOf(const Graph& graph) {
  std::vector<ValueId> inputs;
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (graph.is_input(v)) inputs.push_back(v);
  }
  return inputs;
}

std::vector<bool> CopiesBeforeCommits(const Graph& graph) {
  const std::vector<std::vector<ValueId>> views = MayView(graph);
  const std::vector<int> storage_of = StorageOf(graph);
  std::vector<bool> copies;
  std::set<int> written;         // storages, by the commits so far
  std::vector<ValueId> outputs;  // earlier ones
  for (const Effect& effect : graph.effects()) {
    const std::vector<ValueId>& roots = views[effect.value];
    if (effect.is_update()) {
      written.insert(storage_of[effect.target]);
      copies.push_back(std::ranges::any_of(roots, [&](ValueId root) {
        return graph.is_input(root) && written.contains(storage_of[root]);
      }));
      continue;
    }
    bool copy = std::ranges::any_of(roots, [&](ValueId root) { return graph.is_input(root); });
    for (const ValueId other : outputs) {
      const bool same = BehindCuts(graph, other) == BehindCuts(graph, effect.value);
      copy |= !same && Intersect(views[other], roots);
    }
    outputs.push_back(effect.value);
    copies.push_back(copy);
  }
  return copies;
}

}  // namespace seamfuzz
