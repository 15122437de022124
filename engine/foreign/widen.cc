// One pass over the nodes, adding casts where an operand or a result is too narrow.
#include "engine/foreign/widen.h"

#include <algorithm>
#include <map>
#include <vector>

#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

bool IsArithmetic(const Node& node) {
  const bool copies = node.op == SetOp() || node.op == CloneOp() || node.op == SegmentSetOp();
  const Form form = node.row().form;
  return !copies && node.op != CastOp() &&
         (form == Form::kElementwise || form == Form::kReduce || form == Form::kScan);
}

bool HasNarrow(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(),
                             [](const Node& node) { return IsNarrowFloat(node.type.dtype); });
}

class Widener {
 public:
  explicit Widener(const Graph& graph) : from_(graph) {}

  Graph Run() {
    for (ValueId v = 0; v < from_.size(); ++v) image_.push_back(Added(v));
    for (const Effect& effect : from_.effects()) {
      const ValueId value = image_[effect.value];
      const Status added =
          effect.is_update() ? to_.AddUpdate(image_[effect.target], value) : to_.AddOutput(value);
      CHECK(added.ok());
    }
    return std::move(to_);
  }

 private:
  ValueId Must(const Result<ValueId>& added) {
    CHECK(added.ok());
    return *added;
  }

  ValueId Cast(ValueId v, DType dtype, std::string_view name = {}) {
    return Must(to_.Add(CastOp(), {Operand::Value(v)}, {{.key = AttrKey::kDType, .dtype = dtype}},
                        name.empty() ? Unused() : name));
  }
  ValueId Converted(ValueId v, DType dtype) {
    if (to_.type(v).dtype == dtype) return v;
    const auto [entry, fresh] = casts_.try_emplace({v, dtype}, kNoValue);
    if (fresh) entry->second = Cast(v, dtype);
    return entry->second;
  }

  // A name that no node of the old graph has.
  std::string Unused() {
    std::string name;
    do {
      name = "w" + std::to_string(next_++);
    } while (from_.Find(name) != kNoValue);
    return name;
  }

  ValueId Added(ValueId v) {
    const Node& node = from_.node(v);
    if (from_.is_input(v)) {
      Layout layout = node.layout;
      return Must(to_.AddInput(node.name, node.type, layout));
    }
    std::vector<Operand> operands = node.operands;
    for (Operand& operand : operands) {
      if (!operand.is_literal()) operand.value = image_[operand.value];
    }
    const auto narrow = [&](const Operand& o) {
      return !o.is_literal() && IsNarrowFloat(to_.type(o.value).dtype);
    };
    const Form form = node.row().form;
    if (form == Form::kReduce && to_.type(operands[0].value).shape.empty()) {
      return Cast(operands[0].value, node.type.dtype, node.name);
    }
    if (form == Form::kScan) {
      operands[0].value = Converted(operands[0].value, node.type.dtype);
    }
    if (!IsArithmetic(node) || std::ranges::none_of(operands, narrow)) {
      return Must(to_.Add(node.op, std::move(operands), node.attrs, node.name));
    }
    for (Operand& operand : operands) {
      if (narrow(operand)) operand.value = Converted(operand.value, DType::kF32);
    }
    const bool back = IsNarrowFloat(node.type.dtype);
    const ValueId wide =
        Must(to_.Add(node.op, std::move(operands), node.attrs, back ? Unused() : node.name));
    return back ? Cast(wide, node.type.dtype, node.name) : wide;
  }

  const Graph& from_;
  Graph to_;
  std::vector<ValueId> image_;  // for each old node the new one that holds its value
  std::map<std::pair<ValueId, DType>, ValueId> casts_;
  int next_ = 0;
};

}  // namespace

Graph Widen(const Graph& graph) {
  return Widener(HasNarrow(graph) ? ExpandComposites(graph).graph : graph).Run();
}

}  // namespace seamfuzz
