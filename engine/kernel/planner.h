// From a case to a Program: partition, lower, order, commit, place, assemble, allocate.
#pragma once

#include "engine/kernel/fault.h"
#include "engine/kernel/program.h"
#include "generator/case/case.h"

namespace seamfuzz {

// A graph (no trace) that keeps the contract rules. Every schedule is taken: what cannot be done as
// asked (a direct commit that L1 forbids, a merge of segments of different levels) is planned as by
// default.
Program PlanProgram(const Case& c, Mode mode, Faults faults = {});

}  // namespace seamfuzz
