// Literals by from_chars, arithmetic with overflow checks.
#include "fuzz/import_number.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace seamfuzz {
namespace {

ScriptValue Compared(std::string_view op, double a, double b) {
  if (op == "<") return ScriptValue::Bool(a < b);
  if (op == ">") return ScriptValue::Bool(a > b);
  if (op == "<=") return ScriptValue::Bool(a <= b);
  if (op == ">=") return ScriptValue::Bool(a >= b);
  if (op == "==") return ScriptValue::Bool(a == b);
  if (op == "!=") return ScriptValue::Bool(a != b);
  return {};
}

}  // namespace

ScriptValue IntegerOf(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != '_') digits += c;
  }
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char letter = static_cast<char>(digits[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    if (base != 10) digits.erase(0, 2);
  }
  int64_t value = 0;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (status != std::errc() || end != digits.data() + digits.size()) return {};
  return ScriptValue::Integer(value);
}

ScriptValue FloatOf(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != '_' && c != '+' && c != ' ') digits += c;
    if (c == '+' && !digits.empty()) digits += c;  // 1e+5
  }
  double value = 0;  // reads inf and nan too
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || digits.empty()) return {};
  if (status == std::errc::result_out_of_range) return {};
  return ScriptValue::Float(value);
}

ScriptValue StringOf(std::string_view text) {
  const size_t quote = text.find_first_of("'\"");
  if (quote == std::string_view::npos) return {};
  text.remove_prefix(quote);
  const size_t marks = text.size() >= 6 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  if (text.size() < 2 * marks) return {};
  return {.kind = ScriptKind::kString,
          .text = std::string(text.substr(marks, text.size() - 2 * marks))};
}

// Python's arithmetic on integers: floor division and modulus; unknown on overflow.
ScriptValue OnIntegers(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op == "+" && !__builtin_add_overflow(a, b, &result)) return ScriptValue::Integer(result);
  if (op == "-" && !__builtin_sub_overflow(a, b, &result)) return ScriptValue::Integer(result);
  if (op == "*" && !__builtin_mul_overflow(a, b, &result)) return ScriptValue::Integer(result);
  const bool divides = b != 0 && !(a == std::numeric_limits<int64_t>::min() && b == -1);
  const bool down = divides && a % b != 0 && ((a < 0) != (b < 0));
  if (op == "//" && divides) return ScriptValue::Integer(a / b - (down ? 1 : 0));
  if (op == "%" && divides) return ScriptValue::Integer(a % b + (down ? b : 0));
  if (op == "/" && b != 0)
    return ScriptValue::Float(static_cast<double>(a) / static_cast<double>(b));
  if (op == "**" && b >= 0 && b < 64) {
    result = 1;
    for (int64_t i = 0; i < b; ++i) {
      if (__builtin_mul_overflow(result, a, &result)) return {};
    }
    return ScriptValue::Integer(result);
  }
  if (op == "<<" && a >= 0 && a < 1024 && b >= 0 && b < 48) return ScriptValue::Integer(a << b);
  if (op == ">>" && a >= 0 && b >= 0 && b < 63) return ScriptValue::Integer(a >> b);
  return {};
}

ScriptValue OnNumbers(std::string_view op, const ScriptValue& a, const ScriptValue& b) {
  const double x = AsNumber(a).value_or(0);
  const double y = AsNumber(b).value_or(0);
  if (const ScriptValue compared = Compared(op, x, y); !compared.is(ScriptKind::kUnknown))
    return compared;
  if (!a.is(ScriptKind::kFloat) && !b.is(ScriptKind::kFloat))
    return OnIntegers(op, a.integer, b.integer);
  if (op == "+") return ScriptValue::Float(x + y);
  if (op == "-") return ScriptValue::Float(x - y);
  if (op == "*") return ScriptValue::Float(x * y);
  if (op == "/" && y != 0) return ScriptValue::Float(x / y);
  if (op == "//" && y != 0) return ScriptValue::Float(std::floor(x / y));
  if (op == "**") return ScriptValue::Float(std::pow(x, y));
  return {};
}

bool IsNumber(const ScriptValue& value) {
  return value.is(ScriptKind::kInteger) || value.is(ScriptKind::kBool) ||
         value.is(ScriptKind::kFloat);
}

}  // namespace seamfuzz
