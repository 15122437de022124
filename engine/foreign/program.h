// A graph cut into the pieces that a script's functions are made of.
#pragma once

#include <string>
#include <vector>

#include "generator/case/case.h"
#include "generator/ir/graph.h"
#include "generator/ir/segments.h"

namespace seamfuzz {

// One segment as a function: its nodes in order (cuts left out), what it takes and what later
// pieces or effects want of it. Values are named by what they are behind cuts: never by a
// segment_set.
struct Piece {
  std::vector<ValueId> nodes;
  std::vector<ValueId> takes;  // inputs and results of earlier pieces, ascending
  std::vector<ValueId> gives;  // ascending
};

// The value behind any cuts.
ValueId BehindCuts(const Graph& graph, ValueId v);
// In an order in which they may run. Monolithic: one piece. A graph without nodes: no piece.
std::vector<Piece> PiecesOf(const Graph& graph, Mode mode);

// PythonNames, a cut having the name of what is behind it.
std::vector<std::string> NamesBehindCuts(const Graph& graph);
std::string JoinNames(const std::vector<ValueId>& values, const std::vector<std::string>& names);
std::vector<ValueId> InputsOf(const Graph& graph);

// Which effects' values an imperative program must copy before its first commit (design 8): those
// that may view what an earlier or the same commit writes, and outputs that may view an input or
// another output, whose identity would show.
std::vector<bool> CopiesBeforeCommits(const Graph& graph);

}  // namespace seamfuzz
