// Cases from a few lines of text, for the oracle's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generator/case/text.h"
#include "generator/case/values.h"
#include "oracle/interpret.h"

namespace seamfuzz {

// `body` is the inside of `graph { }`; `lines` what follows it ("data T0 [1, 2]").
inline Case MakeCase(const std::string& body, const std::string& lines = "values exact seed 1") {
  const Result<ParsedCase> parsed =
      ParseCase("seamfuzz 1\ngraph {\n" + body + "\n}\n" + lines + "\n");
  EXPECT_TRUE(parsed.ok()) << parsed.error().Text() << "\n" << body << "\n" << lines;
  return parsed.ok() ? parsed->value : Case();
}

// The permitted sets of the value `name`, as text.
inline std::vector<std::string> Sets(const Case& c, const std::string& name,
                                     Mode mode = Mode::kMonolithic) {
  const Result<Reference> reference = Interpret(c.graph, mode, EntryBytes(c));
  if (!reference.ok()) return {reference.error().Text()};
  if (c.graph.Find(name) == kNoValue) return {"there is no value " + name};
  const PermittedTensor& tensor = reference->values[c.graph.Find(name)];
  std::vector<std::string> sets;
  for (int64_t i = 0; i < std::ssize(tensor.elements); ++i) sets.push_back(tensor.Text(i));
  return sets;
}

}  // namespace seamfuzz
