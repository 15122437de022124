// What is asked of an engine that can run a script without its compiler.
#include "fuzz/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/sim/sim.h"
#include "fuzz/test_cases.h"

namespace seamfuzz {
namespace {

std::unique_ptr<Engine> WithFault(std::string_view name) {
  Faults faults;
  if (!name.empty()) faults.set(static_cast<size_t>(*FindFault(name)));
  return MakeSimEngine(faults);
}

// A compiler with one fault, its script with another.
class Compiler : public Engine {
 public:
  Compiler(std::string_view fault, std::string_view script_fault)
      : compiled_(WithFault(fault)), script_(WithFault(script_fault)) {}
  std::string_view name() const override { return "compiler"; }
  std::string WhyNot(const Case&) const override { return {}; }
  Outcome Run(const Case& c, Mode mode) override {
    ++compiles;
    return compiled_->Run(c, mode);
  }
  std::optional<Outcome> RunUncompiled(const Case& c, Mode mode) override {
    return script_->Run(c, mode);
  }
  bool UncompiledFirst(const Case&) const override { return first; }
  int compiles = 0;
  bool first = true;

 private:
  std::unique_ptr<Engine> compiled_, script_;
};

TEST(Evaluate, AWrongScriptIsSeenBeforeAnythingIsCompiled) {
  Compiler compiler("", "war-order");
  EXPECT_TRUE(RunDifferential(compiler, CaseFrom(kSecondReader)).wrong_script.has_value());
  EXPECT_EQ(compiler.compiles, 0);
}

TEST(Evaluate, AWrongScriptIsNoFindingWhereItIsAskedLast) {
  Compiler compiler("war-order", "war-order");
  compiler.first = false;
  const Differential result = RunDifferential(compiler, CaseFrom(kSecondReader));
  EXPECT_TRUE(result.wrong_script.has_value());
  EXPECT_TRUE(result.bad.empty());
}

TEST(Evaluate, ARightScriptLeavesTheBlameWithTheCompiler) {
  Compiler compiler("war-order", "");
  const Differential result = RunDifferential(compiler, CaseFrom(kSecondReader));
  EXPECT_FALSE(result.wrong_script.has_value());
  ASSERT_EQ(result.bad.size(), 1u);
  EXPECT_EQ(result.bad[0].verdict.mode, Mode::kSegmented);
}

}  // namespace
}  // namespace seamfuzz
