// The syntax tree of a Python subset: what fusion scripts are written in. Nodes are values in
// vectors with indices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seamfuzz {

using PyExprId = int32_t;
using PyStatementId = int32_t;
inline constexpr int32_t kNoPy = -1;

enum class PyExprKind : uint8_t {
  kName,           // text
  kInteger,        // text as spelled
  kFloat,          // text as spelled
  kString,         // text with prefix and quotes
  kAttribute,      // children[0] . text
  kCall,           // children[0] ( children[1..], keywords )
  kSubscript,      // children[0] [ children[1] ]
  kSlice,          // children: lower, upper, step; kNoPy where absent
  kList,           // children
  kTuple,          // children
  kUnary,          // text children[0]
  kBinary,         // children[0] text children[1]; comparisons, `and`, `or` too
  kConditional,    // children[0] if children[1] else children[2]
  kComprehension,  // children[0] for children[1] in children[2] [if children[3]]
  kStarred,        // * children[0]
  kOpaque,         // lambda, dict, set, chained comparison, ...: read over, no value
};

struct PyKeyword {
  std::string_view name;  // empty: `**mapping`
  PyExprId value = kNoPy;
};

struct PyExpr {
  PyExprKind kind = PyExprKind::kOpaque;
  std::string_view text;
  std::vector<PyExprId> children;
  std::vector<PyKeyword> keywords;
  int line = 0;
  int column = 0;
  int depth = 1;  // of the tree below, for the bound on recursion
};

enum class PyStatementKind : uint8_t {
  kExpression,  // value
  kAssign,      // targets[0] = targets[1] = ... = value (also annotated)
  kAugmented,   // targets[0] text= value
  kReturn,      // value or kNoPy
  kFunction,    // def text(parameters): body
  kClass,       // class text: body
  kWith,        // with value as targets[0] (kNoPy where absent): body; several items nest
  kFor,         // for targets[0] in value: body
  kIf,          // if value: body else: orelse
  kBlock,       // while, try, except, finally, ...: body
  kImport,      // targets in pairs: the name after `as`, what it stands for
  kPass,        // pass, del, global, ...
  kOpaque,      // did not parse: message; its block, if any, is body
};

struct PyParameter {
  std::string_view name;
  PyExprId default_value = kNoPy;
};

struct PyStatement {
  PyStatementKind kind = PyStatementKind::kPass;
  std::string_view text;
  std::vector<PyExprId> targets;
  PyExprId value = kNoPy;
  std::vector<PyParameter> parameters;
  std::vector<PyStatementId> body;
  std::vector<PyStatementId> orelse;
  std::string message;
  int line = 0;
  int column = 0;
};

// Texts point into the source, which must outlive the module.
struct PyModule {
  std::vector<PyExpr> exprs;
  std::vector<PyStatement> statements;
  std::vector<PyStatementId> body;
  const PyExpr& expr(PyExprId id) const { return exprs[id]; }
  const PyStatement& statement(PyStatementId id) const { return statements[id]; }
};

}  // namespace seamfuzz
