// A Program for people: kernels, phases, loops with loads and stores, commits.
#include "generator/ir/text.h"

#include <fmt/format.h>

#include "engine/kernel/program.h"

namespace seamfuzz {
namespace {

std::string_view LoopName(LoopKind kind) {
  switch (kind) {
    case LoopKind::kMap:
      return "loop";
    case LoopKind::kScatter:
      return "scatter loop";
    case LoopKind::kReduce:
      return "reduce loop";
    case LoopKind::kScan:
      return "scan loop";
  }
  return "";
}

std::string_view RoleName(KernelRole role) {
  switch (role) {
    case KernelRole::kSegment:
      return "";
    case KernelRole::kCopy:
      return " (copy)";
    case KernelRole::kSnapshot:
      return " (snapshots)";
    case KernelRole::kCommit:
      return " (commit)";
  }
  return "";
}

std::string BufferText(const Program& program, int number) {
  const Buffer& buffer = program.buffers[number];
  const std::string& name = program.graph.node(buffer.value).name;
  const Memory& memory = program.memories[buffer.memory];
  if (buffer.snapshot) return fmt::format("old[{}]@slot{}", name, memory.index);
  switch (memory.kind) {
    case MemoryKind::kStorage:
      return name;
    case MemoryKind::kOutput:
      return fmt::format("out[{}]", name);
    case MemoryKind::kTemporary:
      return fmt::format("temp[{}]@slot{}", name, memory.index);
  }
  return name;
}

// "[i]", "[flip(T0) of i]", "[r3]": innermost step last.
std::string IndexText(const Program& program, const Instruction& instruction) {
  std::string index =
      instruction.position == kLoopIndex ? "i" : fmt::format("r{}", instruction.position);
  std::vector<std::string> steps;
  for (int a = instruction.access; a >= 0; a = program.accesses[a].parent) {
    const Access& step = program.accesses[a];
    if (step.kind == StepKind::kRoot) continue;
    const std::string& name = program.graph.node(step.node).name;
    std::string_view how = "";
    if (step.kind == StepKind::kBroadcast) how = "broadcast in ";
    if (step.kind == StepKind::kIndexAt) how = "index of ";
    if (step.kind == StepKind::kAxes) how = "axes of ";
    const std::string what =
        step.kind == StepKind::kMove ? PrintNode(program.graph, step.node) : name;
    steps.push_back(fmt::format("{}{}", how, what));
  }
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) index += " -> " + *step;
  return "[" + index + "]";
}

std::string OperandsText(const Loop& loop, const Instruction& instruction) {
  std::string text;
  for (int k = 0; k < instruction.count; ++k) {
    text += fmt::format("{}r{}", k == 0 ? "" : ", ", loop.operands[instruction.first + k]);
  }
  return text;
}

std::string InstructionText(const Program& program, const Loop& loop, int number) {
  const Instruction& instruction = loop.body[number];
  const std::string operands = OperandsText(loop, instruction);
  const std::string_view dtype = Row(instruction.dtype).name;
  const std::string name =
      instruction.node == kNoValue ? "" : program.graph.node(instruction.node).name;
  const auto op = [&] { return program.graph.node(instruction.node).row().name; };
  switch (instruction.code) {
    case Opcode::kLoad:
      return fmt::format("r{}: {} = {}{}", number, dtype, BufferText(program, instruction.buffer),
                         IndexText(program, instruction));
    case Opcode::kConstant:
      return fmt::format("r{}: {} = {}", number, dtype,
                         ScalarText(instruction.constant, instruction.dtype));
    case Opcode::kGenerate:
      return fmt::format("r{}: {} = {}{}  # {}", number, dtype, op(),
                         IndexText(program, instruction), name);
    case Opcode::kApply:
      return fmt::format("r{}: {} = {}({})  # {}", number, dtype, op(), operands, name);
    case Opcode::kConvert:
      return fmt::format("r{}: {} = round({})", number, dtype, operands);
    case Opcode::kSelect:
      return fmt::format("r{}: {} = {}({}){}  # {}", number, dtype, op(), operands,
                         IndexText(program, instruction), name);
    case Opcode::kPosition:
      return fmt::format("r{} = place {} in operand 0 of {}{}", number, operands, name,
                         IndexText(program, instruction));
    case Opcode::kCombine:
      return fmt::format("r{}: {} = combine({})  # {}", number, dtype, operands, name);
    case Opcode::kStore:
      return fmt::format("{}{} = {}", BufferText(program, instruction.buffer),
                         IndexText(program, instruction), operands);
  }
  return "";
}

}  // namespace

std::string_view CommitName(CommitStrategy strategy) {
  switch (strategy) {
    case CommitStrategy::kDirect:
      return "direct";
    case CommitStrategy::kDeferred:
      return "deferred";
    case CommitStrategy::kSnapshot:
      return "snapshot";
  }
  return "";
}

std::string Text(const Program& program) {
  std::string text;
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    const Kernel& kernel = program.kernels[k];
    text += fmt::format("kernel {}{} threads {} stream {}", k, RoleName(kernel.role),
                        kernel.threads, kernel.stream);
    for (size_t i = 0; i < kernel.segments.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " segments " : ",", kernel.segments[i]);
    }
    for (size_t i = 0; i < kernel.waits.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " after " : ",", kernel.waits[i]);
    }
    text += "\n";
    for (size_t p = 0; p < kernel.phases.size(); ++p) {
      if (p > 0) text += "  barrier\n";
      for (const Loop& loop : kernel.phases[p].loops) {
        text += fmt::format("  {} over {}", LoopName(loop.kind), loop.space.Text());
        if (loop.kind == LoopKind::kReduce)
          text += fmt::format(" team {} parts {}", loop.team, loop.parts);
        text += "\n";
        for (size_t i = 0; i < loop.body.size(); ++i) {
          text += "    " + InstructionText(program, loop, static_cast<int>(i)) + "\n";
        }
      }
    }
  }
  for (const CommitFact& commit : program.commits) {
    text += fmt::format("commit {}: {}",
                        PrintEffect(program.graph, program.graph.effects()[commit.effect]),
                        CommitName(commit.strategy));
    text += commit.kernel < 0
                ? " (never)\n"
                : fmt::format(" in kernel {}, phase {}\n", commit.kernel, commit.phase);
  }
  return text;
}

}  // namespace seamfuzz
