// Visits every expression below some statements, without recursion.
#pragma once

#include <vector>

#include "fuzz/python_ast.h"

namespace seamfuzz {

template <typename Visit>
void WalkExprs(const PyModule& module, const std::vector<PyStatementId>& body, Visit visit) {
  std::vector<PyStatementId> statements = body;
  std::vector<PyExprId> exprs;
  const auto push = [&exprs](PyExprId id) {
    if (id != kNoPy) exprs.push_back(id);
  };
  while (!statements.empty()) {
    const PyStatement& statement = module.statement(statements.back());
    statements.pop_back();
    statements.insert(statements.end(), statement.body.begin(), statement.body.end());
    statements.insert(statements.end(), statement.orelse.begin(), statement.orelse.end());
    for (PyExprId target : statement.targets) push(target);
    push(statement.value);
    while (!exprs.empty()) {
      const PyExpr& expr = module.expr(exprs.back());
      exprs.pop_back();
      visit(expr);
      for (PyExprId child : expr.children) push(child);
      for (const PyKeyword& keyword : expr.keywords) push(keyword.value);
    }
  }
}

}  // namespace seamfuzz
