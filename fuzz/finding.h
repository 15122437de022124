// A finding as files that another person can read and run.
#pragma once

#include <string>
#include <vector>

#include "fuzz/files.h"
#include "fuzz/minimize/minimize.h"

namespace seamfuzz {

// How a divergence came to be seen.
struct Provenance {
  std::vector<std::string> faults;  // that were switched on
  std::string drawn;                // "seed 1, case 4711, generator version 1", or a file
};

// The minimized case with what is known about it: `class`, `cause` lines, `expect agree`, and a
// line for each fault that makes it fail alone or for the compiler that does.
Case Labeled(const Minimized& minimized, const Provenance& provenance);

// case.seam, minimized.seam, report.md, verdict.json and, for a compiler with scripts, script.py.
std::vector<NamedText> FindingFiles(const Case& original, const Minimized& minimized,
                                    const Provenance& provenance);

// The cause in one line: "B1: T4 reads T0 (through T3) after T0 <- T2 ..., segmented".
std::string Title(const Divergence& d);

}  // namespace seamfuzz
