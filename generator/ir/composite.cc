// Composites: one graph for each node's definition, and graphs with every composite expanded.
#include "generator/ir/composite.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

bool IsComposite(const Node& node) { return node.row().form == Form::kComposite; }

// A name that neither graph knows: "T4_0", "T4_1", ... for the nodes that define T4.
std::string DefinitionName(const Graph& original, const Graph& result, std::string_view composite) {
  constexpr size_t kRoomForNumber = 48;  // of the 64 characters of a name
  for (int i = 0;; ++i) {
    std::string name = fmt::format("{}_{}", composite.substr(0, kRoomForNumber), i);
    if (original.Find(name) == kNoValue && result.Find(name) == kNoValue) return name;
  }
}

std::vector<Operand> Mapped(std::span<const Operand> operands, std::span<const ValueId> image) {
  std::vector<Operand> mapped(operands.begin(), operands.end());
  for (Operand& operand : mapped) {
    if (!operand.is_literal()) operand.value = image[operand.value];
  }
  return mapped;
}

ValueId MustAdd(Graph& graph, const Node& node, std::vector<Operand> operands,
                std::string_view name) {
  Result<ValueId> added = graph.Add(node.op, std::move(operands), node.attrs, name);
  CHECK(added.ok());
  return *added;
}

// Appends the definition of `node`, whose operands are values of `result`; gives the value that
// stands for it, which is called `name`.
ValueId AppendDefinition(const Graph& original, const Node& node, const std::string& name,
                         std::span<const Operand> operands, Graph& result) {
  const Result<Definition> definition = Define(result, node.row(), operands, node.attrs);
  CHECK(definition.ok());
  const Graph& body = definition->graph;
  std::vector<ValueId> image;
  for (const Operand& operand : operands) {
    if (!operand.is_literal()) image.push_back(operand.value);
  }
  for (ValueId v = static_cast<ValueId>(image.size()); v < body.size(); ++v) {
    const Node& inner = body.node(v);
    const std::vector<Operand> inner_operands = Mapped(inner.operands, image);
    const std::string inner_name =
        v == definition->result ? name : DefinitionName(original, result, name);
    image.push_back(IsComposite(inner)
                        ? AppendDefinition(original, inner, inner_name, inner_operands, result)
                        : MustAdd(result, inner, inner_operands, inner_name));
  }
  return image[definition->result];
}

}  // namespace

Result<Definition> Define(const Graph& graph, const OpRow& row, std::span<const Operand> operands,
                          const Attrs& attrs) {
  Definition definition;
  std::vector<Operand> inner(operands.begin(), operands.end());
  for (Operand& operand : inner) {
    if (operand.is_literal()) continue;
    Result<ValueId> input = definition.graph.AddInput("T" + std::to_string(definition.graph.size()),
                                                      graph.type(operand.value));
    if (!input.ok()) return input.error();
    operand.value = *input;
  }
  Result<Operand> result = row.define(definition.graph, inner, attrs);
  if (!result.ok()) return result.error();
  if (result->is_literal()) return Error{"operand_tensor", "needs a tensor operand"};
  definition.result = result->value;
  return definition;
}

Expanded ExpandComposites(const Graph& graph) {
  Expanded expanded;
  const size_t size = graph.nodes().size();
  expanded.origin.reserve(size);
  expanded.image.reserve(size);
  if (std::none_of(graph.nodes().begin(), graph.nodes().end(), IsComposite)) {
    expanded.graph = graph;
    for (ValueId v = 0; v < graph.size(); ++v) {
      expanded.origin.push_back(v);
      expanded.image.push_back(v);
    }
    return expanded;
  }
  expanded.graph = Graph(graph.reading());
  Graph& result = expanded.graph;
  size_t next_effect = 0;
  for (ValueId v = 0; v <= graph.size(); ++v) {
    // Effects of a trace stand among the nodes; those of a graph follow them.
    for (; next_effect < graph.effects().size() && graph.effects()[next_effect].position == v;
         ++next_effect) {
      const Effect& effect = graph.effects()[next_effect];
      const ValueId value = expanded.image[effect.value];
      CHECK((effect.is_update() ? result.AddUpdate(expanded.image[effect.target], value)
                                : result.AddOutput(value))
                .ok());
    }
    if (v == graph.size()) break;
    const Node& node = graph.node(v);
    const std::vector<Operand> operands = Mapped(node.operands, expanded.image);
    if (graph.is_input(v)) {
      const Result<ValueId> input = result.AddInput(node.name, node.type, node.layout);
      CHECK(input.ok());
      expanded.image.push_back(*input);
    } else if (IsComposite(node)) {
      expanded.image.push_back(AppendDefinition(graph, node, node.name, operands, result));
    } else {
      expanded.image.push_back(MustAdd(result, node, operands, node.name));
    }
    expanded.origin.resize(result.nodes().size(), v);
  }
  return expanded;
}

Result<Graph> Rebuild(const Graph& graph, const std::vector<bool>& keep,
                      const std::vector<bool>& keep_effects,
                      const std::vector<ValueId>& substitute) {
  Graph result(graph.reading());
  result.Reserve(graph.size());
  std::vector<ValueId> image(graph.nodes().size(), kNoValue);
  for (size_t e = 0, v = 0; v <= graph.nodes().size(); ++v) {
    for (; e < graph.effects().size() && graph.effects()[e].position == static_cast<int32_t>(v);
         ++e) {
      const Effect& effect = graph.effects()[e];
      if (!keep_effects[e]) continue;
      const ValueId value = image[substitute[effect.value]];
      Status added = effect.is_update() ? result.AddUpdate(image[effect.target], value)
                                        : result.AddOutput(value);
      if (!added.ok()) return added.error();
    }
    if (v == graph.nodes().size()) break;
    if (!keep[v]) continue;
    const Node& node = graph.nodes()[v];
    std::vector<Operand> operands = node.operands;
    for (Operand& operand : operands) {
      if (operand.is_literal()) continue;
      operand.value = image[substitute[operand.value]];
      // kNoValue would read as a literal.
      if (operand.is_literal()) {
        return Error{"unknown_value", fmt::format("{}: an operand is not kept", node.name)};
      }
    }
    Result<ValueId> added = graph.is_input(static_cast<ValueId>(v))
                                ? result.AddInput(node.name, node.type, node.layout)
                                : result.Add(node.op, std::move(operands), node.attrs, node.name);
    if (!added.ok()) return added.error();
    image[v] = *added;
  }
  return result;
}

}  // namespace seamfuzz
