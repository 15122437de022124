// The text of graphs and traces, both ways (design 3). Case files are generator/case/text.h.
#pragma once

#include <string>
#include <string_view>

#include "generator/ir/graph.h"
#include "generator/ir/lexer.h"
#include "generator/ir/result.h"

namespace seamfuzz {

// Canonical and stable: Parse(Print(g)) == g and Print(Parse(t)) is a fixed point.
std::string Print(const Graph& graph);
// One node or effect without indentation: "T2 = relu(T0)", "T0 <- T2", "output T4".
std::string PrintNode(const Graph& graph, ValueId v);
std::string PrintEffect(const Graph& graph, const Effect& effect);

// `graph { ... }` or `trace { ... }` alone. Errors carry line and column.
Result<Graph> ParseGraph(std::string_view text);
// From the lexer's position, for the case parser; `lines` (optional) receives the line of each node
// and effect.
struct GraphLines {
  std::vector<int> nodes;
  std::vector<int> effects;
};
Result<Graph> ParseGraph(Lexer& lexer, GraphLines* lines = nullptr);

}  // namespace seamfuzz
