// One function for each opcode.
#include "engine/sim/lanes.h"

#include <cmath>
#include <cstring>

#include "engine/sim/mapping.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

Scalar* RegisterOf(const Lanes& lanes, int reg) {
  return lanes.registers + static_cast<int64_t>(reg) * lanes.stride;
}

// Calls visit(lane, place) for each lane, place as step.places gives it.
template <typename Visit>
void ForPlaces(const Step& step, const Lanes& lanes, const Visit& visit) {
  if (step.position != kLoopIndex) {
    const Scalar* position = RegisterOf(lanes, step.position);
    for (int j = 0; j < lanes.count; ++j)
      visit(j, position[j].i < 0 ? -1 : step.places.at(position[j].i));
  } else if (step.places.table != nullptr) {
    for (int j = 0; j < lanes.count; ++j)
      visit(j, static_cast<int64_t>(step.places.table[lanes.index[j]]));
  } else {
    for (int j = 0; j < lanes.count; ++j)
      visit(j, step.places.base + lanes.index[j] * step.places.step);
  }
}

// What a fault or a witness calls the index of a lane's access.
int32_t IndexOf(const Step& step, const Lanes& lanes, int j) {
  if (step.position == kLoopIndex) return lanes.index[j];
  return static_cast<int32_t>(RegisterOf(lanes, step.position)[j].i);
}

template <DType kDType>
void LoadAll(const Step& step, const Lanes& lanes, const std::byte* memory, Scalar* out) {
  ForPlaces(step, lanes, [&](int j, int64_t byte) {
    out[j] = byte < 0 ? Scalar{.i = 0} : Load(memory + byte, kDType);
  });
}

template <DType kDType>
void StoreAll(const Step& step, const Lanes& lanes, std::byte* memory, const Scalar* value) {
  ForPlaces(step, lanes, [&](int j, int64_t byte) {
    if (byte >= 0) Store(memory + byte, kDType, value[j]);
  });
}

// Calls f.template operator()<kDType>() for a dtype.
template <typename F>
void ByDType(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kBool:
      return f.template operator()<DType::kBool>();
    case DType::kI8:
      return f.template operator()<DType::kI8>();
    case DType::kI32:
      return f.template operator()<DType::kI32>();
    case DType::kI64:
      return f.template operator()<DType::kI64>();
    case DType::kF16:
      return f.template operator()<DType::kF16>();
    case DType::kBF16:
      return f.template operator()<DType::kBF16>();
    case DType::kF32:
      return f.template operator()<DType::kF32>();
    case DType::kF64:
      return f.template operator()<DType::kF64>();
  }
}

// Planted (wrong-rounding): toward zero instead of to the nearest.
Scalar TowardZero(DType dtype, Scalar value) {
  const Scalar rounded = Round(dtype, value);
  if (!(std::fabs(rounded.f) > std::fabs(value.f))) return rounded;
  std::array<std::byte, 8> bytes = {};
  Store(bytes.data(), dtype, rounded);
  uint16_t bits;
  std::memcpy(&bits, bytes.data(), sizeof(bits));
  --bits;
  std::memcpy(bytes.data(), &bits, sizeof(bits));
  return Load(bytes.data(), dtype);
}

void RunLoad(const Step& step, const Lanes& lanes, Scalar* out, Machine& machine) {
  const std::byte* memory = machine.memory[step.memory];
  ByDType(step.value_dtype, [&]<DType kDType>() { LoadAll<kDType>(step, lanes, memory, out); });
  if (!step.logged) return;
  const int bytes = Row(step.value_dtype).bytes;
  ForPlaces(step, lanes, [&](int j, int64_t byte) {
    if (byte >= 0)
      machine.shadow->Load(step.memory, byte, bytes,
                           {lanes.thread[j], step.site, IndexOf(step, lanes, j)});
  });
}

void RunStore(const Step& step, const Lanes& lanes, Machine& machine) {
  if (step.skipped) return;
  const Scalar* value = RegisterOf(lanes, step.operands[0]);
  std::byte* memory = machine.memory[step.memory];
  if (machine.Has(Fault::kWrongRounding) && IsNarrowFloat(step.dtype)) {
    ForPlaces(step, lanes, [&](int j, int64_t byte) {
      if (byte >= 0) Store(memory + byte, step.dtype, TowardZero(step.dtype, value[j]));
    });
  } else {
    ByDType(step.dtype, [&]<DType kDType>() { StoreAll<kDType>(step, lanes, memory, value); });
  }
  if (!step.logged) return;
  const int bytes = Row(step.dtype).bytes;
  ForPlaces(step, lanes, [&](int j, int64_t byte) {
    if (byte < 0) return;
    machine.shadow->Store(step.memory, byte, bytes,
                          {lanes.thread[j], step.site, IndexOf(step, lanes, j)}, step.repeats);
  });
}

