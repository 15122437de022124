// The hazards of a case in one mode: each access to an updated storage gets the class that its
// elements show.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "generator/ir/index_map.h"
#include "oracle/hazards/access.h"
#include "oracle/hazards/describe.h"
#include "oracle/hazards/hazards.h"
#include "oracle/interpret.h"

namespace seamfuzz {
namespace {

bool IsContiguous(const Node& input) {
  const Strides contiguous = ContiguousStrides(input.type.shape);
  for (int d = 0; d < input.type.shape.size(); ++d) {
    if (input.type.shape[d] > 1 && input.layout.strides[d] != contiguous[d]) return false;
  }
  return true;
}

bool IsNarrowingCast(const Graph& graph, ValueId v) {
  const Node& node = graph.node(v);
  if (node.row().types != TypeRule::kCast || node.row().form != Form::kElementwise) return false;
  const DType from = graph.type(node.operands[0].value).dtype;
  return IsFloat(from) && IsFloat(node.type.dtype) &&
         Row(node.type.dtype).digits < Row(from).digits;
}

// Works on the graph with composites expanded; what it reports is in terms of the case's own graph.
class Lister {
 public:
  Lister(const Case& c, Mode mode)
      : case_(c),
        mode_(mode),
        expanded_(ExpandComposites(c.graph)),
        graph_(expanded_.graph),
        segments_(SegmentsOf(graph_, mode)),
        storage_of_(StorageOf(graph_)),
        live_(LiveNodes(graph_)) {}

  std::vector<Hazard> List();

 private:
  // One update and what follows from it.
  struct Update {
    int effect = -1;
    ValueId target = kNoValue;
    ValueId writer = kNoValue;  // the node that makes the value
    ValueId source = kNoValue;  // the writer, copies left out
    std::map<int64_t, int32_t>
        written;                     // byte offset of each element of the target -> its position
    std::vector<bool> bytes;         // of the storage: written or not
    std::vector<bool> feeds_source;  // nodes on the way to what a scatter `source` writes
    bool duplicates = false;         // `source` scatters into the target, some element twice
  };
  Update Describe(int effect);
  bool ScattersTwice(ValueId scatter);

  void AddAccess(const Update& update, const AccessPath& access);
  void AddC4();
  void AddA6();
  std::optional<HazardClass> ClassOf(const Update& update, const AccessPath& access,
                                     const Reads& reads);
  HazardClass AliasClass(const Update& update, const AccessPath& access) const;
  HazardClass EffectClass(const Update& update, const AccessPath& access) const;
  HazardClass SameKernelClass(const Update& update, const AccessPath& access,
                              const Reads& reads) const;
  bool ClosesCycle(ValueId from, ValueId to) const;
  bool TouchesWritten(const Update& update, const AccessPath& access) const;
  std::vector<int32_t> InTarget(const Update& update, ValueId input,
                                const std::vector<int32_t>& positions) const;

  // Fills in the reader and the chain of an access in terms of the case's own graph, and keeps the
  // hazard.
  void Report(Hazard hazard, const AccessPath& access);
  void SortAndJoin();
  ValueId Origin(ValueId v) const { return v == kNoValue ? kNoValue : expanded_.origin[v]; }
  bool InComposite(ValueId v) const {
    return case_.graph.node(Origin(v)).row().form == Form::kComposite;
  }
  const Reference* Values();

