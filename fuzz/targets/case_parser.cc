// libFuzzer target of the property CaseParser (fuzz/properties.h).
#include "fuzz/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  return seamfuzz::CheckProperty(seamfuzz::CaseParser, data, size);
}
