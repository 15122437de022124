// The lowered form: what the planner makes of a case, the simulator runs and a printer writes as
// CUDA. Symbolic: an access is a chain of placements from a loop's index to an element of a value,
// never a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/case/case.h"
#include "generator/ir/graph.h"
#include "generator/ir/index_map.h"
#include "generator/ir/segments.h"

namespace seamfuzz {

// ---- Memory
// ---------------------------------------------------------------------------------------------------------

enum class MemoryKind : uint8_t { kStorage, kOutput, kTemporary };

// One allocation. Storages of inputs come first, in the order of Storages(graph).
struct Memory {
  MemoryKind kind = MemoryKind::kTemporary;
  int index = 0;      // the storage's position, the effect, or the slot
  int64_t bytes = 0;  // guard zones not counted
  int granule =
      8;  // bytes of the smallest element that any buffer in it holds: the unit of race detection
};

// A typed view of a memory: what loads and stores name.
struct Buffer {
  int memory = -1;
  ValueId value = kNoValue;  // the value whose elements it holds
  DType dtype = DType::kF32;
  Shape shape;
  Strides strides;        // in elements
  int64_t offset = 0;     // in bytes
  int alias = -1;         // planning: shares the memory of this buffer
  bool snapshot = false;  // holds an input's entry value
  // Positions go through this access first (a value kept unexpanded); -1: they are positions of
  // `shape`.
  int through = -1;
};

// ---- Accesses
// -------------------------------------------------------------------------------------------------------

// How one placement leads from a position to the next.
enum class StepKind : uint8_t {
  kRoot,  // the identity over `to`, the space it starts from
  kAxes,  // `map`, from a loop's space (kept dims, then combined dims) to an operand of a Reduce,
          // Scan or Contract
  kBroadcast,  // from an elementwise node's result to its operand
  kMove,       // from a Move node's result to its operand
  kIndexAt,    // from the iteration space of an Index node to its index operand
};

struct Access {
  StepKind kind = StepKind::kRoot;
  int parent = -1;
  ValueId node = kNoValue;
  int operand = 0;
  Shape from;                    // the shape that the step is applied to (kRoot, kAxes: the space)
  Shape to;                      // the shape that positions of the result belong to
  std::optional<AffineMap> map;  // kAxes only
};

// ---- Instructions
// ---------------------------------------------------------------------------------------------------

enum class Opcode : uint8_t {
  kLoad,      // register = buffer[access]
  kConstant,  // register = constant
  kGenerate,  // register = row.generate(access)
  kApply,     // register = row.evaluate(operands), rounded to `dtype`
  kConvert,   // register = operand rounded to `value_dtype`, converted to `dtype`
  kSelect,    // register = the operand that the Move node takes at this place, or its fill
  kPosition,  // register = position in operand 0 of the Index node, from the index in the operand
              // register
  kCombine,   // register = operand combined over the loop's inner extent
  kStore,     // buffer[access] = operand
};

inline constexpr int kLoopIndex = -1;

struct Instruction {
  Opcode code = Opcode::kLoad;
  DType dtype = DType::kF32;  // of the register: f32 where a narrow float keeps excess precision
  DType value_dtype = DType::kF32;  // of the value in the graph
  ValueId node = kNoValue;          // the value that it computes, loads or stores
  int access = -1;
  int position = kLoopIndex;  // what the access starts from: the loop's index or a register that
                              // holds a position
  int first = 0;              // operand registers: loop.operands[first, first + count)
  int count = 0;
  int buffer = -1;
  Scalar constant = {.i = 0};
};

// ---- Loops, phases, kernels
// -----------------------------------------------------------------------------------------

enum class LoopKind : uint8_t { kMap, kScatter, kReduce, kScan };

// A loop maps its instances onto threads. kMap, kScatter: one instance for each index of `space`.
// kReduce, kScan: one for each index of the outer dims, which combines `inner` elements with a team
// of threads.
struct Loop {
  LoopKind kind = LoopKind::kMap;
  Shape space;  // outer dims, then the combined ones
  Shape outer;  // the space without the combined dims
  int64_t inner = 1;
  int parts = 1;  // partial results for each outer index (two-pass: the first pass)
  int team = 1;   // threads that work on one instance
  ReduceChoice strategy = ReduceChoice::kSerial;
  MapChoice map = MapChoice::kForward;
  LoopChoice order = LoopChoice::kRowMajor;
  std::vector<Instruction> body;  // an instruction's register is its position; stores have none
  std::vector<int> operands;
  // Instances of the outer dims that a thread team takes in turn.
  int64_t instances() const { return NumElements(outer) * parts; }
};

// Loops of one phase run without an order between threads; a grid-wide barrier ends the phase.
struct Phase {
  std::vector<Loop> loops;
};

enum class KernelRole : uint8_t { kSegment, kCopy, kSnapshot, kCommit };

struct Kernel {
  KernelRole role = KernelRole::kSegment;
  std::vector<int> segments;  // of the case, those that it runs
  std::vector<Phase> phases;
  int threads = 0;  // block * grid
  int stream = 0;
  std::vector<int>
      waits;  // earlier kernels that it waits for by event (other streams) or by its stream
};

enum class CommitStrategy : uint8_t {
  kDirect,    // stored where the value is computed: L1 holds in that kernel
  kDeferred,  // kept in a temporary and stored behind the last reader
  kSnapshot,  // stored where it is computed; readers read a copy of the old value
};

struct CommitFact {
  int effect = 0;
  CommitStrategy strategy = CommitStrategy::kDirect;
  int kernel = -1;  // -1: never committed (a planted fault)
  int phase = 0;
};

struct Program {
  Mode mode = Mode::kMonolithic;
  Graph graph;  // without composites
  std::vector<Memory> memories;
  std::vector<Buffer> buffers;
  std::vector<Access> accesses;
  std::vector<PlaceTable> places;   // for each Move node that is lowered; others empty
  std::vector<Kernel> kernels;      // in program order
  std::vector<CommitFact> commits;  // one for each update, in effect order
  std::vector<int>
      output_buffers;  // for each effect the buffer that holds the output; -1 for updates
  int block = 1;
};

// The shape that an access starts from.
const Shape& SpaceOf(const Program& program, int access);
// The closed form of an access, from its space to positions of the value; nullopt when there is
// none.
std::optional<AffineMap> ClosedForm(const Program& program, int access);
// The access by enumeration: for each row-major position of its space the position in the value, or
// -1 where a Move takes another operand. `parent` is the table of the parent access; not looked at
// where that is kRoot or there is none.
std::vector<int32_t> EnumerateStep(const Program& program, int access,
                                   const std::vector<int32_t>& parent);
std::vector<int32_t> EnumerateAccess(const Program& program, int access);
// offset + scale * strides * index, for each row-major index of the shape.
std::vector<int32_t> EnumerateStrided(const Shape& shape, const Strides& strides, int64_t offset,
                                      int64_t scale);

std::string_view CommitName(CommitStrategy strategy);
// Kernels, phases and loops with their loads and stores, then the commits; for a person.
std::string Text(const Program& program);

}  // namespace seamfuzz
