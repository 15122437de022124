// The files of engine/foreign/python, built into the binary so that it needs no installed tree.
// CMake writes the table.
#pragma once

#include <span>
#include <string_view>

namespace seamfuzz {

struct PythonFileRow {
  std::string_view name;  // "worker.py"
  std::string_view text;
};
std::span<const PythonFileRow> PythonFiles();
// The text of one of them; the name must exist.
std::string_view PythonFile(std::string_view name);

}  // namespace seamfuzz
