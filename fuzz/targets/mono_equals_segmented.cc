// libFuzzer target of the property MonoEqualsSegmented (fuzz/properties.h).
#include "fuzz/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  return seamfuzz::CheckProperty(seamfuzz::MonoEqualsSegmented, data, size);
}