  const Case& case_;
  Mode mode_;
  Expanded expanded_;
  const Graph& graph_;
  Segments segments_;
  std::vector<int> storage_of_;
  std::vector<bool> live_;
  std::vector<std::pair<ValueId, ValueId>>
      copies_;  // input -> target, for updates by copies and moves alone
  std::optional<Result<Reference>> values_;
  std::vector<Hazard> hazards_;
};

const Reference* Lister::Values() {
  if (!values_) values_ = Interpret(graph_, mode_, EntryBytes(case_));
  return values_->ok() ? &**values_ : nullptr;
}

// By the reference's indices; an index that is not known counts as a duplicate.
bool Lister::ScattersTwice(ValueId scatter) {
  const Reference* reference = Values();
  if (reference == nullptr) return true;
  const Node& node = graph_.node(scatter);
  const PermittedTensor& indices = reference->values[node.operands[node.row().index_operand].value];
  const Shape& shape = node.type.shape;
  std::set<int64_t> places;
  IntList at = IntList::Filled(indices.shape.size(), 0);
  for (int64_t i = 0; i < std::ssize(indices.elements); ++i) {
    if (!indices.IsPoint(i)) return true;
    if (!places.insert(Ravel(node.row().resolve(at, indices.elements[i].low.i, node.attrs), shape))
             .second)
      return true;
    NextIndex(at, indices.shape);
  }
  return false;
}

Lister::Update Lister::Describe(int effect) {
  Update update;
  update.effect = effect;
  update.target = graph_.effects()[effect].target;
  update.writer = update.source = graph_.effects()[effect].value;
  while (IsCopy(graph_.node(update.source)))
    update.source = graph_.node(update.source).operands[0].value;
  const std::vector<int64_t> offsets = ByteOffsets(graph_.node(update.target));
  const int size = Row(graph_.type(update.target).dtype).bytes;
  for (size_t i = 0; i < offsets.size(); ++i) {
    update.written.emplace(offsets[i], static_cast<int32_t>(i));
    const auto end = static_cast<size_t>(offsets[i] + size);
    if (update.bytes.size() < end) update.bytes.resize(end, false);
    std::fill(update.bytes.begin() + offsets[i], update.bytes.begin() + static_cast<int64_t>(end),
              true);
  }
  const Node& source = graph_.node(update.source);
  if (!source.row().scatters) return update;
  const std::vector<Root> base = RootsOf(graph_, source.operands[0].value);
  const bool into_target = std::any_of(
      base.begin(), base.end(), [&](const Root& root) { return root.value == update.target; });
  if (into_target && ScattersTwice(update.source)) {
    update.duplicates = true;
    update.feeds_source = AncestorsOf(graph_, source.operands.back().value);
  }
  return update;
}

bool Lister::TouchesWritten(const Update& update, const AccessPath& access) const {
  if (access.source == update.target) return true;
  const std::vector<int64_t> offsets = ByteOffsets(graph_.node(access.source));
  const int size = Row(graph_.type(access.source).dtype).bytes;
  return std::any_of(access.positions.begin(), access.positions.end(), [&](int32_t position) {
    if (position == kNotRead) return false;
    for (int64_t byte = offsets[position]; byte < offsets[position] + size; ++byte) {
      if (byte < std::ssize(update.bytes) && update.bytes[byte]) return true;
    }
    return false;
  });
}

// Positions in the input that is read as positions in the target, by the bytes where they lie.
std::vector<int32_t> Lister::InTarget(const Update& update, ValueId input,
                                      const std::vector<int32_t>& positions) const {
  if (input == update.target) return positions;
  const std::vector<int64_t> offsets = ByteOffsets(graph_.node(input));
  std::vector<int32_t> in_target;
  for (const int32_t position : positions) {
    const auto found =
        position == kNotRead ? update.written.end() : update.written.find(offsets[position]);
    in_target.push_back(found == update.written.end() ? kNotRead : found->second);
  }
  return in_target;
}

HazardClass Lister::AliasClass(const Update& update, const AccessPath& access) const {
  const Node& read = graph_.node(access.source);
  const Node& target = graph_.node(update.target);
  if (read.type.dtype != target.type.dtype) return HazardClass::kC6;
  const bool same = read.type.shape == target.type.shape &&
                    read.layout.strides == target.layout.strides &&
                    read.layout.offset == target.layout.offset;
  return same ? HazardClass::kC1 : HazardClass::kC2;
}

// Follows updates that only copy: does what is written to `to` come back to `from`?
bool Lister::ClosesCycle(ValueId from, ValueId to) const {
  std::set<ValueId> reached = {to};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [input, target] : copies_) {
      if (reached.contains(input)) grew |= reached.insert(target).second;
    }
  }
  return reached.contains(from);
}

