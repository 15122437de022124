// Grid-stride, reversed, blocked and vectorized mappings over row-major or column-major instance
// numbers.
#include "engine/sim/mapping.h"

#include <algorithm>
#include <map>

namespace seamfuzz {
namespace {

struct Slot {
  int thread;
  int step;
};

int WidthOf(MapChoice map) {
  switch (map) {
    case MapChoice::kVector2:
      return 2;
    case MapChoice::kVector4:
      return 4;
    case MapChoice::kVector8:
      return 8;
    default:
      return 1;
  }
}

Slot SlotOf(int64_t number, int64_t count, int64_t teams, MapChoice map) {
  if (map == MapChoice::kBlocked) {
    const int64_t run = (count + teams - 1) / teams;
    return {static_cast<int>(number / run), static_cast<int>(number % run)};
  }
  if (map == MapChoice::kReversed) number = count - 1 - number;
  number /= WidthOf(map);
  return {static_cast<int>(number % teams), static_cast<int>(number / teams)};
}

// The loop-order number of each instance.
std::vector<int32_t> NumbersOf(const Loop& loop) {
  std::vector<int32_t> numbers(static_cast<size_t>(loop.instances()));
  const bool columns =
      loop.order == LoopChoice::kColumnMajor && loop.parts == 1 && loop.outer.size() > 1;
  if (!columns || numbers.empty()) {
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
    return numbers;
  }
  Strides strides = loop.outer;
  int64_t step = 1;
  for (int d = 0; d < strides.size(); ++d) {
    strides[d] = step;
    step *= loop.outer[d];
  }
  IntList index = IntList::Filled(loop.outer.size(), 0);
  for (int32_t& number : numbers) {
    number = static_cast<int32_t>(Dot(index, strides));
    NextIndex(index, loop.outer);
  }
  return numbers;
}

std::vector<Slot> SlotsOf(const Loop& loop, int threads) {
  const int64_t count = loop.instances();
  const int64_t teams = std::max(1, threads / loop.team);
  std::vector<Slot> slots;
  slots.reserve(static_cast<size_t>(count));
  for (int32_t number : NumbersOf(loop)) slots.push_back(SlotOf(number, count, teams, loop.map));
  return slots;
}

}  // namespace

std::vector<int32_t> ThreadsOf(const Loop& loop, int threads) {
  std::vector<int32_t> result;
  result.reserve(static_cast<size_t>(loop.instances()));
  for (const Slot& slot : SlotsOf(loop, threads)) result.push_back(slot.thread * loop.team);
  return result;
}

std::vector<Unit> UnitsOf(const Loop& loop, int threads) {
  std::map<std::pair<int, int>, Unit> units;
  int32_t instance = 0;
  for (const Slot& slot : SlotsOf(loop, threads)) {
    Unit& unit = units[{slot.step, slot.thread}];
    unit.thread = slot.thread * loop.team;
    unit.step = slot.step;
    unit.instances.push_back(instance++);
  }
  std::vector<Unit> result;
  result.reserve(units.size());
  for (auto& [key, unit] : units) result.push_back(std::move(unit));
  return result;
}

}  // namespace seamfuzz
