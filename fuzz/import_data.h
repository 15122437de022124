// The values of an imported case: what a script does not say (its tensors are random) and a case
// must have.
#pragma once

#include "generator/case/case.h"

namespace seamfuzz {

// Inputs that are used as indices get literal data in the range of every op that reads them so,
// counting down.
void AddIndexData(Case& c);
// Data and literals are integers and every op keeps integers: the case can be compared bit for bit.
bool KeepsIntegers(const Case& c);
// By the order of the storages, as the text form wants it.
void SortData(Case& c);

}  // namespace seamfuzz