HazardClass Lister::EffectClass(const Update& update, const AccessPath& access) const {
  const Effect& effect = graph_.effects()[access.effect];
  const bool cycle = effect.is_update() && ClosesCycle(update.target, effect.target);
  return cycle ? HazardClass::kB4 : HazardClass::kD1;
}

HazardClass Lister::SameKernelClass(const Update& update, const AccessPath& access,
                                    const Reads& reads) const {
  const Form form = access.reader == kNoValue ? Form::kMove : graph_.node(access.reader).row().form;
  if (form == Form::kReduce || form == Form::kScan || form == Form::kContract)
    return HazardClass::kA3;
  if (reads.gathered) return HazardClass::kA2;
  const std::string word =
      IndexWord(reads.space, reads.positions, graph_.type(update.target).shape);
  if (word == "same") return HazardClass::kA0;
  return word == "broadcast" ? HazardClass::kA1 : HazardClass::kA2;
}

// The rules in this order; nothing where the update writes back just what it reads.
std::optional<HazardClass> Lister::ClassOf(const Update& update, const AccessPath& access,
                                           const Reads& reads) {
  if (access.source != update.target) return AliasClass(update, access);
  const bool copied = std::any_of(access.chain.begin(), access.chain.end(), [&](ValueId v) {
    return IsCopy(graph_.node(v)) && !IsCut(graph_.node(v));
  });
  if (access.effect == update.effect) {
    // T <- flip(T): the update is its own reader.
    const HazardClass id = SameKernelClass(update, access, reads);
    if (id == HazardClass::kA0) return std::nullopt;
    return copied ? HazardClass::kD1 : id;
  }
  if (access.reader == kNoValue) return EffectClass(update, access);
  if (copied) return HazardClass::kD1;
  const bool is_source = access.reader == update.source;
  if (graph_.node(access.reader).row().scatters && access.operand == 0 && !is_source)
    return HazardClass::kD2;
  if (update.duplicates) {
    const bool writes_it =
        is_source &&
        access.operand == static_cast<int>(graph_.node(access.reader).operands.size()) - 1;
    if (writes_it || update.feeds_source[access.reader]) return HazardClass::kA4;
  }
  if (mode_ == Mode::kSegmented && segments_.of[access.reader] != segments_.of[update.writer])
    return HazardClass::kB1;
  return SameKernelClass(update, access, reads);
}

void Lister::AddAccess(const Update& update, const AccessPath& access) {
  if (!TouchesWritten(update, access)) return;
  Reads reads = ReadsOf(graph_, access);
  reads.positions = InTarget(update, access.source, reads.positions);
  const std::optional<HazardClass> id = ClassOf(update, access, reads);
  if (!id) return;
  Hazard hazard{.id = *id, .mode = mode_, .update = update.effect, .input = Origin(access.source)};
  const bool own_storage = access.source != update.target;
  hazard.repair = own_storage ? RepairKind::kOwnStorage : RepairKind::kPrivateInput;
  Pattern& pattern = hazard.pattern;
  pattern.id = *id;
  pattern.write = FormWord(graph_, update.writer);
  if (access.reader == kNoValue) {
    pattern.read = graph_.effects()[access.effect].is_update() ? "update" : "output";
  } else {
    pattern.read = FormWord(graph_, access.reader);
  }
  pattern.index = reads.gathered
                      ? "gathered"
                      : IndexWord(reads.space, reads.positions, graph_.type(update.target).shape);
  const ValueId runs_in =
      access.reader == kNoValue ? graph_.effects()[access.effect].value : access.reader;
  const bool other_segment =
      mode_ == Mode::kSegmented && segments_.of[runs_in] != segments_.of[update.writer];
  pattern.segment = other_segment ? "other" : "same";
  const int read_bytes = Row(graph_.type(access.source).dtype).bytes;
  const int written_bytes = Row(graph_.type(update.target).dtype).bytes;
  pattern.dtype = read_bytes == written_bytes  ? "same"
                  : read_bytes < written_bytes ? "narrower"
                                               : "wider";
  Report(std::move(hazard), access);
}

