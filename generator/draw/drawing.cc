// Adds ops to a drawn graph within what dtypes, sizes and the lane's bounds allow.
#include "generator/draw/drawing.h"

#include <array>
#include <utility>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

// By name, because these are what the generator itself builds with.
OpId ClampOp() {
  static const OpId op = FindOp("clamp").value();
  return op;
}
OpId AbsOp() {
  static const OpId op = FindOp("abs").value();
  return op;
}

Operand Literal(DType dtype, double value) {
  return IsFloat(dtype) ? Operand::Number(value) : Operand::Integer(static_cast<int64_t>(value));
}

double LiteralValue(const Operand& operand) {
  return operand.literal_dtype == DType::kF64 ? operand.literal.f
                                              : static_cast<double>(operand.literal.i);
}

// How many elements make one element of the result.
int64_t CombinedElements(const OpRow& row, const Attrs& attrs, const Shape& operand) {
  switch (row.form) {
    case Form::kReduce: {
      if (const Attr* dim = FindAttr(attrs, AttrKey::kDim))
        return operand[static_cast<int>(dim->value.i)];
      int64_t combined = 1;
      for (int64_t dim : ListAttr(row, attrs, AttrKey::kDims, operand.size()))
        combined *= operand[static_cast<int>(dim)];
      return combined;
    }
    case Form::kScan: {
      const Attr* dim = FindAttr(attrs, AttrKey::kDim);
      return operand[dim == nullptr ? 0 : static_cast<int>(dim->value.i)];
    }
    case Form::kContract:
      return operand.empty() ? 1 : operand[operand.size() - 1];
    default:
      return 1;
  }
}

// The operands of one op in the three shapes in which its checks read them.
struct OperandFacts {
  std::array<OperandType, kMaxArity> types;
  std::array<DType, kMaxArity> dtypes;
  std::array<Range, kMaxArity> first;
  std::array<Range, kMaxArity> any;
};

}  // namespace

Drawing::Drawing(Choices& choices, const DrawConfig& config)
    : choices_(choices), config_(config), swarm_(DrawSwarm(choices, config)) {
  constexpr int kUsual = 32;
  graph_.Reserve(kUsual);
  facts_.reserve(kUsual);
  used_.reserve(kUsual);
}

bool Drawing::Takes(OpId op) const {
  if (!config_.forms.test(static_cast<int>(Row(op).form))) return false;
  return config_.ops.empty() ||
         std::find(config_.ops.begin(), config_.ops.end(), op) != config_.ops.end();
}

ValueId Drawing::Append(OpId op, std::vector<Operand> operands, Attrs attrs, const Facts& facts) {
  for (const Operand& operand : operands) {
    if (!operand.is_literal()) used_[operand.value] = true;
  }
  Result<ValueId> added = graph_.Add(op, std::move(operands), std::move(attrs));
  CHECK(added.ok());
  facts_.push_back(facts);
  used_.push_back(false);
  return *added;
}

