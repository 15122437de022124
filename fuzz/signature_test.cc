#include "fuzz/signature.h"

#include <gtest/gtest.h>

namespace seamfuzz {
namespace {

Verdict OfKind(VerdictKind kind, std::string text = {}) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.text = std::move(text);
  return verdict;
}

TEST(Signature, HasEngineKindClassesAndHash) {
  const Signature signature =
      MakeSignature("sim", OfKind(VerdictKind::kRace), {HazardClass::kB1, HazardClass::kA1},
                    {*ParsePattern("A1 read=pointwise"), *ParsePattern("B1")});
  EXPECT_EQ(signature.Distinct(), "sim.wrong.A1-B1");
  EXPECT_EQ(signature.Text(), signature.Distinct() + "." + signature.hash);
  EXPECT_EQ(signature.hash.size(), 8u);
}

TEST(Signature, DoesNotDependOnTheOrderOfPatterns) {
  const Pattern a = *ParsePattern("A1"), b = *ParsePattern("A2");
  const Verdict verdict = OfKind(VerdictKind::kDiffer);
  EXPECT_EQ(MakeSignature("sim", verdict, {}, {a, b}), MakeSignature("sim", verdict, {}, {b, a}));
}

TEST(Signature, OfAFailureIgnoresAddressesDigitsAndPaths) {
  const auto hash = [](std::string text) {
    return MakeSignature("sim", OfKind(VerdictKind::kFailure, std::move(text)), {HazardClass::kX2},
                         {})
        .hash;
  };
  EXPECT_EQ(hash("SIGSEGV at 0x7f00 in /tmp/a/b.cc, thread 17"),
            hash("SIGSEGV at 0x8e10 in  /home/b.cc, thread 4"));
  EXPECT_NE(hash("SIGSEGV"), hash("SIGABRT"));
}

TEST(Hash, IsFnv1a) {
  // Source: the test vectors of http://www.isthe.com/chongo/tech/comp/fnv/
  EXPECT_EQ(Hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Hash("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace seamfuzz
