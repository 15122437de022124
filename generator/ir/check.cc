// Ends the process at a broken invariant.
#include "generator/ir/check.h"

#include <cstdio>
#include <cstdlib>

namespace seamfuzz {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace seamfuzz
