// Finds the element and the op behind a site of the shadow.
#include "engine/sim/witness.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

std::string ElementText(const Program& program, const Instruction& access, int32_t index) {
  const Buffer& buffer = program.buffers[access.buffer];
  const std::string& name = program.graph.node(buffer.value).name;
  const std::vector<int32_t> places = EnumerateAccess(program, access.access);
  const int64_t position = places[static_cast<size_t>(index)];
  if (buffer.shape.empty()) return name;
  return name + Unravel(position, buffer.shape).Text();
}

// What an access is for: an update, or the node whose value it is.
struct Purpose {
  ValueId node;      // kNoValue: an update
  std::string name;  // "T4", "T0 <- T2"
  std::string text;  // "T4 = add(T3, T1)", "T0 <- T2"
};
Purpose PurposeOf(const Program& program, ValueId v) {
  return {v, program.graph.node(v).name, PrintNode(program.graph, v)};
}

// The update that a store belongs to, else the node whose value it is.
Purpose WrittenFor(const Program& program, const Instruction& store) {
  const ValueId value = program.buffers[store.buffer].value;
  if (program.graph.is_input(value)) {
    for (const Effect& effect : program.graph.effects()) {
      if (effect.target != value) continue;
      const std::string text = PrintEffect(program.graph, effect);
      return {kNoValue, text, text};
    }
  }
  return PurposeOf(program, store.node);
}

// The first op of the loop that computes with the loaded register: moves and conversions only hand
// it on. A gather does too, but where it stands before that op it is what reads.
Purpose ReadFor(const Program& program, const Loop& loop, const Instruction& load) {
  const ValueId gather = load.position == kLoopIndex ? kNoValue : loop.body[load.position].node;
  int reg = static_cast<int>(&load - loop.body.data());
  for (const Instruction& user : loop.body) {
    const auto first = loop.operands.begin() + user.first;
    if (std::find(first, first + user.count, reg) == first + user.count) continue;
    if (user.code == Opcode::kSelect || user.code == Opcode::kConvert) {
      reg = static_cast<int>(&user - loop.body.data());
      continue;
    }
    if (gather != kNoValue && (user.code == Opcode::kStore || user.node > gather)) break;
    if (user.code == Opcode::kStore) return WrittenFor(program, user);
    return PurposeOf(program, user.node);
  }
  return PurposeOf(program, gather != kNoValue ? gather : load.node);
}

// The moves of an access that lie before its purpose, which may itself be moved on inline.
std::vector<std::string> MovesOf(const Program& program, int access, const Purpose& purpose) {
  std::vector<std::string> moves;
  for (; access >= 0; access = program.accesses[access].parent) {
    const Access& step = program.accesses[access];
    if (step.kind == StepKind::kMove && (purpose.node == kNoValue || step.node <= purpose.node))
      moves.push_back(program.graph.node(step.node).name);
  }
  return moves;
}

RaceAccess Describe(const Program& program, const CompiledProgram& compiled, const Accessor& by,
                    bool stores, int kernel) {
  const auto [loop, instruction] = compiled.sites[by.site];
  const std::string where = program.kernels.size() > 1 ? fmt::format(" of kernel {}", kernel) : "";
  const Purpose purpose =
      stores ? WrittenFor(program, *instruction) : ReadFor(program, *loop, *instruction);
  const std::string element = ElementText(program, *instruction, by.index);
  return {.writes = stores,
          .text = fmt::format("thread {}{} {} {} for {}", by.thread, where,
                              stores ? "writes" : "reads", element, purpose.text),
          .element = element,
          .purpose = purpose.name,
          .through = MovesOf(program, instruction->access, purpose)};
}

std::string MemoryText(const Program& program, int number) {
  const Memory& memory = program.memories[number];
  if (memory.kind == MemoryKind::kStorage)
    return "storage " + Storages(program.graph)[memory.index].name;
  const auto buffer = std::find_if(program.buffers.begin(), program.buffers.end(),
                                   [number](const Buffer& b) { return b.memory == number; });
  const std::string& name = program.graph.node(buffer->value).name;
  return (memory.kind == MemoryKind::kOutput ? "output " : "temporary of ") + name;
}

std::string OrderText(const Conflict& conflict, const Schedule& schedule) {
  Schedule only;
  only.interleave = schedule.interleave;
  only.interleave_seed = schedule.interleave_seed;
  std::string order = ScheduleText(only);
  if (order.empty()) order = "interleave=forward";
  if (conflict.first_kernel != conflict.second_kernel) {
    return fmt::format("{}, kernel {} before kernel {} on another stream", order,
                       conflict.first_kernel, conflict.second_kernel);
  }
  return fmt::format("{}, thread {} before thread {}", order, conflict.first.thread,
                     conflict.second.thread);
}

}  // namespace

Race WitnessOf(const Conflict& conflict, const Program& program, const CompiledProgram& compiled,
               const Schedule& schedule) {
  return {.byte = conflict.byte,
          .memory = MemoryText(program, conflict.memory),
          .first = Describe(program, compiled, conflict.first, conflict.first_stores,
                            conflict.first_kernel),
          .second = Describe(program, compiled, conflict.second, conflict.second_stores,
                             conflict.second_kernel),
          .order = OrderText(conflict, schedule)};
}

}  // namespace seamfuzz
