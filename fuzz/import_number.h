// Python's literals and arithmetic on known numbers.
#pragma once

#include <string_view>

#include "fuzz/import_value.h"

namespace seamfuzz {

// As spelled in the source; unknown when the value does not fit.
ScriptValue IntegerOf(std::string_view text);
ScriptValue FloatOf(std::string_view text);   // "inf" and "nan" too
ScriptValue StringOf(std::string_view text);  // without prefix and quotes, escapes as they stand

bool IsNumber(const ScriptValue& value);
// `a op b` for numbers, by Python's rules (floor division); unknown on overflow and division by 0.
ScriptValue OnNumbers(std::string_view op, const ScriptValue& a, const ScriptValue& b);
ScriptValue OnIntegers(std::string_view op, int64_t a, int64_t b);

}  // namespace seamfuzz
