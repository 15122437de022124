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
  std::string name;  // "T4", "T0 <- T2"
  std::string text;  // "T4 = add(T3, T1)", "T0 <- T2"
};
Purpose PurposeOf(const Program& program, ValueId v) {
  return {program.graph.node(v).name, PrintNode(program.graph, v)};
}

// The update that a store belongs to, else the node whose value it is.
Purpose WrittenFor(const Program& program, const Instruction& store) {
  const ValueId value = program.buffers[store.buffer].value;
  if (program.graph.is_input(value)) {
    for (const Effect& effect : program.graph.effects()) {
      if (effect.target != value) continue;
      const std::string text = PrintEffect(program.graph, effect);
      return {text, text};
    }
  }
  return PurposeOf(program, store.node);
}

// The first op of the loop that takes the loaded register.
Purpose ReadFor(const Program& program, const Loop& loop, const Instruction& load) {
  const int reg = static_cast<int>(&load - loop.body.data());
  for (const Instruction& user : loop.body) {
    const auto first = loop.operands.begin() + user.first;
    if (user.node == kNoValue || std::find(first, first + user.count, reg) == first + user.count)
      continue;
    return user.code == Opcode::kStore ? WrittenFor(program, user) : PurposeOf(program, user.node);
  }
  return PurposeOf(program, load.node);
}

Purpose PurposeOf(const Program& program, const CompiledProgram& compiled, const Accessor& by,
                  bool stores) {
  const auto [loop, instruction] = compiled.sites[by.site];
  return stores ? WrittenFor(program, *instruction) : ReadFor(program, *loop, *instruction);
}

std::string AccessText(const Program& program, const CompiledProgram& compiled, const Accessor& by,
                       bool stores, int kernel) {
  const std::string where = program.kernels.size() > 1 ? fmt::format(" of kernel {}", kernel) : "";
  return fmt::format("thread {}{} {} {} for {}", by.thread, where, stores ? "writes" : "reads",
                     ElementText(program, *compiled.sites[by.site].second, by.index),
                     PurposeOf(program, compiled, by, stores).text);
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
          .first = AccessText(program, compiled, conflict.first, conflict.first_stores,
                              conflict.first_kernel),
          .second = AccessText(program, compiled, conflict.second, conflict.second_stores,
                               conflict.second_kernel),
          .first_for = PurposeOf(program, compiled, conflict.first, conflict.first_stores).name,
          .second_for = PurposeOf(program, compiled, conflict.second, conflict.second_stores).name,
          .order = OrderText(conflict, schedule)};
}

}  // namespace seamfuzz