// Several elements of a scatter's base come from one element: as a view they would be one another.
void Lister::AddC4() {
  for (ValueId v = 0; v < graph_.size(); ++v) {
    const Node& node = graph_.node(v);
    if (!live_[v] || !node.row().scatters || InComposite(v)) continue;
    const ValueId base = node.operands[0].value;
    std::vector<Root> roots = RootsOf(graph_, base);
    std::erase_if(roots, [](const Root& root) { return root.value == kNoValue; });
    std::sort(roots.begin(), roots.end());
    if (std::adjacent_find(roots.begin(), roots.end()) == roots.end()) continue;
    Hazard hazard{.id = HazardClass::kC4,
                  .mode = mode_,
                  .input = Origin(base),
                  .repair = RepairKind::kPrivateBase};
    for (int e = 0; e < static_cast<int>(graph_.effects().size()); ++e) {
      if (graph_.effects()[e].is_update() && Describe(e).source == v) hazard.update = e;
    }
    hazard.pattern = {.id = HazardClass::kC4, .write = "index", .index = "broadcast"};
    Report(std::move(hazard), {.source = base, .reader = v, .operand = 0});
  }
}

// A value that is narrowed for a store and read again in the same segment.
void Lister::AddA6() {
  std::map<ValueId, int> stored;  // cast -> its update, or -1
  for (int e = 0; e < static_cast<int>(graph_.effects().size()); ++e) {
    const Effect& effect = graph_.effects()[e];
    if (!IsNarrowingCast(graph_, effect.value)) continue;
    int& update = stored.emplace(effect.value, -1).first->second;
    if (effect.is_update()) update = e;
  }
  for (const auto& [cast, update] : stored) {
    if (InComposite(cast)) continue;
    for (const AccessPath& access : AccessesOf(graph_, cast)) {
      if (access.reader == kNoValue || segments_.of[access.reader] != segments_.of[cast]) continue;
      Hazard hazard{.id = HazardClass::kA6,
                    .mode = mode_,
                    .update = update,
                    .input = Origin(cast),
                    .repair = RepairKind::kPrivateRounded};
      const Reads reads = ReadsOf(graph_, access);
      hazard.pattern = {.id = HazardClass::kA6,
                        .write = FormWord(graph_, cast),
                        .read = FormWord(graph_, access.reader),
                        .index = IndexWord(reads.space, reads.positions, graph_.type(cast).shape),
                        .segment = "same",
                        .dtype = "narrower"};
      Report(std::move(hazard), access);
    }
  }
}

void Lister::Report(Hazard hazard, const AccessPath& access) {
  hazard.reader_effect = access.effect;
  if (access.reader != kNoValue) hazard.reader_op = graph_.node(access.reader).name;
  // The first node of a composite on the way is where the value enters it; the composite is then
  // the reader.
  ValueId entered = kNoValue;
  for (const ValueId v : access.chain) {
    if (entered == kNoValue && InComposite(v)) entered = v;
    if (entered == kNoValue) hazard.chain.push_back(Origin(v));
  }
  if (entered == kNoValue && access.reader != kNoValue && InComposite(access.reader))
    entered = access.reader;
  if (entered == kNoValue) {
    hazard.reader = Origin(access.reader);
    if (hazard.reader != kNoValue) hazard.reader_operands = {access.operand};
    hazards_.push_back(std::move(hazard));
    return;
  }
  hazard.reader = Origin(entered);
  hazard.reader_effect = -1;
  const Node& composite = case_.graph.node(hazard.reader);
  const std::vector<ValueId> path = hazard.chain;
  for (int k = 0; k < static_cast<int>(composite.operands.size()); ++k) {
    const Operand& operand = composite.operands[k];
    if (operand.is_literal()) continue;
    const ValueId end = path.empty() ? hazard.input : path.back();
    if (operand.value == end) hazard.reader_operands.push_back(k);
  }
  if (!hazard.reader_operands.empty()) hazards_.push_back(std::move(hazard));
}

