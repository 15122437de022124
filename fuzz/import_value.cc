// Binding of arguments and conversion of values.
#include "fuzz/import_value.h"

#include <array>
#include <cmath>

namespace seamfuzz {
namespace {

// Spellings beside those of the dtype table. Source:
// https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
struct DTypeAlias {
  std::string_view name;
  DType dtype;
};
constexpr std::array<DTypeAlias, 9> kAliases = {{{"float", DType::kF32},
                                                 {"half", DType::kF16},
                                                 {"double", DType::kF64},
                                                 {"long", DType::kI64},
                                                 {"int", DType::kI32},
                                                 {"bool", DType::kBool},
                                                 {"Int", DType::kI64},
                                                 {"Index", DType::kI64},
                                                 {"char", DType::kI8}}};

// True when `name` is one of "arg|arg1".
bool Names(std::string_view alternatives, std::string_view name) {
  while (true) {
    const size_t bar = alternatives.find('|');
    if (alternatives.substr(0, bar) == name) return true;
    if (bar == std::string_view::npos) return false;
    alternatives.remove_prefix(bar + 1);
  }
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    parts.push_back(text.substr(0, space));
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
  return parts;
}

}  // namespace

std::optional<std::vector<const ScriptValue*>> BindArguments(std::string_view parameters,
                                                             const ScriptArguments& arguments) {
  const std::vector<std::string_view> names = Split(parameters);
  if (arguments.positional.size() > names.size()) return std::nullopt;
  std::vector<const ScriptValue*> bound(names.size(), nullptr);
  for (size_t i = 0; i < arguments.positional.size(); ++i) bound[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.keywords) {
    size_t i = 0;
    while (i < names.size() && !Names(names[i], name)) ++i;
    if (i == names.size() || bound[i] != nullptr) return std::nullopt;
    bound[i] = &value;
  }
  return bound;
}

std::optional<bool> Truth(const ScriptValue& value) {
  if (value.is(ScriptKind::kNone)) return false;
  if (value.is(ScriptKind::kString)) return !value.text.empty();
  const std::optional<double> number = AsNumber(value);
  if (!number) return std::nullopt;
  return *number != 0;
}

std::optional<int64_t> AsInteger(const ScriptValue& value) {
  if (value.is(ScriptKind::kInteger) || value.is(ScriptKind::kBool)) return value.integer;
  if (value.is(ScriptKind::kFloat) && std::abs(value.real) < 0x1p53 &&
      value.real == std::trunc(value.real)) {
    return static_cast<int64_t>(value.real);
  }
  if (value.is(ScriptKind::kValue) && value.operand.is_literal() &&
      !IsFloat(value.operand.literal_dtype)) {
    return value.operand.literal.i;
  }
  return std::nullopt;
}

std::optional<double> AsNumber(const ScriptValue& value) {
  if (value.is(ScriptKind::kFloat)) return value.real;
  if (value.is(ScriptKind::kValue) && value.operand.is_literal() &&
      IsFloat(value.operand.literal_dtype)) {
    return value.operand.literal.f;
  }
  const std::optional<int64_t> integer = AsInteger(value);
  if (!integer) return std::nullopt;
  return static_cast<double>(*integer);
}

std::optional<IntList> AsIntList(const ScriptValue& value, const ScriptHeap& heap) {
  if (!value.is(ScriptKind::kList)) return std::nullopt;
  const std::vector<ScriptValue>& items = heap.lists[value.id];
  if (items.size() > kMaxRank) return std::nullopt;
  IntList list;
  for (const ScriptValue& item : items) {
    const std::optional<int64_t> integer = AsInteger(item);
    if (!integer) return std::nullopt;
    list.push_back(*integer);
  }
  return list;
}

std::optional<DType> AsDType(const ScriptValue& value) {
  if (!value.is(ScriptKind::kPath)) return std::nullopt;
  const std::string_view path = value.text;
  const size_t dot = path.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType dtype = static_cast<DType>(i);
    if (last == Row(dtype).torch || last == Row(dtype).nvfuser) return dtype;
    if (path == Row(dtype).torch || path == Row(dtype).nvfuser) return dtype;
  }
  for (const DTypeAlias& alias : kAliases) {
    if (last == alias.name) return alias.dtype;
  }
  return std::nullopt;
}

}  // namespace seamfuzz
