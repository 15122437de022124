// Composition of place tables along pass-through nodes.
#include "oracle/hazards/access.h"

#include <algorithm>
#include <numeric>

#include "generator/ir/index_map.h"

namespace seamfuzz {
namespace {

std::vector<int32_t> Identity(const Shape& shape) {
  std::vector<int32_t> positions(static_cast<size_t>(NumElements(shape)));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

// Which operand each element of a pass-through node comes from, and where.
PlaceTable PlacesOf(const Graph& graph, const Node& node) {
  if (node.row().form == Form::kMove) return EnumeratePlaces(graph, node);
  return {.operand = {}, .position = Identity(node.type.shape)};
}

// One way by which a source reaches a value.
struct Way {
  std::vector<ValueId> chain;
  std::vector<int32_t> positions;  // for each element of the value the source's, or kNotRead
};

// So many ways to one value are told apart; more are taken together.
constexpr size_t kMostWays = 8;

// The ways to a pass-through node: each one to an operand, as far as the node takes elements of it.
std::vector<Way> Extend(const Graph& graph, ValueId v, const std::vector<std::vector<Way>>& ways) {
  const Node& node = graph.node(v);
  const bool reached =
      std::any_of(node.operands.begin(), node.operands.end(), [&](const Operand& operand) {
        return !operand.is_literal() && !ways[operand.value].empty();
      });
  if (!reached) return {};
  const PlaceTable places = PlacesOf(graph, node);
  std::vector<Way> extended;
  for (int k = 0; k < static_cast<int>(node.operands.size()); ++k) {
    if (node.operands[k].is_literal()) continue;
    for (const Way& way : ways[node.operands[k].value]) {
      Way longer{way.chain, std::vector<int32_t>(places.position.size(), kNotRead)};
      longer.chain.push_back(v);
      bool any = false;
      for (size_t i = 0; i < places.position.size(); ++i) {
        if ((places.operand.empty() ? 0 : places.operand[i]) != k) continue;
        longer.positions[i] = way.positions[places.position[i]];
        any |= longer.positions[i] != kNotRead;
      }
      if (any) extended.push_back(std::move(longer));
    }
  }
  return extended;
}

// No two ways give the same element, so that all of them are one map.
Way Joined(const std::vector<Way>& ways) {
  Way joined = ways.front();
  for (const Way& way : ways) {
    joined.chain.insert(joined.chain.end(), way.chain.begin(), way.chain.end());
    for (size_t i = 0; i < way.positions.size(); ++i) {
      if (way.positions[i] != kNotRead) joined.positions[i] = way.positions[i];
    }
  }
  std::sort(joined.chain.begin(), joined.chain.end());
  joined.chain.erase(std::unique(joined.chain.begin(), joined.chain.end()), joined.chain.end());
  return joined;
}

}  // namespace

bool IsCut(const Node& node) { return node.op == SegmentSetOp(); }
bool IsCopy(const Node& node) { return IsCut(node) || node.op == SetOp() || node.op == CloneOp(); }
bool IsPassThrough(const Node& node) { return IsCopy(node) || node.row().form == Form::kMove; }

std::vector<AccessPath> AccessesOf(const Graph& graph, ValueId source) {
  std::vector<AccessPath> accesses;
  if (NumElements(graph.type(source).shape) == 0) return accesses;
  const std::vector<bool> live = LiveNodes(graph);
  std::vector<std::vector<Way>> ways(graph.nodes().size());
  ways[source].push_back({{}, Identity(graph.type(source).shape)});
  const auto add = [&](ValueId reader, int operand, int effect, ValueId read) {
    for (const Way& way : ways[read]) {
      accesses.push_back({.source = source,
                          .chain = way.chain,
                          .reader = reader,
                          .operand = operand,
                          .effect = effect,
                          .positions = way.positions});
    }
  };
  for (ValueId v = source + 1; v < graph.size(); ++v) {
    const Node& node = graph.node(v);
    if (!live[v]) continue;
    if (IsPassThrough(node)) {
      ways[v] = Extend(graph, v, ways);
      if (ways[v].size() > kMostWays) ways[v] = {Joined(ways[v])};
      continue;
    }
    for (int k = 0; k < static_cast<int>(node.operands.size()); ++k) {
      if (!node.operands[k].is_literal()) add(v, k, -1, node.operands[k].value);
    }
  }
  for (int e = 0; e < static_cast<int>(graph.effects().size()); ++e) {
    add(kNoValue, -1, e, graph.effects()[e].value);
  }
  return accesses;
}

std::vector<Root> RootsOf(const Graph& graph, ValueId v) {
  const Node& node = graph.node(v);
  const auto elements = static_cast<size_t>(NumElements(node.type.shape));
  std::vector<Root> roots(elements);
  if (!IsPassThrough(node)) {
    for (size_t i = 0; i < elements; ++i) roots[i] = {v, static_cast<int32_t>(i)};
    return roots;
  }
  const PlaceTable places = PlacesOf(graph, node);
  std::vector<std::vector<Root>> of_operands;
  for (const Operand& operand : node.operands) of_operands.push_back(RootsOf(graph, operand.value));
  for (size_t i = 0; i < elements; ++i) {
    const int operand = places.operand.empty() ? 0 : places.operand[i];
    if (operand >= 0) roots[i] = of_operands[operand][places.position[i]];
  }
  return roots;
}

std::vector<bool> AncestorsOf(const Graph& graph, ValueId v) {
  std::vector<bool> ancestors(graph.nodes().size(), false);
  ancestors[v] = true;
  for (ValueId u = v; u >= 0; --u) {
    if (!ancestors[u]) continue;
    for (const Operand& operand : graph.node(u).operands) {
      if (!operand.is_literal()) ancestors[operand.value] = true;
    }
  }
  return ancestors;
}

std::vector<int64_t> ByteOffsets(const Node& input) {
  std::vector<int64_t> offsets(static_cast<size_t>(NumElements(input.type.shape)));
  IntList index = IntList::Filled(input.type.shape.size(), 0);
  for (int64_t& offset : offsets) {
    offset = ByteOffset(input, index);
    NextIndex(index, input.type.shape);
  }
  return offsets;
}

Reads ReadsOf(const Graph& graph, const AccessPath& access) {
  const Shape& read_shape =
      access.reader == kNoValue
          ? graph.type(graph.effects()[access.effect].value).shape
          : graph.type(graph.node(access.reader).operands[access.operand].value).shape;
  Reads reads{read_shape, access.positions, false};
  if (access.reader == kNoValue) return reads;
  const Node& reader = graph.node(access.reader);
  const OpRow& row = reader.row();
  std::vector<int32_t> places;
  if (row.form == Form::kElementwise) {
    places = EnumerateBroadcast(reader.type.shape, read_shape);
  } else if (row.form == Form::kIndex && row.scatters) {
    reads.gathered =
        access.operand != 0;  // indices and source are read where they are, but written elsewhere
    return reads;
  } else if (row.form == Form::kIndex && access.operand == row.index_operand) {
    IntList at = IntList::Filled(reader.type.shape.size(), 0);
    places.resize(static_cast<size_t>(NumElements(reader.type.shape)));
    for (int32_t& place : places) {
      place = static_cast<int32_t>(Ravel(row.index_at(at, reader.attrs), read_shape));
      NextIndex(at, reader.type.shape);
    }
  } else {
    reads.gathered = row.form == Form::kIndex;
    return reads;  // Reduce, Scan and Contract run over their operand
  }
  reads.space = reader.type.shape;
  reads.positions.resize(places.size());
  for (size_t i = 0; i < places.size(); ++i) reads.positions[i] = access.positions[places[i]];
  return reads;
}

}  // namespace seamfuzz
