// fd.ops.NAME: which ops of the language an nvFuser op stands for. A table, one row an op.
#pragma once

#include <string_view>

#include "fuzz/import_fusion.h"

namespace seamfuzz {

// One call. Rule unsupported_op when the language has no equivalent, else the rules of Graph::Add.
ScriptValue ImportOp(FusionBuilder& builder, std::string_view name,
                     const ScriptArguments& arguments);
// `a + b`, `-a`, ... by Python's spelling, of tensors, scalars and literals.
ScriptValue ImportOperator(FusionBuilder& builder, std::string_view op,
                           const ScriptArguments& operands);

}  // namespace seamfuzz
