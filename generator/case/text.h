// The .seam file: the only persistent form of a case (design 3).
#pragma once

#include <string>
#include <string_view>

#include "generator/case/case.h"
#include "generator/ir/text.h"

namespace seamfuzz {

// The newest format this build writes; every older one loads.
inline constexpr int kFormatVersion = 1;

std::string Print(const Case& c);

struct ParsedCase {
  Case value;
  GraphLines lines;  // 1-based lines of nodes and effects, for messages
};
// Never crashes, whatever the bytes. Rules beside those of the graph: version, values, data,
// data_storage, data_length, schedule_key, schedule_value, class, expect, cause, unknown_line,
// schedule_value_name (a key names no value).
Result<ParsedCase> ParseCase(std::string_view text);

// Reads a file; the error text is ready for "error: " in front: "FILE:LINE:COLUMN: rule: message"
// in `message`, rule empty. Files over 16 MiB are refused.
Result<ParsedCase> LoadCase(const std::string& path);

}  // namespace seamfuzz
