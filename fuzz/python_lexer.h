// Tokens of Python source, with positions; for reading scripts that are never executed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace seamfuzz {

enum class PyTokenKind : uint8_t {
  kName,
  kInteger,
  kFloat,
  kString,
  kOperator,
  kNewline,
  kIndent,
  kDedent,
  kEnd,
  kInvalid,
};

struct PyToken {
  PyTokenKind kind = PyTokenKind::kEnd;
  std::string_view text;  // into the source; strings with prefix and quotes
  int line = 1;
  int column = 1;  // in bytes, 1-based
};

// Never fails: bytes that start no token, and strings that do not end, become kInvalid. Line
// structure is Python's: new lines inside brackets and after a backslash do not count, comments are
// skipped, tabs go to the next multiple of 8. A dedent to a column that no enclosing block has
// starts a block of its own. The last token is kEnd, preceded by the dedents it needs.
std::vector<PyToken> TokenizePython(std::string_view source);

}  // namespace seamfuzz
