// A graph while it is drawn, with what is known of each value. Everything here keeps the graph
// valid: an op is checked before it is added, never added and thrown away.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "generator/case/case.h"
#include "generator/draw/bounds.h"
#include "generator/draw/choices.h"
#include "generator/draw/draw.h"
#include "generator/draw/op_traits.h"
#include "generator/draw/swarm.h"

namespace seamfuzz {

class Drawing {
 public:
  Drawing(Choices& choices, const DrawConfig& config);

  Choices& choices() { return choices_; }
  const DrawConfig& config() const { return config_; }
  const Swarm& swarm() const { return swarm_; }
  const Graph& graph() const { return graph_; }
  const TensorType& type(ValueId v) const { return graph_.type(v); }
  const Facts& facts(ValueId v) const { return facts_[v]; }
  bool used(ValueId v) const { return used_[v]; }
  int ops() const { return graph_.size() - inputs_; }
  bool full() const { return ops() >= swarm_.ops; }

  // ---- Inputs: drawing_inputs.cc ----
  // A tensor that nothing updates, with a drawn layout.
  ValueId Input(const TensorType& type);
  // `input scalar`: a 0-dim value that is passed by value.
  ValueId ScalarInput(DType dtype);
  // An input that an update will name; its layout is injective. `written`: what its update may
  // write. `shared`: AliasOf may follow, so it gets a storage of its own name with room in front.
  ValueId Target(const TensorType& type, const Range& written, bool shared);
  // Another input that views the storage of a `shared` target: the same tensor again (C1), or one
  // that overlaps it (C2).
  ValueId AliasOf(ValueId target);
  // An input whose elements share one place, which no contract allows to update.
  ValueId ExpandedInput(DType dtype);
  // An input of i32 or i64 with literal data in [0, limit); limit >= 1. Along `dim` the values are
  // distinct as long as there are enough of them, or drawn one by one when they may `repeat`.
  ValueId IndexInput(const Shape& shape, int dim, int64_t limit, bool repeat);

  // ---- Ops: drawing.cc ----
  // Adds the op if dtypes, sizes and the lane's bounds allow, after clamping operands that are too
  // large for it; nullopt and no change otherwise. Shapes must fit: they are the caller's business.
  std::optional<ValueId> TryAdd(OpId op, std::vector<Operand> operands, Attrs attrs = {});
  // The value, behind a new or an existing cut.
  ValueId Cut(ValueId v);
  // Cut with the probability of the swarm.
  ValueId MaybeCut(ValueId v) { return choices_.Percent(swarm_.cut_percent) ? Cut(v) : v; }
  // `v` inside `range` in every call; nullopt when the configuration has no clamp op.
  std::optional<ValueId> Clamp(ValueId v, const Range& range);

  // ---- Effects ----
  void Update(ValueId target, ValueId value);
  void Output(ValueId value);
  bool updated(ValueId input) const;
  bool has_effect(ValueId v) const;
  std::vector<Effect>& effects() { return effects_; }
  std::vector<StorageData>& data() { return data_; }
  // With the effects in the order in which they stand now.
  Graph Finish() &&;

  // Whether the configuration has the op.
  bool Takes(OpId op) const;
  bool Takes(DType dtype) const { return config_.dtypes.test(static_cast<int>(dtype)); }

  DType DrawDType() { return static_cast<DType>(choices_.Weighted(swarm_.dtype_weights)); }
  // A dtype of inputs for which `accepts` holds; nullopt when the configuration has none.
  template <typename Accepts>
  std::optional<DType> DrawDType(const Accepts& accepts) {
    std::array<int, kDTypeCount> weights = swarm_.dtype_weights;
    int sum = 0;
    for (int pass = 0; pass < 2 && sum == 0; ++pass) {
      for (int d = 0; d < kDTypeCount; ++d) {
        if (pass == 1)
          weights[d] =
              config_.dtypes.test(d) ? 1 : 0;  // none in the swarm: any of the configuration
        if (!accepts(static_cast<DType>(d))) weights[d] = 0;
        sum += weights[d];
      }
    }
    if (sum == 0) return std::nullopt;
    return static_cast<DType>(choices_.Weighted(weights));
  }
  // A value for which `accepts` holds, young ones first; kNoValue when no value passes.
  template <typename Accepts>
  ValueId Pick(const Accepts& accepts) {
    constexpr int kTries = 4;
    constexpr int kYoung = 6;
    const int size = graph_.size();
    if (size == 0) return kNoValue;
    for (int i = 0; i < kTries; ++i) {
      const int window = choices_.Percent(60) ? std::min(kYoung, size) : size;
      const ValueId v = size - 1 - choices_.Below(window);
      if (accepts(v)) return v;
    }
    for (ValueId v = size - 1; v >= 0; --v) {
      if (accepts(v)) return v;
    }
    return kNoValue;
  }

 private:
  ValueId AddInput(const TensorType& type, Layout layout, const Facts& facts);
  ValueId Append(OpId op, std::vector<Operand> operands, Attrs attrs, const Facts& facts);

  Choices& choices_;
  const DrawConfig& config_;
  Swarm swarm_;
  Graph graph_;
  std::vector<Facts> facts_;
  std::vector<bool> used_;
  std::vector<Effect> effects_;
  std::vector<StorageData> data_;
  int inputs_ = 0;
};

}  // namespace seamfuzz
