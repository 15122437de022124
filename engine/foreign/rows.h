// The foreign engines, one row each: what part of the language they take, what they refuse, what
// they do otherwise by their authors' word, and their lanes.
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/foreign/script.h"

namespace seamfuzz {

// A choice that must not change the answer; the first value is the default. Text: `lane
// NAME=VALUE`.
struct LaneRow {
  std::string_view name;
  std::vector<std::string_view> values;
  bool drawn = true;  // false: for people only
};

// A failure whose text holds this is the engine saying no: a refusal.
struct RefusalRow {
  std::string_view text;
  std::string_view link;  // where its authors say so; empty: the message says it itself
};

// A divergence whose whole cause matches such patterns (generator/case/pattern.h) is `documented`.
struct DeviationRow {
  std::string_view pattern;
  std::string_view versions;  // "0.2" matches 0.2 and 0.2.x; empty: all
  std::string_view link;
  std::string_view reason;
};

struct ForeignRow {
  std::string_view name;
  std::string_view description;
  std::string_view brings;  // the command that brings it where it is absent
  const ScriptDialect* dialect = nullptr;
  std::string (*script)(const Case& c, const ScriptExpectation* expectation) = nullptr;
  // What it cannot express although it has the ops, or empty; asked of graphs that the dialect can
  // spell.
  std::string (*lacks)(const Case& c) = nullptr;
  std::bitset<kDTypeCount> dtypes = std::bitset<kDTypeCount>().set();
  std::bitset<kDTypeCount> not_drawn;  // taken, but a documented deviation hides everything else
  std::bitset<kFormCount> forms = std::bitset<kFormCount>().set();
  // Ops whose error was measured to exceed the op table's bound, alone and without the compiler
  // too: a libm of its own, no bug of fusion. Beside these, those without text in the dialect.
  std::vector<std::string_view> inexact_ops;
  bool strides = true;         // inputs that are not contiguous
  bool shared_storage = true;  // inputs that share storage
  bool offsets = true;         // inputs that do not start at their storage's start
  bool zero_size = true;
  bool scalars = true;      // inputs passed by value
  bool ill_formed = false;  // graphs that break a contract rule mean something to it
  int max_ops = 16;         // drawn: where each kernel costs a compile, small graphs find more
  bool uncompiled = true;   // `lane compile=off` runs the script without the compiler
  // One case in so many is run without the compiler before it is compiled, and every case whose
  // compiled answer is wrong. More than 1 where "without" means op by op through the same compiler,
  // which takes longer than the case itself.
  int uncompiled_first_odds = 1;
  int max_requests = 1000;  // then a worker is replaced: compilers grow
  std::vector<LaneRow> lanes;
  std::vector<RefusalRow> refusals;
  std::vector<DeviationRow> deviations;
};

const std::vector<ForeignRow>& ForeignRows();
const ForeignRow* FindForeignRow(std::string_view name);

// What a lane of the engine may be, where the case gives it another value; else empty. Lanes of
// other engines are no matter. Values go into scripts, so nobody prints one before asking this.
std::string UnknownLane(const ForeignRow& row, const Case& c);

// Why the engine cannot take the case, or empty.
std::string WhyNot(const ForeignRow& row, const Case& c);

// Rows for EngineRows().
std::vector<EngineRow> ForeignEngineRows();

}  // namespace seamfuzz
