// Rebuilds the graph node by node through Graph::Add, and then sees to values and schedule.
#include "oracle/hazards/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/case/values.h"
#include "generator/ir/check.h"
#include "generator/ir/segments.h"
#include "oracle/interpret.h"
#include "oracle/value_set.h"

namespace seamfuzz {
namespace {

std::vector<Scalar> Elements(const StorageBytes& bytes, int64_t count, DType dtype) {
  std::vector<Scalar> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(Load(bytes.data() + kGuardBytes + i * Row(dtype).bytes, dtype));
  return elements;
}

}  // namespace

void CaseEdit::MakePrivate(ValueId reader, int operand, ValueId source,
                           const std::vector<ValueId>& chain) {
  Read& read = reads_[{reader, operand}];
  read.sources.insert(source);
  read.chain.insert(chain.begin(), chain.end());
}

void CaseEdit::MakePrivateEffect(int effect, ValueId source, const std::vector<ValueId>& chain) {
  Read& read = effects_[effect];
  read.sources.insert(source);
  read.chain.insert(chain.begin(), chain.end());
}

std::string CaseEdit::FreshName() const {
  const auto is_storage = [&](const Graph& graph, std::string_view name) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                       [&](const Node& n) { return n.layout.storage == name; });
  };
  for (int i = 0;; ++i) {
    std::string name = fmt::format("P{}", i);
    if (case_.graph.Find(name) != kNoValue || result_.graph.Find(name) != kNoValue) continue;
    if (!is_storage(case_.graph, name) && !is_storage(result_.graph, name)) return name;
  }
}

Result<std::vector<Scalar>> CaseEdit::ValuesOf(ValueId source) {
  if (const auto given = values_.find(source); given != values_.end()) return given->second;
  const Result<Reference> reference = Interpret(case_.graph, Mode::kMonolithic, EntryBytes(case_));
  if (!reference.ok()) return reference.error();
  const PermittedTensor& tensor = reference->values[source];
  const auto count = static_cast<size_t>(NumElements(tensor.shape));
  if (tensor.elements.size() != count)
    return Error{"repair_value", case_.graph.node(source).name + " is not computed"};
  std::vector<Scalar> values;
  for (size_t i = 0; i < count; ++i) {
    if (tensor.elements[i].any) {
      return Error{"repair_value", fmt::format("{} has elements whose value is not known",
                                               case_.graph.node(source).name)};
    }
    values.push_back(Representative(tensor, static_cast<int64_t>(i)));
  }
  return values;
}

Status CaseEdit::AddPrivateInputs() {
  std::set<ValueId> sources;
  for (const auto& [key, read] : reads_) sources.insert(read.sources.begin(), read.sources.end());
  for (const auto& [effect, read] : effects_)
    sources.insert(read.sources.begin(), read.sources.end());
  if (unrelated_ != kNoValue) sources.insert(unrelated_);
  for (const ValueId source : sources) {
    Result<std::vector<Scalar>> values = ValuesOf(source);
    if (!values.ok()) return values.error();
    const std::string name = FreshName();
    const Result<ValueId> input = result_.graph.AddInput(name, case_.graph.type(source));
    if (!input.ok()) return input.error();
    private_[source] = *input;
    if (!values->empty()) literal_.push_back({name, *std::move(values)});
  }
  return Done{};
}

Status CaseEdit::AddInput(ValueId v) {
  const Node& node = case_.graph.node(v);
  Layout layout = node.layout;
  if (contiguous_.contains(v)) {
    Result<std::vector<Scalar>> values = ValuesOf(v);
    if (!values.ok()) return values.error();
    const std::vector<StorageInfo> storages = Storages(case_.graph);
    const bool alone = storages[StorageOf(case_.graph)[v]].inputs.size() == 1;
    layout = {.strides = ContiguousStrides(node.type.shape),
              .storage = alone ? node.layout.storage : FreshName()};
    literal_.push_back({layout.storage, *std::move(values)});
  }
  const Result<ValueId> added = result_.graph.AddInput(node.name, node.type, layout);
  if (!added.ok()) return added.error();
  image_[v] = *added;
  return Done{};
}

