// Compares closed forms; what has none is not legal.
#include "engine/kernel/legality.h"

#include <algorithm>

namespace seamfuzz {

std::optional<AffineMap> StorageMap(const Program& program, int access, const Node& input) {
  const int64_t bytes = Row(input.type.dtype).bytes;
  const Shape& shape = input.type.shape;
  if (program.accesses[access].kind == StepKind::kRoot && program.accesses[access].to == shape) {
    AffineMap map{shape, input.layout.strides, input.layout.offset * bytes};
    for (int d = 0; d < shape.size(); ++d)
      map.coefficients[d] = shape[d] > 1 ? map.coefficients[d] * bytes : 0;
    return map;
  }
  std::optional<AffineMap> map = ClosedForm(program, access);
  if (!map) return std::nullopt;
  return ThroughLayout(*map, input);
}

bool DirectIsLegal(const StorageAccess& write, std::span<const StorageAccess> reads) {
  if (!write.bytes || !write.bytes->ProvablyInjective()) return false;
  return std::all_of(reads.begin(), reads.end(), [&](const StorageAccess& read) {
    return read.loop == write.loop && read.dtype == write.dtype && read.bytes == write.bytes;
  });
}

}  // namespace seamfuzz
