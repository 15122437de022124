// Makes the accesses of a program. Each is interned: equal ones get one position in
// program.accesses.
#pragma once

#include "engine/kernel/program.h"

namespace seamfuzz {

// The identity over a space.
int RootAccess(Program& program, const Shape& shape);
// From the result of elementwise `v` to its operand k; `access` itself where nothing is broadcast.
int BroadcastAccess(Program& program, int access, ValueId v, int k);
// From the result of Move `v` to its operand k.
int MoveAccess(Program& program, int access, ValueId v, int k);
// From the iteration space of Index node `v`, which `access` leads to, to its index operand.
int IndexAccess(Program& program, int access, ValueId v);
// From a loop over the kept dims of an operand of `v` and then those in `dims` to that operand.
int AxesAccess(Program& program, const Shape& space, ValueId v, int k, const IntList& dims);
// From a loop over the dims of matmul `v` and then the contracted one to operand k.
int ContractAccess(Program& program, const Shape& space, ValueId v, int k);

}  // namespace seamfuzz
