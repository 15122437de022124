// Graphviz text. Names are quoted, since `node` and `edge` are words of that language; op text
// holds no quotes, so nothing needs escaping.
#include "generator/case/dot.h"

#include <fmt/format.h>

#include "generator/ir/segments.h"
#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

std::string TypeText(const TensorType& type) {
  return fmt::format("{}{}", Row(type.dtype).name, type.shape.Text());
}

std::string NodeText(const Graph& graph, ValueId v) {
  const Node& node = graph.node(v);
  if (graph.is_input(v)) {
    return fmt::format("  \"{}\" [label=\"{}\", shape=box, style=filled, fillcolor=\"#dce9f7\"];\n",
                       node.name, PrintNode(graph, v));
  }
  if (node.op == SegmentSetOp()) {
    return fmt::format(
        "  \"{0}\" [label=\"\", xlabel=\"{0} = segment_set\", shape=box, style=filled, "
        "fillcolor=black, "
        "height=0.06, width=1.4, fixedsize=true];\n",
        node.name);
  }
  return fmt::format("  \"{}\" [label=\"{}\\n{}\"];\n", node.name, PrintNode(graph, v),
                     TypeText(node.type));
}

// Values that the frame `cluster` holds.
std::string Frame(const Graph& graph, std::string_view id, std::string_view label,
                  std::string_view color, const std::vector<ValueId>& values) {
  std::string out =
      fmt::format("  subgraph cluster_{} {{\n  label=\"{}\"; color=\"{}\"; fontcolor=\"{}\";\n", id,
                  label, color, color);
  for (ValueId v : values) out += NodeText(graph, v);
  return out + "  }\n";
}

std::string NodesText(const Graph& graph) {
  std::string out;
  for (const StorageInfo& storage : Storages(graph)) {
    if (storage.inputs.size() > 1) {
      out += Frame(graph, "storage_" + storage.name, "storage " + storage.name, "#4a7ab5",
                   storage.inputs);
    } else {
      out += NodeText(graph, storage.inputs.front());
    }
  }
  const bool is_graph = graph.reading() == Reading::kGraph;
  const Segments segments = is_graph ? SegmentsOf(graph, Mode::kSegmented) : Segments{};
  for (int s = 0; s < segments.count; ++s) {
    std::vector<ValueId> values;
    for (ValueId v = 0; v < graph.size(); ++v) {
      if (!graph.is_input(v) && segments.of[v] == s) values.push_back(v);
    }
    out +=
        Frame(graph, fmt::format("segment_{}", s), fmt::format("segment {}", s), "#7a7a7a", values);
  }
  for (ValueId v = 0; v < graph.size(); ++v) {
    const bool framed = is_graph && segments.of[v] >= 0;
    if (!graph.is_input(v) && !framed) out += NodeText(graph, v);
  }
  return out;
}

}  // namespace

std::string Dot(const Case& c) {
  const Graph& graph = c.graph;
  std::string out =
      "digraph seamfuzz {\n"
      "  rankdir=TB; nodesep=0.35; ranksep=0.4; forcelabels=true;\n"
      "  node [fontname=\"Helvetica\", fontsize=11, shape=ellipse];\n"
      "  edge [fontname=\"Helvetica\", fontsize=10];\n"
      "  graph [fontname=\"Helvetica\", fontsize=11, style=rounded];\n";
  out += NodesText(graph);
  for (ValueId v = 0; v < graph.size(); ++v) {
    for (const Operand& operand : graph.node(v).operands) {
      if (!operand.is_literal())
        out += fmt::format("  \"{}\" -> \"{}\";\n", graph.node(operand.value).name,
                           graph.node(v).name);
    }
  }
  for (size_t i = 0; i < graph.effects().size(); ++i) {
    const Effect& effect = graph.effects()[i];
    const std::string& value = graph.node(effect.value).name;
    if (effect.is_update()) {
      const std::string place =
          graph.reading() == Reading::kTrace ? fmt::format("{}: ", effect.position) : "";
      out += fmt::format(
          "  \"{}\" -> \"{}\" [color=red, fontcolor=red, style=dashed, constraint=false, "
          "label=\"{}{}\"];\n",
          value, graph.node(effect.target).name, place, PrintEffect(graph, effect));
    } else {
      // An id that no value can have: names do not start with a digit.
      out += fmt::format(
          "  \"{0}output\" [label=\"output {1}\", shape=cds, style=filled, "
          "fillcolor=\"#e4f2dc\"];\n"
          "  \"{1}\" -> \"{0}output\";\n",
          i, value);
    }
  }
  return out + "}\n";
}

}  // namespace seamfuzz
