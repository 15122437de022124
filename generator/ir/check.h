// CHECK: a broken invariant of ours ends the process with the place and the condition; never used
// on outside input.
#pragma once

namespace seamfuzz {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace seamfuzz

#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::seamfuzz::CheckFailed(__FILE__, __LINE__, #condition))
