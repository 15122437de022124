// Small worlds in text that the tests of this folder share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "generator/case/text.h"

namespace seamfuzz {

// A case from its lines behind the version line; a test that gives another text is wrong.
inline Case CaseFrom(std::string_view text) {
  Result<ParsedCase> parsed = ParseCase("seamfuzz 1\n" + std::string(text));
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().Text()) << "\n" << text;
  return parsed.ok() ? parsed->value : Case();
}

// nvFuser 2839: relu and add both read T0, which takes relu's result; a cut in front of the add.
inline constexpr std::string_view kSecondReader = R"(
graph {
  T0 = input f32[10, 2]
  T1 = input f32[2, 10, 2]
  T2 = relu(T0)
  T3 = segment_set(T0)
  T4 = add(T3, T1)
  T0 <- T2
  output T4
}
)";

// Two inputs trade places: a temporary is needed.
inline constexpr std::string_view kSwap = R"(
graph {
  A = input f32[8]
  B = input f32[8]
  A <- B
  B <- A
}
)";

}  // namespace seamfuzz
