// See direct_commit.h.
#include "fuzz/direct_commit.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "engine/sim/tables.h"
#include "generator/ir/text.h"

namespace seamfuzz {
namespace {

// A loop's place in the program.
struct Where {
  int kernel;
  int phase;
  int loop;
};

constexpr int64_t kAnyInstance = -1;

// Who wrote a byte: an instance of a loop, at one of its instructions.
struct Writer {
  int loop;
  int64_t instance;
  int instruction;
};

// The instance that an index of the loop's space belongs to: combined dims are the inner ones.
int64_t InstanceOf(const Loop& loop, int64_t index) {
  return loop.inner > 0 ? index / loop.inner : index;
}

template <typename Act>
void EachInstruction(const Program& program, Act act) {
  for (int k = 0; k < static_cast<int>(program.kernels.size()); ++k) {
    const Kernel& kernel = program.kernels[k];
    for (int p = 0; p < static_cast<int>(kernel.phases.size()); ++p) {
      const Phase& phase = kernel.phases[p];
      for (int l = 0; l < static_cast<int>(phase.loops.size()); ++l) {
        const Loop& loop = phase.loops[l];
        for (int i = 0; i < static_cast<int>(loop.body.size()); ++i) {
          act(Where{k, p, l}, loop, i);
        }
      }
    }
  }
}

class Conflicts {
 public:
  Conflicts(const Program& program, const CommitFact& fact)
      : program_(program), fact_(fact), tables_(program) {
    const Effect& update = program.graph.effects()[fact.effect];
    memory_ = StorageOf(program.graph)[update.target];
    EachInstruction(program, [&](Where where, const Loop& loop, int i) {
      const Instruction& code = loop.body[i];
      if (code.code == Opcode::kStore && IsHere(where) && TouchesTarget(code)) {
        // A scatter writes where its data says, in any instance.
        const bool anywhere = code.position != kLoopIndex;
        EachByte(code, [&](int64_t index, int64_t byte) {
          written_[byte] = {where.loop, anywhere ? kAnyInstance : InstanceOf(loop, index), i};
        });
      }
    });
  }

  std::vector<std::string> Find() {
    std::vector<std::string> found;
    EachInstruction(program_, [&](Where where, const Loop& loop, int i) {
      const Instruction& code = loop.body[i];
      if (code.code != Opcode::kLoad || IsBefore(where) || !ReadsEntryValue(code)) return;
      std::optional<int64_t> byte;
      if (code.position != kLoopIndex) {
        // Anywhere in the buffer.
        if (!written_.empty()) byte = written_.begin()->first;
      } else {
        EachByte(code, [&](int64_t index, int64_t at) {
          const auto writer = written_.find(at);
          if (writer != written_.end() && !IsAllowed(where, loop, i, index, writer->second)) {
            byte = at;
          }
        });
      }
      if (byte) {
        found.push_back(fmt::format(
            "{} is committed directly in kernel {} phase {}, and byte {} of it is read for {} in "
            "kernel {} phase {}",
            PrintEffect(program_.graph, program_.graph.effects()[fact_.effect]), fact_.kernel,
            fact_.phase, *byte, program_.graph.node(code.node).name, where.kernel, where.phase));
      }
    });
    return found;
  }

 private:
  bool IsHere(Where where) const {
    return where.kernel == fact_.kernel && where.phase == fact_.phase;
  }
  bool IsBefore(Where where) const {
    return where.kernel < fact_.kernel ||
           (where.kernel == fact_.kernel && where.phase < fact_.phase);
  }
  bool TouchesTarget(const Instruction& code) const {
    return program_.buffers[code.buffer].memory == memory_;
  }
  bool ReadsEntryValue(const Instruction& code) const {
    const Buffer& buffer = program_.buffers[code.buffer];
    return TouchesTarget(code) && !buffer.snapshot && program_.graph.is_input(buffer.value);
  }
  // The instance itself, before it writes.
  bool IsAllowed(Where where, const Loop& loop, int instruction, int64_t index,
                 const Writer& writer) const {
    return IsHere(where) && where.loop == writer.loop &&
           InstanceOf(loop, index) == writer.instance && instruction < writer.instruction;
  }

  template <typename Act>
  void EachByte(const Instruction& code, Act act) {
    const Places places = tables_.Bytes(code.access, code.buffer);
    const int64_t width = Row(program_.buffers[code.buffer].dtype).bytes;
    for (int64_t index = 0; index < places.size; ++index) {
      const int64_t first = places.at(index);
      for (int64_t b = 0; first >= 0 && b < width; ++b) act(index, first + b);
    }
  }

  const Program& program_;
  const CommitFact& fact_;
  AccessTables tables_;
  int memory_ = -1;  // storages come first among the memories, in the order of Storages(graph)
  std::map<int64_t, Writer> written_;
};

}  // namespace

std::vector<std::string> DirectCommitConflicts(const Program& program) {
  std::vector<std::string> found;
  for (const CommitFact& fact : program.commits) {
    if (fact.strategy != CommitStrategy::kDirect || fact.kernel < 0) continue;
    for (std::string& conflict : Conflicts(program, fact).Find()) {
      found.push_back(std::move(conflict));
    }
  }
  return found;
}

}  // namespace seamfuzz