// The value that `v` is for this reader: private, a clone of its own, or the one that everybody
// reads.
Result<ValueId> CaseEdit::Rewritten(ValueId v, const Read& read,
                                    std::map<ValueId, ValueId>& clones) {
  if (read.sources.contains(v)) return private_.at(v);
  if (!read.chain.contains(v)) return image_[v];
  if (const auto clone = clones.find(v); clone != clones.end()) return clone->second;
  const Node& node = case_.graph.node(v);
  std::vector<Operand> operands = node.operands;
  for (Operand& operand : operands) {
    if (operand.is_literal()) continue;
    const Result<ValueId> value = Rewritten(operand.value, read, clones);
    if (!value.ok()) return value;
    operand.value = *value;
  }
  const std::string name = FreshName();
  const Result<ValueId> added = result_.graph.Add(node.op, std::move(operands), node.attrs, name);
  if (!added.ok()) return added;
  if (const ValueChoice& choice = case_.schedule.of(node.name); !(choice == ValueChoice{}))
    result_.schedule.values[name] = choice;
  clones[v] = *added;
  return *added;
}

Status CaseEdit::AddNode(ValueId v) {
  const Node& node = case_.graph.node(v);
  std::vector<Operand> operands = node.operands;
  for (int k = 0; k < static_cast<int>(operands.size()); ++k) {
    if (operands[k].is_literal()) continue;
    const auto read = reads_.find({v, k});
    std::map<ValueId, ValueId> clones;
    const Result<ValueId> value = read == reads_.end()
                                      ? Result<ValueId>(image_[operands[k].value])
                                      : Rewritten(operands[k].value, read->second, clones);
    if (!value.ok()) return value.error();
    operands[k].value = *value;
  }
  const Result<ValueId> added =
      result_.graph.Add(node.op, std::move(operands), node.attrs, node.name);
  if (!added.ok()) return added.error();
  image_[v] = *added;
  return Done{};
}

Status CaseEdit::AddEffects() {
  // Clones first: in a graph every node stands before the effects.
  std::vector<ValueId> values;
  for (int e = 0; e < static_cast<int>(case_.graph.effects().size()); ++e) {
    const ValueId value = case_.graph.effects()[e].value;
    const auto read = effects_.find(e);
    std::map<ValueId, ValueId> clones;
    const Result<ValueId> rewritten = read == effects_.end()
                                          ? Result<ValueId>(image_[value])
                                          : Rewritten(value, read->second, clones);
    if (!rewritten.ok()) return rewritten.error();
    values.push_back(*rewritten);
  }
  if (unrelated_ != kNoValue) {
    const Result<ValueId> copy =
        result_.graph.Add(SetOp(), {Operand::Value(private_.at(unrelated_))}, {}, FreshName());
    if (!copy.ok()) return copy.error();
    values.push_back(*copy);
  }
  for (int e = 0; e < static_cast<int>(values.size()); ++e) {
    const bool is_update =
        e < static_cast<int>(case_.graph.effects().size()) && case_.graph.effects()[e].is_update();
    const Status added =
        is_update && !outputs_.contains(e)
            ? result_.graph.AddUpdate(image_[case_.graph.effects()[e].target], values[e])
            : result_.graph.AddOutput(values[e]);
    if (!added.ok()) return added;
  }
  return Done{};
}

// Inputs stay, so that no storage is lost, and so does what nothing read before.
Status CaseEdit::DropUnread() {
  const std::vector<bool> before = LiveNodes(case_.graph);
  const std::vector<bool> after = LiveNodes(result_.graph);
  const int size = result_.graph.size();
  std::vector<bool> keep(static_cast<size_t>(size), true);
  for (ValueId v = 0; v < case_.graph.size(); ++v) {
    if (before[v] && !case_.graph.is_input(v) && !after[image_[v]]) keep[image_[v]] = false;
  }
  // A dead node that stays may read one that became dead.
  for (ValueId v = size - 1; v >= 0; --v) {
    if (!keep[v]) continue;
    for (const Operand& operand : result_.graph.node(v).operands) {
      if (!operand.is_literal()) keep[operand.value] = true;
    }
  }
  std::vector<ValueId> identity;
  for (ValueId v = 0; v < size; ++v) identity.push_back(v);
  Result<Graph> rebuilt = Rebuild(
      result_.graph, keep, std::vector<bool>(result_.graph.effects().size(), true), identity);
  if (!rebuilt.ok()) return rebuilt.error();
  result_.graph = *std::move(rebuilt);
  return Done{};
}

