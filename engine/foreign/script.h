// What the exported Python scripts of all targets share: op text, literal inputs, permitted values,
// comparing and printing.
//
// The script is the test (design 8): the text that `export` prints is the text that a worker runs,
// but for ScriptMain. A script is, in this order:
//
// * ScriptHeader: comments, the .seam text among them
// * the program, each target's own: its imports and what its runtime file calls
// * PythonFile("script_core.py"): elements as bytes
// * ScriptTables: LANES, VIEWS, EFFECTS
// * the runtime, PythonFile("script_torch.py") for torch and nvfuser, "script_jax.py",
//   "script_tinygrad.py": defines run(mode, storages, compiled, calls), which the worker calls too
// * ScriptMain: the storages, what is permitted, and script_main.py, which runs both modes,
//   compares, prints and exits
//
// script_torch.py wants of the program: `device`; UNCOMPILED (whether it can run without the
// compiler); SCALARS_ARE_NUMBERS (whether scalar inputs are Python numbers); SHARES_MEMORY (whether
// outputs may lie in memory of inputs and of each other by the compiler's own word); build(mode,
// compiled), which returns call(inputs) -> list of the outputs in effect order, `inputs` being
// tensors in the order of VIEWS; kernels(), how many kernels the last call ran (0: unknown).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/case/case.h"
#include "generator/ir/graph.h"
#include "generator/ir/result.h"
#include "generator/ir/segments.h"

namespace seamfuzz {

// What one element may be: the oracle's set in plain data, since engines and oracle never meet;
// fuzz/ fills it in.
struct ScriptElement {
  Scalar low = {.i = 0};  // low > high: no number is permitted
  Scalar high = {.i = 0};
  bool nan = false;         // NaN is permitted too
  bool any = false;         // everything is
  std::vector<Scalar> set;  // not empty: one of these (low and high are then ignored)
};
struct ScriptTensor {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<ScriptElement> elements;
};
// One tensor for each effect: an output's elements, or what the updated input holds after the call.
using ScriptCall = std::vector<ScriptTensor>;
// The calls that the script makes and judges, in order; the later ones start from the storages that
// the earlier ones left.
struct ScriptExpectation {
  std::vector<ScriptCall> monolithic;
  std::vector<ScriptCall> segmented;
  const std::vector<ScriptCall>& of(Mode mode) const {
    return mode == Mode::kMonolithic ? monolithic : segmented;
  }
};

// How one target spells ops and dtypes.
struct ScriptDialect {
  std::string_view target;            // "torch"
  std::string_view OpRow::*op;        // the text column
  std::string_view DTypeRow::*dtype;  // the dtype column
  std::string_view dtype_prefix;      // "torch."
  std::string_view cast;              // "{0}.to({dtype})": a tensor operand that promotes, for {t0}
  std::string_view wrap;  // "torch.tensor({0}, dtype={dtype}, device=device)": a literal, for {t0}
  // The language computes an op on f16 and bf16 in f32 and rounds once (op.h). Where the target
  // would round inside an op (a scan, the parts of silu), the script asks for f32 in so many words.
  bool widens = false;
};
extern const ScriptDialect kTorchDialect, kJaxDialect, kTinygradDialect, kNvfuserDialect;

// The graph that a script spells: composites without text of their own replaced by their
// definitions.
Graph ScriptGraph(const Graph& graph, const ScriptDialect& dialect);
// Why the dialect cannot spell the graph ("tinygrad has no op fmod"), or empty.
std::string Unspeakable(const Graph& graph, const ScriptDialect& dialect);
// A Python name for each node: its own, with "_" behind it where Python or the script has the name
// already.
std::vector<std::string> PythonNames(const Graph& graph);
// The expression of a node that is no input: "torch.relu(T0)". The graph must be speakable.
std::string OpExpression(const Graph& graph, ValueId v, const std::vector<std::string>& names,
                         const ScriptDialect& dialect);
std::string DTypeExpression(DType dtype, const ScriptDialect& dialect);  // "torch.float32"
// "3", "-0.5", "float('inf')", "True": reads back to the same value.
std::string PythonNumber(Scalar value, DType dtype);
std::string PythonList(const IntList& list);  // "[2, 3]"

// Whose memory each value is or may view in an imperative target, as nodes: itself where it is
// certainly new. Moves, casts (to the same dtype) and cuts may pass memory on.
std::vector<std::vector<ValueId>> MayView(const Graph& graph);

// The lane's value, or `fallback` where the case has none.
std::string LaneOf(const Case& c, std::string_view lane, std::string_view fallback);

std::string ScriptHeader(const Case& c, std::string_view what);
// LANES, STORAGES (guard zones included), VIEWS and EFFECTS.
std::string ScriptTables(const Case& c);
std::string ScriptMain(const Case& c, const ScriptExpectation& expectation);

}  // namespace seamfuzz
