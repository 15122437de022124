// Parses the Python subset of python_ast.h.
#pragma once

#include <string_view>

#include "fuzz/python_ast.h"
#include "generator/ir/result.h"

namespace seamfuzz {

// Trees and blocks nest at most this deep, so that walking them may recurse.
inline constexpr int kMaxPyDepth = 200;

// A statement that does not parse becomes kOpaque with its message, and reading goes on with the
// next line. The only error: rule `nesting`, deeper than kMaxPyDepth.
Result<PyModule> ParsePython(std::string_view source);

}  // namespace seamfuzz
