// What can be said of a case without running it: broken rules, hazards by line with class per mode
// and repair, ambiguity.
#pragma once

#include <string>

#include "generator/case/text.h"

namespace seamfuzz {

struct CheckReport {
  std::string text;  // several lines
  bool breaks_rules = false;
};
CheckReport Check(const ParsedCase& parsed);

// The hazards of both modes; `lines` may be empty where there is no file.
std::string HazardsText(const Case& c, const GraphLines& lines);

}  // namespace seamfuzz