// In text order of the readers; operands of one op that read the same in the same way are one
// hazard.
void Lister::SortAndJoin() {
  const auto place = [&](const Hazard& h) {
    if (h.reader != kNoValue) return h.reader;
    return case_.graph.size() + (h.reader_effect >= 0 ? h.reader_effect : h.update);
  };
  const auto kind = [&](const Hazard& h) {
    return std::make_tuple(h.update, h.id, h.input, h.chain, h.pattern, h.reader_op);
  };
  std::stable_sort(hazards_.begin(), hazards_.end(), [&](const Hazard& a, const Hazard& b) {
    return std::make_tuple(place(a), a.reader_operands, kind(a)) <
           std::make_tuple(place(b), b.reader_operands, kind(b));
  });
  std::vector<Hazard> joined;
  for (Hazard& hazard : hazards_) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const Hazard& h) {
      return place(h) == place(hazard) && kind(h) == kind(hazard);
    });
    if (same == joined.end()) {
      joined.push_back(std::move(hazard));
    } else {
      std::vector<int> operands;
      std::set_union(same->reader_operands.begin(), same->reader_operands.end(),
                     hazard.reader_operands.begin(), hazard.reader_operands.end(),
                     std::back_inserter(operands));
      same->reader_operands = std::move(operands);
    }
  }
  hazards_ = std::move(joined);
}

std::vector<Hazard> Lister::List() {
  const std::vector<Effect>& effects = graph_.effects();
  std::vector<Update> updates;
  for (int e = 0; e < static_cast<int>(effects.size()); ++e) {
    if (effects[e].is_update()) updates.push_back(Describe(e));
  }
  std::map<ValueId, std::vector<AccessPath>> accesses;
  for (ValueId v = 0; v < graph_.size(); ++v) {
    if (!graph_.is_input(v)) continue;
    const bool shared = std::any_of(updates.begin(), updates.end(), [&](const Update& update) {
      return storage_of_[update.target] == storage_of_[v];
    });
    if (shared) accesses[v] = AccessesOf(graph_, v);
  }
  for (const auto& [input, of_input] : accesses) {
    for (const AccessPath& access : of_input) {
      if (access.effect >= 0 && effects[access.effect].is_update())
        copies_.emplace_back(input, effects[access.effect].target);
    }
  }
  for (const Update& update : updates) {
    for (const auto& [input, of_input] : accesses) {
      if (storage_of_[input] != storage_of_[update.target]) continue;
      for (const AccessPath& access : of_input) AddAccess(update, access);
    }
    const Node& target = graph_.node(update.target);
    if (NumElements(target.type.shape) == 0 || IsContiguous(target)) continue;
    Hazard hazard{.id = HazardClass::kC5,
                  .mode = mode_,
                  .update = update.effect,
                  .input = Origin(update.target),
                  .repair = RepairKind::kContiguousTarget};
    hazard.pattern = {.id = HazardClass::kC5, .write = FormWord(graph_, update.writer)};
    hazards_.push_back(std::move(hazard));
  }
  AddC4();
  AddA6();
  SortAndJoin();
  for (Hazard& hazard : hazards_) {
    hazard.text = HazardText(case_.graph, hazard);
    hazard.repair_text = RepairText(case_.graph, hazard);
  }
  return std::move(hazards_);
}

}  // namespace

std::vector<Hazard> ListHazards(const Case& c, Mode mode) {
  if (c.graph.reading() == Reading::kTrace || !BrokenContract(c.graph).empty()) return {};
  return Lister(c, mode).List();
}

}  // namespace seamfuzz
