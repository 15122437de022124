// Looks up once what every lane of an instruction shares.
#include "engine/sim/compile.h"

#include <algorithm>

#include "engine/sim/mapping.h"

namespace seamfuzz {
namespace {

// A load or a store of a phase.
struct Touch {
  CompiledLoop* loop;
  Step* step;
};

bool Stores(const Touch& touch) { return touch.step->code == Opcode::kStore; }

// Instances of the same number run on the same thread.
bool SameThreads(const Loop& a, const Loop& b) {
  if (&a == &b) return true;
  if (a.map != b.map || a.order != b.order || a.team != b.team || a.parts != b.parts) return false;
  return a.outer == b.outer || (a.order == LoopChoice::kRowMajor && a.instances() == b.instances());
}

// All accesses of one memory in a phase are at the same element in the same instance of the same
// thread, or there is one store only: no thread can see another one's store.
bool IsPrivate(const std::vector<Touch>& touches) {
  if (touches.size() == 1) return true;
  const Touch& first = touches[0];
  return std::all_of(touches.begin(), touches.end(), [&](const Touch& touch) {
    return touch.step->position == kLoopIndex && touch.step->places == first.step->places &&
           touch.step->value_dtype == first.step->value_dtype &&
           SameThreads(*touch.loop->loop, *first.loop->loop);
  });
}

// Different instances touch different elements, as can be seen without looking at each.
bool IsInjective(const std::vector<Touch>& touches) {
  return std::all_of(touches.begin(), touches.end(), [](const Touch& touch) {
    return touch.step->position == kLoopIndex && touch.step->places.table == nullptr;
  });
}

class Compiling {
 public:
  explicit Compiling(const Program& program) : program_(program) {
    compiled_.tables = std::make_unique<AccessTables>(program);
    compiled_.overlap = OverlapOf(program);
  }

  CompiledProgram Run() {
    for (size_t k = 0; k < program_.kernels.size(); ++k) {
      for (const Phase& phase : program_.kernels[k].phases) {
        if (!phase.loops.empty())
          compiled_.phases.push_back(CompilePhase(static_cast<int>(k), phase));
      }
    }
    return std::move(compiled_);
  }

 private:
  CompiledPhase CompilePhase(int kernel, const Phase& phase) {
    CompiledPhase compiled{
        .kernel = kernel, .threads = program_.kernels[kernel].threads, .loops = {}};
    for (const Loop& loop : phase.loops) compiled.loops.push_back(CompileLoop(loop));
    for (size_t m = 0; m < program_.memories.size(); ++m) MarkMemory(static_cast<int>(m), compiled);
    for (CompiledLoop& loop : compiled.loops) {
      if (loop.logged) loop.threads = ThreadsOf(*loop.loop, compiled.threads);
    }
    return compiled;
  }

  // Whether the order of threads matters for what they find in this memory, and whether its
  // accesses are logged.
  void MarkMemory(int memory, CompiledPhase& compiled) {
    touches_.clear();
    for (CompiledLoop& loop : compiled.loops) {
      for (Step& step : loop.steps) {
        if (step.memory == memory) touches_.push_back({&loop, &step});
      }
    }
    if (touches_.empty()) return;
    const bool meets =
        !compiled_.overlap.memories.empty() && compiled_.overlap.memories[memory] != 0;
    if (std::any_of(touches_.begin(), touches_.end(), Stores)) {
      const bool is_private = IsPrivate(touches_);
      compiled.order_matters = compiled.order_matters || !is_private;
      if (!meets && is_private && IsInjective(touches_)) return;
    } else if (!meets) {
      return;
    }
    for (const Touch& touch : touches_) touch.step->logged = touch.loop->logged = true;
  }

  CompiledLoop CompileLoop(const Loop& loop) {
    CompiledLoop compiled{.loop = &loop};
    compiled.steps.reserve(loop.body.size());
    compiled.first_store = static_cast<int>(loop.body.size());
    for (size_t i = 0; i < loop.body.size(); ++i) {
      const int at = static_cast<int>(i);
      if (loop.body[i].code == Opcode::kCombine) compiled.combine = at;
      if (loop.body[i].code == Opcode::kStore)
        compiled.first_store = std::min(compiled.first_store, at);
      compiled.steps.push_back(CompileStep(loop, loop.body[i], at));
    }
    return compiled;
  }

  Step CompileStep(const Loop& loop, const Instruction& instruction, int target) {
    const Graph& graph = program_.graph;
    Step step{.code = instruction.code,
              .dtype = instruction.dtype,
              .value_dtype = instruction.value_dtype};
    if (instruction.node != kNoValue) step.node = &graph.node(instruction.node);
    step.position = instruction.position;
    step.target = target;
    step.arity = instruction.count;
    for (int k = 0; k < step.arity; ++k) step.operands[k] = loop.operands[instruction.first + k];
    step.constant = instruction.constant;
    step.buffer = instruction.buffer;
    if (instruction.buffer >= 0) {
      const Buffer& buffer = program_.buffers[instruction.buffer];
      step.memory = buffer.memory;
      step.value_dtype = buffer.dtype;
      step.places = compiled_.tables->Bytes(instruction.access, instruction.buffer);
      step.repeats = loop.kind == LoopKind::kScatter;
      step.site = static_cast<int>(compiled_.sites.size());
      compiled_.sites.push_back({&loop, &instruction});
    } else if (instruction.access >= 0) {
      step.places = compiled_.tables->Positions(instruction.access);
    }
    if (instruction.code == Opcode::kApply) {
      step.evaluated = EvaluatedDType(step.node->row(), step.value_dtype);
      for (int k = 0; k < step.arity; ++k) {
        const Operand& operand = step.node->operands[k];
        step.from[k] = operand.is_literal() ? step.value_dtype : graph.type(operand.value).dtype;
        step.converts = step.converts || step.from[k] != step.value_dtype;
      }
    }
    if (instruction.code == Opcode::kSelect)
      step.taken = &program_.places[instruction.node].operand;
    if (instruction.code == Opcode::kPosition) {
      step.space = &program_.accesses[instruction.access].to;
      step.data = &graph.type(step.node->operands[0].value).shape;
    }
    return step;
  }

  const Program& program_;
  std::vector<Touch> touches_;  // of the memory in work
  CompiledProgram compiled_;
};

}  // namespace

CompiledProgram Compile(const Program& program) { return Compiling(program).Run(); }

}  // namespace seamfuzz
