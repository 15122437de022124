// The signature of a divergence: ENGINE.KIND.CLASSES.HASH8 (design 9), "sim.wrong.B1.5f0a93c2".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/case/hazard_class.h"
#include "generator/case/pattern.h"
#include "generator/case/verdict.h"

namespace seamfuzz {

struct Signature {
  std::string engine;
  std::string kind;       // "wrong" (differ, race, unstable) or "failure"
  HazardClasses classes;  // of the cause
  std::string hash;       // 8 hexadecimal digits

  std::string Distinct() const;  // "sim.wrong.B1"; several classes: "sim.wrong.A1-B1"
  std::string Text() const;      // "sim.wrong.B1.5f0a93c2", also the name of the finding's folder
  friend bool operator==(const Signature&, const Signature&) = default;
};

// `verdict` is bad. The hash is of the sorted pattern lines; for a failure, of its text without
// digits, addresses and paths, so that the same crash elsewhere in memory is the same variant.
Signature MakeSignature(std::string_view engine, const Verdict& verdict,
                        const HazardClasses& classes, const std::vector<Pattern>& patterns);

// The failure text that is hashed: paths are gone, 0x addresses and digits too, white space is
// single.
std::string StableMessage(std::string_view text);

// FNV-1a, 64 bits. Source: http://www.isthe.com/chongo/tech/comp/fnv/
uint64_t Hash(std::string_view text);

}  // namespace seamfuzz