// The result of each lane's evaluation, finished: rounded or converted to the register's dtype.
template <int kArity, typename Finish>
void EvaluatePlain(const Step& step, const Lanes& lanes, Scalar* out, const Finish& finish) {
  const auto evaluate = step.node->row().evaluate;
  const DType dtype = step.value_dtype;
  std::array<const Scalar*, kArity> operands;
  for (int k = 0; k < kArity; ++k) operands[k] = RegisterOf(lanes, step.operands[k]);
  std::array<Scalar, kArity> values;
  for (int j = 0; j < lanes.count; ++j) {
    for (int k = 0; k < kArity; ++k) values[k] = operands[k][j];
    out[j] = finish(evaluate(values, dtype));
  }
}

template <typename Finish>
void Evaluate(const Step& step, const Lanes& lanes, Scalar* out, const Finish& finish) {
  if (!step.converts && step.arity == 1) return EvaluatePlain<1>(step, lanes, out, finish);
  if (!step.converts && step.arity == 2) return EvaluatePlain<2>(step, lanes, out, finish);
  const auto evaluate = step.node->row().evaluate;
  std::array<Scalar, kMaxArity> values;
  const std::span<const Scalar> arguments(values.data(), static_cast<size_t>(step.arity));
  for (int j = 0; j < lanes.count; ++j) {
    for (int k = 0; k < step.arity; ++k) {
      values[k] = RegisterOf(lanes, step.operands[k])[j];
      if (step.from[k] != step.value_dtype) {
        values[k] = Convert(values[k], step.from[k], step.value_dtype);
      }
    }
    out[j] = finish(evaluate(arguments, step.value_dtype));
  }
}

void RunApply(const Step& step, const Lanes& lanes, Scalar* out, const Machine& machine) {
  if (step.node->row().form == Form::kContract) {
    const Scalar* a = RegisterOf(lanes, step.operands[0]);
    const Scalar* b = RegisterOf(lanes, step.operands[1]);
    for (int j = 0; j < lanes.count; ++j) out[j] = Round(step.dtype, FloatScalar(a[j].f * b[j].f));
    return;
  }
  const DType evaluated = step.evaluated;
  const bool casts = step.node->row().types == TypeRule::kCast;
  if (casts && machine.Has(Fault::kTruncatingCast) && !IsFloat(step.dtype)) {
    Evaluate(step, lanes, out, [&](Scalar value) {
      return Convert(Convert(value, evaluated, DType::kI8), DType::kI8, step.dtype);
    });
  } else if (casts && machine.Has(Fault::kWrongRounding) && IsNarrowFloat(step.dtype) &&
             IsFloat(evaluated)) {
    Evaluate(step, lanes, out, [&](Scalar value) { return TowardZero(step.dtype, value); });
  } else if (evaluated != step.dtype && !(IsFloat(evaluated) && IsFloat(step.dtype))) {
    Evaluate(step, lanes, out, [&](Scalar value) { return Convert(value, evaluated, step.dtype); });
  } else {
    ByDType(step.dtype, [&]<DType kDType>() {
      Evaluate(step, lanes, out, [](Scalar value) { return Round(kDType, value); });
    });
  }
}

void RunPosition(const Step& step, const Lanes& lanes, Scalar* out, Machine& machine) {
  const Scalar* index = RegisterOf(lanes, step.operands[0]);
  const auto resolve = step.node->row().resolve;
  ForPlaces(step, lanes, [&](int j, int64_t place) {
    out[j].i = -1;
    if (place < 0) return;
    const IntList at = resolve(Unravel(place, *step.space), index[j].i, step.node->attrs);
    for (int d = 0; d < at.size(); ++d) {
      if (at[d] >= 0 && at[d] < (*step.data)[d]) continue;
      machine.illegal_address = true;
      return;
    }
    out[j].i = Ravel(at, *step.data);
  });
}

