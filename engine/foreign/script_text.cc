// The parts of a script that hold data: header, views and effects, storages and permitted values.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "engine/foreign/python_files.h"
#include "engine/foreign/script.h"
#include "generator/case/text.h"
#include "generator/case/values.h"

namespace seamfuzz {
namespace {

// A Python string literal; names and lanes are plain words, notes may hold anything.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"";
}

// Items over lines of at most about 100 columns, each behind `indent`.
std::string Wrapped(const std::vector<std::string>& items, std::string_view indent) {
  std::string out, line;
  for (const std::string& item : items) {
    if (!line.empty() && indent.size() + line.size() + item.size() + 2 > 100) {
      out += fmt::format("{}{}\n", indent, line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item + ",";
  }
  if (!line.empty()) out += fmt::format("{}{}\n", indent, line);
  return out;
}

// The elements of a storage's own bytes when the numbers alone give the bytes back; empty when they
// do not.
std::vector<std::string> Numbers(std::span<const std::byte> bytes, DType dtype) {
  const size_t size = static_cast<size_t>(Row(dtype).bytes);
  std::vector<std::string> numbers;
  if (bytes.size() % size != 0) return {};
  for (size_t i = 0; i < bytes.size(); i += size) {
    const Scalar value = Load(&bytes[i], dtype);
    std::byte again[8];
    Store(again, dtype, value);
    if ((IsFloat(dtype) && std::isnan(value.f)) || std::memcmp(again, &bytes[i], size) != 0)
      return {};
    numbers.push_back(PythonNumber(value, dtype));
  }
  return numbers;
}

std::string HexText(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte b : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(b));
  return out;
}

std::string StoragesText(const Case& c) {
  const std::vector<StorageInfo> infos = Storages(c.graph);
  const std::vector<StorageBytes> entry = EntryBytes(c);
  std::string out =
      "# The inputs' memory at entry, with a guard zone on either side.\nSTORAGES = [\n";
  for (size_t s = 0; s < infos.size(); ++s) {
    const std::span own =
        std::span(entry[s]).subspan(kGuardBytes, entry[s].size() - 2 * kGuardBytes);
    const DType dtype = c.graph.type(infos[s].inputs.front()).dtype;
    const std::vector<std::string> numbers = Numbers(own, dtype);
    if (numbers.empty() && !own.empty()) {
      out += fmt::format("    GUARD_ZONE + bytes.fromhex(\"{}\") + GUARD_ZONE,\n", HexText(own));
    } else {
      out += fmt::format("    GUARD_ZONE\n    + pack({}, [\n{}    ])\n    + GUARD_ZONE,\n",
                         Quoted(Row(dtype).name), Wrapped(numbers, "        "));
    }
  }
  return out + "]\n";
}

std::string ElementText(const ScriptElement& element, DType dtype) {
  if (element.any) return "ANY";
  if (!element.set.empty()) {
    std::vector<std::string> values;
    for (const Scalar value : element.set) values.push_back(PythonNumber(value, dtype));
    if (element.nan) values.push_back("float('nan')");
    return fmt::format("{{{}}}", fmt::join(values, ", "));
  }
  const bool is_float = IsFloat(dtype);
  const bool none = is_float ? !(element.low.f <= element.high.f) : element.low.i > element.high.i;
  if (none && element.nan) return "float('nan')";
  const bool point = is_float ? element.low.f == element.high.f : element.low.i == element.high.i;
  const std::string low = PythonNumber(element.low, dtype);
  if (point && !element.nan) return low;
  return fmt::format("({}, {}{})", low, PythonNumber(element.high, dtype),
                     element.nan ? ", True" : "");
}

std::string CallsText(const std::vector<ScriptCall>& calls) {
  std::string out;
  for (const ScriptCall& call : calls) {
    out += "        [  # a call: one list for each of EFFECTS\n";
    for (const ScriptTensor& tensor : call) {
      std::vector<std::string> elements;
      for (const ScriptElement& element : tensor.elements)
        elements.push_back(ElementText(element, tensor.dtype));
      out +=
          fmt::format("            [\n{}            ],\n", Wrapped(elements, "                "));
    }
    out += "        ],\n";
  }
  return out;
}

}  // namespace

std::string ScriptHeader(const Case& c, std::string_view what) {
  std::string out = fmt::format("#!/usr/bin/env python3\n# {}\n#\n", what);
  const std::string text = Print(c);
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find('\n', i), text.size());
    out += fmt::format("#   {}\n", text.substr(i, end - i));
    i = end + 1;
  }
  return out +
         "#\n# Reads of an input mean its value at entry; every update T <- V is written after all "
         "reads.\n\n";
}

std::string ScriptTables(const Case& c) {
  const Graph& graph = c.graph;
  const std::vector<std::string> names = PythonNames(graph);
  const std::vector<int> storage_of = StorageOf(graph);
  std::string lanes, views, effects, scalars;
  for (const auto& [name, value] : c.schedule.lanes)
    lanes += fmt::format("{}: {}, ", Quoted(name), Quoted(value));
  std::vector<int> position(static_cast<size_t>(graph.size()), -1);
  int count = 0;
  for (ValueId v = 0; v < graph.size(); ++v) {
    const Node& node = graph.node(v);
    if (!graph.is_input(v)) continue;
    position[v] = count++;
    views += fmt::format("    ({}, {}, {}, {}, {}, {}),\n", Quoted(names[v]), storage_of[v],
                         Quoted(Row(node.type.dtype).name), PythonList(node.type.shape),
                         PythonList(node.layout.strides), node.layout.offset);
    if (node.layout.scalar) scalars += Quoted(names[v]) + ", ";
  }
  for (const Effect& effect : graph.effects()) {
    const Node& node = graph.node(effect.value);
    if (effect.is_update()) {
      effects += fmt::format("    (\"update\", {}),\n", position[effect.target]);
    } else {
      effects += fmt::format("    (\"output\", {}, {}, {}),\n", Quoted(names[effect.value]),
                             Quoted(Row(node.type.dtype).name), PythonList(node.type.shape));
    }
  }
  return fmt::format(
      "\n\nLANES = {{{}}}\nSCALARS = ({})\nVIEWS = [  # name, storage, dtype, shape, strides, "
      "offset in elements\n{}]\n"
      "EFFECTS = [  # in order; an update names the view it writes\n{}]\n\n",
      lanes, scalars, views, effects);
}

std::string ScriptMain(const Case& c, const ScriptExpectation& expectation) {
  std::string out = "\n\nGUARD_ZONE = b\"\\xa5\" * GUARD\n" + StoragesText(c) + "\n";
  out += PythonFile("script_main.py");
  const size_t entry = out.rfind("\n\nif __name__");
  const std::string main = out.substr(entry);
  out.resize(entry);
  out += fmt::format(
      "\n\n# What the reference permits: a number, a set, (low, high), (low, high, or NaN), "
      "ANY.\nPERMITTED = {{\n"
      "    \"monolithic\": [\n{}    ],\n    \"segmented\": [\n{}    ],\n}}\n",
      CallsText(expectation.monolithic), CallsText(expectation.segmented));
  return out + main;
}

}  // namespace seamfuzz