// Bytes follow from a storage's name and the first input's dtype; where the change moved that, they
// become literal.
void CaseEdit::PinStorages() {
  const std::vector<StorageInfo> before = Storages(case_.graph);
  const std::vector<StorageInfo> after = Storages(result_.graph);
  const auto literal = [](std::vector<StorageData>& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(),
                        [&](const StorageData& data) { return data.storage == name; });
  };
  for (StorageData& data : literal_) {
    if (const auto old = literal(result_.data, data.storage); old != result_.data.end())
      result_.data.erase(old);
    result_.data.push_back(data);
  }
  const std::vector<StorageBytes> bytes_before = EntryBytes(case_);
  const std::vector<StorageBytes> bytes_after = EntryBytes(result_);
  std::vector<StorageData> sorted;
  for (size_t s = 0; s < after.size(); ++s) {
    const auto old = std::find_if(before.begin(), before.end(), [&](const StorageInfo& info) {
      return info.name == after[s].name;
    });
    const auto data = literal(result_.data, after[s].name);
    if (old != before.end() && literal(literal_, after[s].name) == literal_.end()) {
      const StorageBytes& want = bytes_before[old - before.begin()];
      const int64_t bytes = std::min(old->bytes, after[s].bytes);
      const DType dtype = result_.graph.type(after[s].inputs.front()).dtype;
      if (!std::equal(want.begin() + kGuardBytes, want.begin() + kGuardBytes + bytes,
                      bytes_after[s].begin() + kGuardBytes)) {
        sorted.push_back({after[s].name, Elements(want, bytes / Row(dtype).bytes, dtype)});
        continue;
      }
    }
    if (data != result_.data.end()) sorted.push_back(std::move(*data));
  }
  result_.data = std::move(sorted);
}

// Keys of values that are gone go too; so does what names segments by number when their number
// changed.
void CaseEdit::FixSchedule() {
  Schedule& schedule = result_.schedule;
  std::erase_if(schedule.values,
                [&](const auto& entry) { return result_.graph.Find(entry.first) == kNoValue; });
  const int before = SegmentsOf(case_.graph, Mode::kSegmented).count;
  const int after = SegmentsOf(result_.graph, Mode::kSegmented).count;
  std::erase_if(schedule.order, [&](int segment) { return segment >= after; });
  if (before != after) schedule.merge.clear();
  schedule.Normalize();
}

Result<Case> CaseEdit::Build() {
  CHECK(case_.graph.reading() == Reading::kGraph);
  result_ = case_;
  result_.graph = Graph();
  image_.assign(case_.graph.nodes().size(), kNoValue);
  private_.clear();
  literal_.clear();
  bool private_added = false;
  for (ValueId v = 0; v <= case_.graph.size(); ++v) {
    const bool is_input = v < case_.graph.size() && case_.graph.is_input(v);
    // Private inputs stand behind the leading inputs.
    if (!is_input && !private_added) {
      private_added = true;
      if (const Status added = AddPrivateInputs(); !added.ok()) return added.error();
    }
    if (v == case_.graph.size()) break;
    if (const Status added = is_input ? AddInput(v) : AddNode(v); !added.ok()) return added.error();
  }
  for (const auto& step : {&CaseEdit::AddEffects, &CaseEdit::DropUnread}) {
    if (const Status done = (this->*step)(); !done.ok()) return done.error();
  }
  PinStorages();
  FixSchedule();
  return std::move(result_);
}

}  // namespace seamfuzz