// One step of a combination: the row's, or the sum of a matmul's products.
Scalar Combined(const OpRow& row, DType accumulator, Scalar a, Scalar b) {
  const Scalar both =
      row.combine != nullptr ? row.combine(a, b, accumulator) : FloatScalar(a.f + b.f);
  return Round(accumulator, both);
}
Scalar Neutral(const OpRow& row, DType accumulator) {
  return row.identity != nullptr ? row.identity(accumulator) : FloatScalar(0);
}

constexpr int kMaxTeam = 1024;  // threads of a block

}  // namespace

void RunStep(const Step& step, const Lanes& lanes, Machine& machine) {
  if (step.code == Opcode::kStore) return RunStore(step, lanes, machine);
  Scalar* out = RegisterOf(lanes, step.target);
  switch (step.code) {
    case Opcode::kLoad:
      return RunLoad(step, lanes, out, machine);
    case Opcode::kConstant:
      for (int j = 0; j < lanes.count; ++j) out[j] = step.constant;
      return;
    case Opcode::kGenerate:
      ForPlaces(step, lanes, [&](int j, int64_t place) {
        out[j] = place < 0 ? Scalar{.i = 0}
                           : step.node->row().generate(place, step.node->type, step.node->attrs);
      });
      return;
    case Opcode::kApply:
      return RunApply(step, lanes, out, machine);
    case Opcode::kConvert: {
      const Scalar* value = RegisterOf(lanes, step.operands[0]);
      for (int j = 0; j < lanes.count; ++j)
        out[j] = Convert(value[j], step.value_dtype, step.dtype);
      return;
    }
    case Opcode::kSelect:
      ForPlaces(step, lanes, [&](int j, int64_t place) {
        const int taken = place < 0 ? -1 : (*step.taken)[place];
        out[j] = taken < 0 ? step.constant : RegisterOf(lanes, step.operands[taken])[j];
      });
      return;
    case Opcode::kPosition:
      return RunPosition(step, lanes, out, machine);
    case Opcode::kCombine:
    case Opcode::kStore:
      CHECK(false);
  }
}

Scalar CombineTeam(const Loop& loop, const OpRow& row, DType accumulator,
                   std::span<const Scalar> values, const Machine& machine) {
  // Planted (dropped-element): the tail of an odd count is lost.
  if (machine.Has(Fault::kDroppedElement) && values.size() > 1 && values.size() % 2 == 1) {
    values = values.first(values.size() - 1);
  }
  if (values.empty()) return Neutral(row, accumulator);
  if (loop.team == 1) {
    Scalar sum = Round(accumulator, values[0]);
    for (size_t e = 1; e < values.size(); ++e) sum = Combined(row, accumulator, sum, values[e]);
    return sum;
  }
  std::array<Scalar, kMaxTeam> partial;
  for (int m = 0; m < loop.team; ++m) partial[m] = Neutral(row, accumulator);
  for (size_t e = 0; e < values.size(); ++e) {
    Scalar& mine =
        partial[MemberOf(loop, static_cast<int64_t>(e), static_cast<int64_t>(values.size()))];
    mine = Combined(row, accumulator, mine, values[e]);
  }
  if (loop.strategy == ReduceChoice::kWarpShuffle) {
    for (int distance = 1; distance < loop.team; distance *= 2) {
      for (int m = 0; m + distance < loop.team; m += 2 * distance) {
        partial[m] = Combined(row, accumulator, partial[m], partial[m + distance]);
      }
    }
    return partial[0];
  }
  int width = 1;
  while (width < loop.team) width *= 2;
  for (int half = width / 2; half > 0; half /= 2) {
    for (int m = 0; m < half && m + half < loop.team; ++m) {
      partial[m] = Combined(row, accumulator, partial[m], partial[m + half]);
    }
  }
  return partial[0];
}

void CombineScan(const OpRow& row, DType accumulator, std::span<Scalar> values,
                 const Machine& machine) {
  const size_t count = values.size();
  const bool drops = machine.Has(Fault::kDroppedElement) && count > 1 && count % 2 == 1;
  for (size_t e = 0; e < count; ++e) {
    if (e == 0) {
      values[e] = Round(accumulator, values[e]);
    } else {
      values[e] = drops && e + 1 == count ? values[e - 1]
                                          : Combined(row, accumulator, values[e - 1], values[e]);
    }
  }
}

}  // namespace seamfuzz
