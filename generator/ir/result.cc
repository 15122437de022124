// The text of labelled errors.
#include "generator/ir/result.h"

#include <fmt/format.h>

namespace seamfuzz {

std::string Error::Text() const {
  if (line == 0) return fmt::format("{}: {}", rule, message);
  return fmt::format("{}:{}: {}: {}", line, column, rule, message);
}

}  // namespace seamfuzz
