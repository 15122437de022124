// Equality of what holds registers: by their bits.
#include "generator/case/case.h"

#include <algorithm>

namespace seamfuzz {

bool operator==(const StorageData& a, const StorageData& b) {
  return a.storage == b.storage &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                    [](Scalar x, Scalar y) { return x.i == y.i; });
}

}  // namespace seamfuzz
