// Picks operands by how their shapes hang together, draws attributes, adds the op.
#include "generator/draw/draw_ops.h"

#include <algorithm>
#include <array>

#include "generator/draw/draw_attrs.h"
#include "generator/draw/draw_index.h"

namespace seamfuzz {
namespace {

// Whether an operand of the rule may have the dtype, as far as one operand alone decides.
bool Accepts(TypeRule rule, int position, DType dtype) {
  switch (rule) {
    case TypeRule::kPromoteNumber:
      return dtype != DType::kBool;
    case TypeRule::kFloat:
    case TypeRule::kMatmul:
      return IsFloat(dtype);
    case TypeRule::kIntegral:
      return !IsFloat(dtype);
    case TypeRule::kWhere:
      return position != 0 || dtype == DType::kBool;
    default:
      return true;
  }
}

// The shape that both broadcast to; nullopt when there is none.
std::optional<Shape> BroadcastTogether(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  const int lead = longer.size() - shorter.size();
  Shape together = longer;
  for (int d = 0; d < shorter.size(); ++d) {
    if (together[lead + d] == shorter[d] || shorter[d] == 1) continue;
    if (together[lead + d] != 1) return std::nullopt;
    together[lead + d] = shorter[d];
  }
  return together;
}

// What an elementwise op is drawn to be.
struct Wish {
  ValueId first = kNoValue;      // one of its operands
  const Shape* space = nullptr;  // its result's shape
  bool literals = false;         // all other operands
};

Operand DrawLiteral(Drawing& d, const OpTraits& traits, bool integers) {
  Choices& choices = d.choices();
  constexpr std::array kPrimes = {2, 3, 5, 7};
  if (traits.exact == ExactRule::kModulus)
    return Operand::Integer(kPrimes[choices.Below(kPrimes.size())]);
  constexpr std::array kWhole = {1, 2, 3, -1, -2, 5, 0};
  // Dividing by 0 is in every domain and teaches nothing.
  const int whole =
      kWhole[choices.Below(kWhole.size() - (traits.exact == ExactRule::kNever ? 1 : 0))];
  if (integers) return Operand::Integer(whole);
  if (d.swarm().lane == Lane::kExact) return Operand::Number(whole);
  constexpr std::array kFractions = {0.5, 0.9, 0.1, 1.5, -0.75, 2.0, 3.25};
  return Operand::Number(kFractions[choices.Below(kFractions.size())]);
}

// Limits the wrong way round would make one constant of everything.
void OrderLimits(std::vector<Operand>& operands) {
  const auto value = [](const Operand& o) {
    return o.literal_dtype == DType::kF64 ? o.literal.f : static_cast<double>(o.literal.i);
  };
  if (operands[1].is_literal() && operands[2].is_literal() &&
      value(operands[1]) > value(operands[2])) {
    std::swap(operands[1], operands[2]);
  }
}

bool RankFits(const OpTraits& traits, const Shape& shape) {
  return shape.size() >= traits.min_rank && shape.size() <= traits.max_rank &&
         (traits.takes_empty || NumElements(shape) > 0);
}

// Operand 0 of an op: an old value, or a fresh input now and then and where nothing fits.
ValueId PickFirst(Drawing& d, const OpTraits& traits) {
  Choices& choices = d.choices();
  const auto accepts = [&](ValueId v) {
    return Accepts(traits.types, 0, d.type(v).dtype) && RankFits(traits, d.type(v).shape);
  };
  if (!choices.OneIn(7)) {
    const ValueId v = d.Pick(accepts);
    if (v != kNoValue) return d.MaybeCut(v);
  }
  const std::optional<DType> dtype =
      d.DrawDType([&](DType t) { return Accepts(traits.types, 0, t); });
  if (!dtype) return kNoValue;
  Shape shape = choices.OneIn(4) ? DrawBroadcastable(choices, d.swarm().shape) : d.swarm().shape;
  while (shape.size() < traits.min_rank) shape.push_back(choices.Between(1, 3));
  if (NumElements(shape) > d.swarm().max_elements || shape.size() > d.config().max_rank ||
      !RankFits(traits, shape)) {
    return kNoValue;
  }
  return d.Input({*dtype, shape});
}

// An operand beside `wish.first` and others, which have `shape` together; the result may become
// larger, or exactly `wish.space`.
std::optional<Operand> DrawBeside(Drawing& d, const OpTraits& traits, int position,
                                  const Shape& shape, const Wish& wish, bool last) {
  Choices& choices = d.choices();
  const Shape* const space = wish.space;
  const bool must_fill = space != nullptr && last && shape != *space;
  const ValueId avoided = choices.OneIn(8) ? kNoValue : wish.first;  // x + x tells little
  const auto fits = [&](ValueId v) {
    if (v == avoided) return false;
    const TensorType& type = d.type(v);
    if (!Accepts(traits.types, position, type.dtype)) return false;
    if (space != nullptr)
      return must_fill ? type.shape == *space : BroadcastsTo(type.shape, *space);
    const std::optional<Shape> together = BroadcastTogether(shape, type.shape);
    return together && NumElements(*together) <= d.swarm().max_elements;
  };
  if (!choices.OneIn(4)) {
    const ValueId v = d.Pick(fits);
    if (v != kNoValue) return Operand::Value(d.MaybeCut(v));
  }
  const std::optional<DType> dtype =
      d.DrawDType([&](DType t) { return Accepts(traits.types, position, t); });
  if (!dtype) return std::nullopt;
  if (!must_fill && choices.OneIn(16) && *dtype != DType::kBool)
    return Operand::Value(d.ScalarInput(*dtype));
  const Shape& whole = space != nullptr ? *space : shape;
  return Operand::Value(d.Input(
      {*dtype, !must_fill && choices.OneIn(3) ? DrawBroadcastable(choices, whole) : whole}));
}

std::optional<ValueId> DrawBroadcasting(Drawing& d, const OpTraits& traits, Wish wish) {
  Choices& choices = d.choices();
  const int arity = choices.Between(traits.min_arity, traits.max_arity);
  ValueId& first = wish.first;
  int place = 0;
  if (first == kNoValue) {
    first = PickFirst(d, traits);
    if (first == kNoValue) return std::nullopt;
  } else {
    if (traits.exact != ExactRule::kModulus) place = choices.Below(arity);
    for (int k = 0; k < arity && !Accepts(traits.types, place, d.type(first).dtype); ++k)
      place = (place + 1) % arity;
    if (!Accepts(traits.types, place, d.type(first).dtype)) return std::nullopt;
  }
  Shape shape = d.type(first).shape;
  if (wish.space != nullptr && arity == 1 && shape != *wish.space) return std::nullopt;
  bool floats = IsFloat(d.type(first).dtype);
  std::vector<Operand> operands(arity);
  operands[place] = Operand::Value(first);
  const int last = place == arity - 1 ? arity - 2 : arity - 1;
  for (int k = 0; k < arity; ++k) {
    if (k == place) continue;
    const bool takes_literal = traits.form == Form::kElementwise &&
                               (traits.types != TypeRule::kWhere || k > 0) &&
                               (wish.space == nullptr || k != last || shape == *wish.space);
    if (traits.exact == ExactRule::kModulus && !takes_literal) return std::nullopt;
    const bool literal = wish.literals || traits.exact == ExactRule::kModulus ||
                         choices.Percent(d.swarm().literal_percent);
    if (wish.literals && !takes_literal) return std::nullopt;
    if (takes_literal && literal) {
      operands[k] = DrawLiteral(d, traits, !floats || choices.OneIn(4));
      continue;
    }
    const std::optional<Operand> operand = DrawBeside(d, traits, k, shape, wish, k == last);
    if (!operand) return std::nullopt;
    operands[k] = *operand;
    shape = *BroadcastTogether(shape, d.type(operand->value).shape);
    floats = floats || IsFloat(d.type(operand->value).dtype);
  }
  if (traits.exact == ExactRule::kClamp) OrderLimits(operands);
  Attrs attrs;
  if (!DrawAttrs(d, traits, d.type(first), attrs)) return std::nullopt;
  return d.TryAdd(traits.op, std::move(operands), std::move(attrs));
}

std::optional<ValueId> DrawOne(Drawing& d, const OpTraits& traits, ValueId first) {
  const TensorType type = d.type(first);
  Attrs attrs;
  if (!DrawAttrs(d, traits, type, attrs)) return std::nullopt;
  return d.TryAdd(traits.op, {Operand::Value(first)}, std::move(attrs));
}

std::optional<ValueId> DrawJoined(Drawing& d, const OpTraits& traits, ValueId first) {
  Choices& choices = d.choices();
  const TensorType type = d.type(first);
  Attrs attrs;
  if (!DrawAttrs(d, traits, type, attrs)) return std::nullopt;
  const int dim = static_cast<int>(IntAttr(attrs, AttrKey::kDim));
  const int arity = choices.Between(2, std::min(traits.max_arity, 3));
  std::vector<Operand> operands = {Operand::Value(first)};
  int64_t elements = NumElements(type.shape);
  while (static_cast<int>(operands.size()) < arity) {
    ValueId other = d.Pick([&](ValueId v) { return d.type(v) == type; });
    if (other == first || choices.OneIn(3)) {
      TensorType fresh = type;
      fresh.shape[dim] =
          choices.Between(1, static_cast<int>(std::clamp<int64_t>(type.shape[dim], 1, 9)));
      other = d.Input(fresh);
    }
    elements += NumElements(d.type(other).shape);
    operands.push_back(Operand::Value(other));
  }
  if (elements > d.swarm().max_elements) operands.resize(1);
  if (choices.OneIn(2)) std::swap(operands.front(), operands.back());
  return d.TryAdd(traits.op, std::move(operands), std::move(attrs));
}

// [..., m, k] with [k, n] or with a weight [n, k]: results stay below the limit of size.
std::optional<ValueId> DrawProduct(Drawing& d, const OpTraits& traits, ValueId first) {
  Choices& choices = d.choices();
  const TensorType type = d.type(first);
  const int64_t limit = d.swarm().max_elements;
  const int64_t k = type.shape[type.shape.size() - 1];
  const int64_t rows = NumElements(type.shape) / std::max<int64_t>(k, 1);
  const bool linear = traits.operands == OperandShapes::kLinear;
  const int inner = linear ? 1 : 0;
  ValueId second = d.Pick([&](ValueId v) {
    const TensorType& other = d.type(v);
    return other.dtype == type.dtype && other.shape.size() == 2 && other.shape[inner] == k &&
           rows * other.shape[1 - inner] <= limit;
  });
  if (second == kNoValue || choices.OneIn(3)) {
    const int64_t widest = std::min<int64_t>(limit / std::max<int64_t>({rows, k, 1}), 9);
    if (widest < 1) return std::nullopt;
    const int64_t n = choices.Between(1, static_cast<int>(widest));
    second = d.Input({type.dtype, linear ? Shape{n, k} : Shape{k, n}});
  }
  std::vector<Operand> operands = {Operand::Value(first), Operand::Value(d.MaybeCut(second))};
  if (traits.max_arity > 2 && choices.OneIn(2)) {
    operands.push_back(Operand::Value(d.Input({type.dtype, {d.type(second).shape[1 - inner]}})));
  }
  return d.TryAdd(traits.op, std::move(operands));
}

std::optional<ValueId> DrawSource(Drawing& d, const OpTraits& traits) {
  TensorType wanted = {DType::kF32, d.swarm().shape};
  if (wanted.shape.size() > traits.max_rank) wanted.shape = {wanted.shape[wanted.shape.size() - 1]};
  while (wanted.shape.size() < traits.min_rank) wanted.shape.push_back(d.choices().Between(1, 9));
  Attrs attrs;
  if (!DrawAttrs(d, traits, wanted, attrs)) return std::nullopt;
  return d.TryAdd(traits.op, {}, std::move(attrs));
}

std::optional<ValueId> DrawFrom(Drawing& d, const OpTraits& traits, const Wish& wish) {
  switch (traits.operands) {
    case OperandShapes::kUnknown:
      return std::nullopt;
    case OperandShapes::kNone:
      return wish.first == kNoValue ? DrawSource(d, traits) : std::nullopt;
    case OperandShapes::kBroadcast:
      return DrawBroadcasting(d, traits, wish);
    case OperandShapes::kVectorIndex:
    case OperandShapes::kSameIndex:
    case OperandShapes::kTableIndex:
      return DrawIndexOp(d, traits, wish.first);
    default:
      break;
  }
  const ValueId first = wish.first == kNoValue ? PickFirst(d, traits) : wish.first;
  if (first == kNoValue || !Accepts(traits.types, 0, d.type(first).dtype) ||
      !RankFits(traits, d.type(first).shape)) {
    return std::nullopt;
  }
  switch (traits.operands) {
    case OperandShapes::kOne:
      return DrawOne(d, traits, first);
    case OperandShapes::kJoined:
      return DrawJoined(d, traits, first);
    default:
      return DrawProduct(d, traits, first);
  }
}

// An op of the form by weight; nullptr where the form is off.
const OpTraits* DrawTraits(Drawing& d, Form form) {
  if (d.swarm().form_weights[static_cast<int>(form)] == 0) return nullptr;
  return &DrawnOps()[DrawOpOf(d.choices(), d.swarm(), form)];
}

std::optional<ValueId> DrawElementwise(Drawing& d, const Wish& wish) {
  constexpr int kTries = 4;
  for (int i = 0; i < kTries; ++i) {
    const OpTraits* traits = DrawTraits(d, Form::kElementwise);
    if (traits == nullptr) return std::nullopt;
    const bool too_few =
        traits->max_arity == 1 && wish.space != nullptr && *wish.space != d.type(wish.first).shape;
    if (too_few) continue;
    const std::optional<ValueId> drawn = DrawFrom(d, *traits, wish);
    if (drawn) return drawn;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ValueId> DrawOpOfForm(Drawing& drawing, Form form, ValueId first) {
  const OpTraits* traits = DrawTraits(drawing, form);
  return traits == nullptr ? std::nullopt : DrawFrom(drawing, *traits, {.first = first});
}

std::optional<ValueId> DrawOp(Drawing& drawing, ValueId first) {
  const std::array<int, kFormCount>& weights = drawing.swarm().form_weights;
  if (std::all_of(weights.begin(), weights.end(), [](int w) { return w == 0; }))
    return std::nullopt;
  return DrawOpOfForm(drawing, static_cast<Form>(drawing.choices().Weighted(weights)), first);
}

std::optional<ValueId> DrawElementwiseOver(Drawing& drawing, ValueId first, const Shape& space) {
  return DrawElementwise(drawing, {.first = first, .space = &space});
}

std::optional<ValueId> DrawOpWithLiterals(Drawing& drawing, ValueId first) {
  return DrawElementwise(drawing, {.first = first, .literals = true});
}

Shape DrawBroadcastable(Choices& choices, const Shape& shape) {
  Shape result = shape;
  for (int d = 0; d < result.size(); ++d) {
    if (choices.OneIn(2)) result[d] = 1;
  }
  while (!result.empty() && result[0] == 1 && choices.OneIn(2)) result.erase(0);
  if (choices.OneIn(8)) result = {};
  return result;
}

bool BroadcastsTo(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const int lead = to.size() - from.size();
  for (int d = 0; d < from.size(); ++d) {
    if (from[d] != 1 && from[d] != to[lead + d]) return false;
  }
  return true;
}

}  // namespace seamfuzz
