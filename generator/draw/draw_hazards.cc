// The parts of a hazard, each drawn for itself: how the value comes about, how the target is read,
// through what.
#include "generator/draw/draw_hazards.h"

#include <algorithm>
#include <array>

#include "generator/draw/draw_index.h"
#include "generator/draw/draw_ops.h"

namespace seamfuzz {
namespace {

// How the value of an update comes about.
enum class Writer {
  kSame,
  kOther,
  kOld,
  kUnrelated,
  kCopy,
  kNarrowed,
  kRepeated,
  kExpanded,
  kRotation
};
constexpr std::array kWriterWeights = {16, 20, 8, 10, 8, 9, 9, 5, 9};

// How something reads the target.
enum class Reader { kSame, kBroadcast, kMove, kCombine, kIndex, kScatter, kReturned, kAny };
constexpr std::array kReaderWeights = {14, 14, 16, 10, 6, 7, 14, 10};

// Targets are small against the values around them often enough to be broadcast.
TensorType DrawTargetType(Drawing& d) {
  const Shape& shape = d.swarm().shape;
  return {d.DrawDType(), d.choices().OneIn(3) ? DrawBroadcastable(d.choices(), shape) : shape};
}

// The identity ops through which a value stays what it is: copies, snapshots, cuts.
ValueId Copied(Drawing& d, ValueId v) {
  constexpr std::array kLengths = {4, 5, 1};
  const int length = d.choices().Weighted(kLengths);
  for (int i = 0; i < length; ++i) {
    const OpId copies[] = {SetOp(), CloneOp(), SegmentSetOp()};
    const OpId copy = copies[d.choices().Below(3)];
    v = copy != SegmentSetOp() && d.Takes(copy) ? d.TryAdd(copy, {Operand::Value(v)}).value_or(v)
                                                : d.Cut(v);
  }
  return v;
}

// A form whose ops read at another index than they write.
Form DrawOtherIndexForm(Choices& choices) {
  constexpr std::array kForms = {Form::kMove, Form::kReduce, Form::kIndex, Form::kScan,
                                 Form::kContract};
  constexpr std::array kWeights = {8, 4, 3, 2, 1};
  return kForms[choices.Weighted(kWeights)];
}

// A larger iteration space that `shape` broadcasts to.
Shape DrawSpaceAround(Drawing& d, const Shape& shape) {
  Choices& choices = d.choices();
  Shape space = shape;
  const int64_t count = std::max<int64_t>(NumElements(shape), 1);
  const auto room = [&] {
    return static_cast<int>(std::min<int64_t>(
        d.swarm().max_elements / std::max<int64_t>(NumElements(space), count), 9));
  };
  for (int dim = 0; dim < space.size(); ++dim) {
    if (space[dim] == 1 && room() >= 2) space[dim] = choices.Between(1, room());
  }
  if (space.size() < d.config().max_rank && room() >= 2)
    space.insert(0, choices.Between(2, room()));
  return space;
}

void DrawReader(Drawing& d, ValueId source) {
  Choices& choices = d.choices();
  const auto kind = static_cast<Reader>(choices.Weighted(kReaderWeights));
  if (choices.OneIn(3)) source = d.Cut(source);
  std::optional<ValueId> read;
  switch (kind) {
    case Reader::kSame:
      read = DrawElementwiseOver(d, source, Shape(d.type(source).shape));
      break;
    case Reader::kBroadcast:
      read = DrawElementwiseOver(d, source, DrawSpaceAround(d, d.type(source).shape));
      break;
    case Reader::kMove:
      read = DrawOpOfForm(d, Form::kMove, source);
      if (read && choices.OneIn(2)) read = DrawOpOfForm(d, Form::kElementwise, *read);
      break;
    case Reader::kCombine:
      read = DrawOpOfForm(d,
                          choices.OneIn(3)   ? Form::kScan
                          : choices.OneIn(5) ? Form::kContract
                                             : Form::kReduce,
                          source);
      break;
    case Reader::kIndex:
      read = DrawOpOfForm(d, Form::kIndex, source);
      break;
    case Reader::kScatter:
      read = DrawScatter(d, source);
      break;
    case Reader::kReturned:
      d.Output(Copied(d, source));
      return;
    case Reader::kAny:
      read = DrawOp(d, source);
      break;
  }
  if (!read) d.Output(Copied(d, source));
}

// `v` as a value that the target may be updated with; a copy of a fresh input where nothing else is
// left.
ValueId Updatable(Drawing& d, ValueId target, std::optional<ValueId> v) {
  const TensorType type = d.type(target);
  if (v) v = Fit(d, *v, type);
  if (v && *v != target && !d.facts(*v).first.Within(d.facts(target).any)) {
    v = d.Clamp(*v, EntryRange(type.dtype, d.swarm().lane));
  }
  return v && *v != target ? *v : d.Input(type);
}

struct Update {
  ValueId target = kNoValue;
  ValueId value = kNoValue;
  ValueId source =
      kNoValue;  // what readers of the target read: the target, or another view of its storage
};

// The target comes first: its value is made out of it.
Update DrawSelfUpdate(Drawing& d, Writer writer) {
  Choices& choices = d.choices();
  const TensorType type = DrawTargetType(d);
  const bool shared = choices.Percent(d.swarm().share_percent);
  Update update;
  update.target = d.Target(type, UpdateRange(type.dtype, d.swarm().lane), shared);
  update.source = shared ? d.AliasOf(update.target) : update.target;
  const ValueId read = choices.OneIn(3) ? update.target : update.source;
  std::optional<ValueId> v;
  switch (writer) {
    case Writer::kRepeated:
      v = DrawRepeatedScatter(d, update.target);
      break;
    case Writer::kOther:
      v = DrawOpOfForm(d, DrawOtherIndexForm(choices), choices.OneIn(6) ? d.Cut(read) : read);
      if (v && choices.OneIn(2) && BroadcastsTo(d.type(*v).shape, type.shape)) {
        const std::optional<ValueId> mixed = DrawElementwiseOver(d, *v, type.shape);
        if (mixed) v = mixed;
      }
      break;
    case Writer::kOld: {
      // Whatever is there, after it has perhaps met the target.
      const std::optional<ValueId> met = DrawOp(d, read);
      v = met ? DrawOp(d, *met) : std::nullopt;
      if (!v) v = met;
      break;
    }
    default:
      // A view of a part of the storage has another shape.
      v = DrawElementwiseOver(
          d, read, BroadcastsTo(d.type(read).shape, type.shape) ? type.shape : d.type(read).shape);
      break;
  }
  update.value = Updatable(d, update.target, v);
  return update;
}

// A wider value with more digits than `dtype` holds, cast; and a reader of the cast.
std::optional<ValueId> DrawNarrowed(Drawing& d) {
  static const OpId multiply = FindOp("mul").value();
  constexpr std::array kNarrow = {DType::kF16, DType::kBF16, DType::kF32, DType::kI8, DType::kI32};
  constexpr std::array kWide = {DType::kF32, DType::kF32, DType::kF64, DType::kI32, DType::kI64};
  constexpr std::array kWeights = {5, 6, 2, 2, 1};
  Choices& choices = d.choices();
  const int pair = choices.Weighted(kWeights);
  if (!d.Takes(kNarrow[pair]) || !d.Takes(kWide[pair])) return std::nullopt;
  ValueId wide = d.Pick([&](ValueId v) { return d.type(v).dtype == kWide[pair]; });
  if (wide == kNoValue || choices.OneIn(3)) wide = d.Input({kWide[pair], d.swarm().shape});
  constexpr std::array kFactors = {1367, 341, 4099, 37};
  const int factor = kFactors[choices.Below(4)];
  const bool whole = d.swarm().lane == Lane::kExact || !IsFloat(kWide[pair]);
  const std::optional<ValueId> scaled = d.TryAdd(
      multiply,
      {Operand::Value(wide), whole ? Operand::Integer(factor) : Operand::Number(factor / 1024.0)});
  const std::optional<ValueId> narrowed =
      Fit(d, scaled.value_or(wide), {kNarrow[pair], d.type(wide).shape});
  if (narrowed) DrawElementwiseOver(d, *narrowed, Shape(d.type(*narrowed).shape));
  return narrowed;
}

// The value comes first and does not depend on the target, which may hold whatever that value is.
std::optional<Update> DrawForeignUpdate(Drawing& d, Writer writer) {
  Choices& choices = d.choices();
  std::optional<ValueId> v;
  switch (writer) {
    case Writer::kNarrowed:
      v = DrawNarrowed(d);
      break;
    case Writer::kExpanded:
      v = DrawScatterIntoExpanded(d);
      break;
    case Writer::kCopy: {
      const ValueId from = choices.OneIn(2)
                               ? d.Input(DrawTargetType(d))
                               : d.Pick([&](ValueId u) { return d.graph().is_input(u); });
      if (from != kNoValue) v = Copied(d, from);
      break;
    }
    default: {
      const ValueId old = d.Pick([](ValueId) { return true; });
      v = old == kNoValue || choices.OneIn(3) ? DrawOp(d) : DrawOp(d, old);
      break;
    }
  }
  if (!v || d.graph().node(*v).layout.scalar) return std::nullopt;
  const bool shared = choices.Percent(d.swarm().share_percent);
  Update update = {.value = *v};
  update.target = d.Target(d.type(*v), d.facts(*v).any, shared);
  update.source = shared ? d.AliasOf(update.target) : update.target;
  return update;
}

// A <- B, B <- A, or three in a ring, each through copies.
std::vector<Update> DrawRotation(Drawing& d) {
  const TensorType type = DrawTargetType(d);
  const int count = d.choices().OneIn(3) ? 3 : 2;
  const Range entry = EntryRange(type.dtype, d.swarm().lane);
  std::vector<Update> updates(count);
  for (Update& update : updates) update.target = update.source = d.Target(type, entry, false);
  for (int i = 0; i < count; ++i) updates[i].value = Copied(d, updates[(i + 1) % count].target);
  return updates;
}

}  // namespace

void DrawHazard(Drawing& d) {
  Choices& choices = d.choices();
  const auto writer = static_cast<Writer>(choices.Weighted(kWriterWeights));
  std::vector<Update> updates;
  if (writer == Writer::kRotation) {
    updates = DrawRotation(d);
  } else if (writer >= Writer::kUnrelated && writer != Writer::kRepeated) {
    if (const std::optional<Update> update = DrawForeignUpdate(d, writer)) updates = {*update};
  }
  if (updates.empty()) updates = {DrawSelfUpdate(d, writer)};
  for (const Update& update : updates) d.Update(update.target, update.value);
  constexpr std::array kReaderCounts = {15, 45, 30, 10};
  const int readers = choices.Weighted(kReaderCounts);
  for (int i = 0; i < readers; ++i)
    DrawReader(d, updates[choices.Below(static_cast<int>(updates.size()))].source);
}

void DrawEffects(Drawing& d) {
  Choices& choices = d.choices();
  constexpr size_t kMostOutputs = 6;
  const int size = d.graph().size();
  for (ValueId v = 0; v < size; ++v) {
    if (d.used(v) || d.graph().is_input(v)) continue;
    const bool dead =
        d.effects().size() >= kMostOutputs || (!d.effects().empty() && choices.OneIn(16));
    if (!dead) d.Output(v);
  }
  if (size == 0) d.Input({d.DrawDType(), d.swarm().shape});
  const size_t before = d.effects().size();
  for (size_t e = 0; e < before; ++e) {
    const Effect effect = d.effects()[e];
    if (effect.is_update() && choices.OneIn(6)) d.Output(effect.value);
    if (effect.is_update() && choices.OneIn(16)) d.Output(effect.target);
    if (!effect.is_update() && choices.OneIn(40)) d.Output(effect.value);
  }
  if (d.effects().empty() || choices.OneIn(6))
    d.Output(d.graph().size() - 1 - choices.Below(std::max(size / 2, 1)));
  std::vector<Effect>& effects = d.effects();
  for (int i = static_cast<int>(effects.size()) - 1; i > 0; --i)
    std::swap(effects[i], effects[choices.Below(i + 1)]);
}

void BreakContract(Drawing& d) {
  Choices& choices = d.choices();
  const TensorType type = DrawTargetType(d);
  const Range range = UpdateRange(type.dtype, d.swarm().lane);
  const ValueId value = d.Input(type);
  switch (choices.Below(4)) {
    case 0: {  // U1
      const ValueId target = d.Target(type, range, false);
      d.Update(target, value);
      d.Update(target, d.Input(type));
      break;
    }
    case 1: {  // U2
      TensorType other = type;
      if (other.shape.empty() || choices.OneIn(2)) {
        other.dtype = type.dtype == DType::kF32 ? DType::kF64 : DType::kF32;
      } else {
        other.shape.erase(0);
      }
      d.Update(d.Target(other, range, false), value);
      break;
    }
    case 2: {  // U3
      const ValueId target = d.ExpandedInput(type.dtype);
      d.Update(target, d.Input(d.type(target)));
      break;
    }
    default: {  // U4
      const ValueId target = d.Target(type, range, true);
      const ValueId alias = d.AliasOf(target);
      d.Update(target, value);
      d.Update(alias, d.Input(d.type(alias)));
      break;
    }
  }
}

}  // namespace seamfuzz
