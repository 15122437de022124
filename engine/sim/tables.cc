// Identities over contiguous memory stay closed forms; everything else is enumerated.
#include "engine/sim/tables.h"

namespace seamfuzz {

bool operator==(const Places& a, const Places& b) {
  if (a.size != b.size) return false;
  if (a.table == b.table && (a.table != nullptr || (a.base == b.base && a.step == b.step)))
    return true;
  for (int64_t i = 0; i < a.size; ++i) {
    if (a.at(i) != b.at(i)) return false;
  }
  return true;
}

AccessTables::AccessTables(const Program& program)
    : program_(program), tables_(program.accesses.size()), made_(program.accesses.size(), false) {}

const std::vector<int32_t>& AccessTables::Table(int access) {
  if (!made_[access]) {
    const int parent = program_.accesses[access].parent;
    const bool chained = parent >= 0 && program_.accesses[parent].kind != StepKind::kRoot;
    static const std::vector<int32_t> kNone;
    tables_[access] = EnumerateStep(program_, access, chained ? Table(parent) : kNone);
    made_[access] = true;
  }
  return tables_[access];
}

Places AccessTables::Positions(int access) {
  const Access& step = program_.accesses[access];
  if (step.kind == StepKind::kRoot) return {.size = NumElements(step.to)};
  const std::vector<int32_t>& table = Table(access);
  return {.table = table.data(), .size = static_cast<int64_t>(table.size())};
}

Places AccessTables::Bytes(int access, int number) {
  const Buffer& buffer = program_.buffers[number];
  const int64_t bytes = Row(buffer.dtype).bytes;
  const bool contiguous = buffer.through < 0 && buffer.strides == ContiguousStrides(buffer.shape);
  if (contiguous && program_.accesses[access].kind == StepKind::kRoot) {
    return {
        .base = buffer.offset, .step = bytes, .size = NumElements(program_.accesses[access].to)};
  }
  for (const auto& known : bytes_) {
    if (known->access == access && known->buffer == number) {
      return {.table = known->offsets.data(), .size = static_cast<int64_t>(known->offsets.size())};
    }
  }
  bytes_.push_back(std::make_unique<ByteTable>(
      ByteTable{access, number, ByteOffsets(access, buffer, contiguous)}));
  const std::vector<int32_t>& made = bytes_.back()->offsets;
  return {.table = made.data(), .size = static_cast<int64_t>(made.size())};
}

std::vector<int32_t> AccessTables::ByteOffsets(int access, const Buffer& buffer, bool contiguous) {
  const int64_t bytes = Row(buffer.dtype).bytes;
  const bool is_root = program_.accesses[access].kind == StepKind::kRoot;
  if (buffer.through < 0 && is_root && program_.accesses[access].to == buffer.shape) {
    return EnumerateStrided(buffer.shape, buffer.strides, buffer.offset, bytes);
  }
  std::vector<int32_t> offsets = Table(access);
  std::vector<int32_t> layout;
  if (buffer.through >= 0) {
    layout = Table(buffer.through);
    for (int32_t& place : layout) place = static_cast<int32_t>(buffer.offset + place * bytes);
  } else if (!contiguous) {
    layout = EnumerateStrided(buffer.shape, buffer.strides, buffer.offset, bytes);
  }
  for (int32_t& place : offsets) {
    if (place < 0) continue;
    place = layout.empty() ? static_cast<int32_t>(buffer.offset + place * bytes) : layout[place];
  }
  return offsets;
}

}  // namespace seamfuzz
