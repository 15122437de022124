// nvFuser scripts -> cases. Reads every dialect that people file: the direct and the legacy
// frontend, 2022's and 2023's keywords, hand-edited copies, issue texts with ```python fences. It
// never executes what it reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/case/case.h"
#include "generator/ir/result.h"

namespace seamfuzz {

struct ImportedCase {
  std::string name;  // of the function that defines it, made unique; empty for a lone definition at
                     // the top of a file
  Case value;
};

// One case for each FusionDefinition, in the order of the text; all of them or the first error,
// with line and column. Sizes come from the inputs that the script makes. Where it makes none, dims
// that its ops make equal get one small size, different from the others (import_sizes.h). Notes are
// the comments before the first statement; links in comments become origins. Rules: no_fusion,
// unsupported_op, unsupported_dtype, unsupported_statement, unknown_value, unknown_function,
// arguments, inputs, dim_range, nesting, script_size, syntax, and those of Graph.
Result<std::vector<ImportedCase>> ImportNvfuser(std::string_view source);

}  // namespace seamfuzz