std::optional<ValueId> Drawing::TryAdd(OpId op, std::vector<Operand> operands, Attrs attrs) {
  const OpRow& row = Row(op);
  const size_t arity = operands.size();
  OperandFacts of;
  for (size_t k = 0; k < arity; ++k) {
    const Operand& operand = operands[k];
    if (operand.is_literal()) {
      of.types[k] = {operand.literal_dtype, OperandType::Kind::kLiteral};
      of.dtypes[k] = operand.literal_dtype;
      const double value = LiteralValue(operand);
      of.first[k] = of.any[k] = {value, value};
    } else {
      const TensorType& type = graph_.type(operand.value);
      of.types[k] = {type.dtype,
                     type.shape.empty() ? OperandType::Kind::kZeroDim : OperandType::Kind::kTensor};
      of.dtypes[k] = type.dtype;
      of.first[k] = facts_[operand.value].first;
      of.any[k] = facts_[operand.value].any;
    }
  }
  const Result<OpDTypes> dtypes = InferDTypes(row, std::span(of.types).first(arity), attrs);
  if (!dtypes.ok() || !Takes(dtypes->result)) return std::nullopt;
  const Shape operand_shape =
      arity > 0 && !operands[0].is_literal() ? graph_.type(operands[0].value).shape : Shape{};
  const OpUse use = {row, *dtypes, std::span(of.dtypes).first(arity), attrs,
                     CombinedElements(row, attrs, operand_shape)};
  // A literal takes the dtype that is computed in: converting it rounds nothing.
  for (size_t k = 0; k < arity; ++k) {
    if (operands[k].is_literal()) of.dtypes[k] = dtypes->compute;
  }
  const auto any_range = [&] {
    return ResultRange(use, std::span(of.any).first(arity), swarm_.lane);
  };
  std::optional<Range> any = any_range();
  if (!any) {
    // Smaller and smaller operands, until the lane allows the op.
    std::array<std::optional<Range>, kMaxArity> clamps;
    for (int step = 0; step < kTameSteps && !any; ++step) {
      for (size_t k = 0; k < arity; ++k) {
        if (operands[k].is_literal() || of.dtypes[k] == DType::kBool) continue;
        Range within = TameRange(row, swarm_.lane, step);
        if (!IsFloat(of.dtypes[k])) within = {std::ceil(within.low), std::floor(within.high)};
        if (facts_[operands[k].value].any.Within(within)) continue;
        clamps[k] = within;
        of.any[k] = of.first[k] = within;
      }
      any = any_range();
    }
    if (!any || !Takes(ClampOp())) return std::nullopt;
    for (size_t k = 0; k < arity; ++k) {
      if (clamps[k]) operands[k].value = *Clamp(operands[k].value, *clamps[k]);
    }
  }
  std::optional<Range> first = any;
  if (!std::equal(of.first.begin(), of.first.begin() + arity, of.any.begin())) {
    first = ResultRange(use, std::span(of.first).first(arity), swarm_.lane);
  }
  return Append(op, std::move(operands), std::move(attrs),
                {.first = first.value_or(*any), .any = *any});
}

std::optional<ValueId> Drawing::Clamp(ValueId v, const Range& range) {
  if (facts_[v].any.Within(range)) return v;
  if (!Takes(ClampOp())) return std::nullopt;
  const DType dtype = graph_.type(v).dtype;
  // A range that begins at or above zero keeps more of the values when negative ones are mirrored
  // first.
  if (range.low >= 0 && facts_[v].any.low < 0 && Takes(AbsOp()) && choices_.OneIn(2)) {
    const Facts& facts = facts_[v];
    v = Append(AbsOp(), {Operand::Value(v)}, {},
               {.first = {0, facts.first.Magnitude()}, .any = {0, facts.any.Magnitude()}});
    if (facts_[v].any.Within(range)) return v;
  }
  return Append(ClampOp(),
                {Operand::Value(v), Literal(dtype, range.low), Literal(dtype, range.high)}, {},
                {.first = range, .any = range});
}

ValueId Drawing::Cut(ValueId v) {
  if (used_[v] && choices_.OneIn(2)) {
    for (ValueId cut = v + 1; cut < graph_.size(); ++cut) {
      const Node& node = graph_.node(cut);
      if (node.op == SegmentSetOp() && node.operands[0].value == v) return cut;
    }
  }
  return Append(SegmentSetOp(), {Operand::Value(v)}, {}, Facts(facts_[v]));
}

void Drawing::Update(ValueId target, ValueId value) {
  used_[value] = used_[target] = true;
  effects_.push_back({.value = value, .target = target});
}

void Drawing::Output(ValueId value) {
  used_[value] = true;
  effects_.push_back({.value = value});
}

bool Drawing::updated(ValueId input) const {
  return std::any_of(effects_.begin(), effects_.end(),
                     [=](const Effect& e) { return e.target == input; });
}

bool Drawing::has_effect(ValueId v) const {
  return std::any_of(effects_.begin(), effects_.end(),
                     [=](const Effect& e) { return e.value == v; });
}

Graph Drawing::Finish() && {
  for (const Effect& effect : effects_) {
    const Status added = effect.is_update() ? graph_.AddUpdate(effect.target, effect.value)
                                            : graph_.AddOutput(effect.value);
    CHECK(added.ok());
  }
  return std::move(graph_);
}

}  // namespace seamfuzz
