// A graph read as a program: each update goes first, and each read behind it is shown the new
// value, one read at a time.
#include <algorithm>
#include <tuple>

#include "generator/case/values.h"
#include "oracle/hazards/access.h"
#include "oracle/hazards/edit.h"
#include "oracle/hazards/hazards.h"
#include "oracle/interpret.h"
#include "oracle/value_set.h"

namespace seamfuzz {
namespace {

bool SameSet(const PermittedTensor& a, const PermittedTensor& b) {
  // The text says everything that Allows decides by.
  for (int64_t i = 0; i < std::ssize(a.elements); ++i) {
    if (a.Text(i) != b.Text(i)) return false;
  }
  return a.elements.size() == b.elements.size();
}

bool SameAnswer(const Graph& graph, const Reference& a, const Graph& changed, const Reference& b) {
  for (size_t e = 0; e < graph.effects().size(); ++e) {
    if (!SameSet(a.values[graph.effects()[e].value], b.values[changed.effects()[e].value]))
      return false;
  }
  return true;
}

// The entry bytes after the update alone; an element that is not known keeps its old value.
std::vector<StorageBytes> Updated(const Graph& graph, const Effect& update,
                                  const Reference& reference, std::vector<StorageBytes> bytes) {
  const PermittedTensor& values = reference.values[update.value];
  const Node& target = graph.node(update.target);
  const std::vector<int64_t> offsets = ByteOffsets(target);
  std::byte* start = bytes[StorageOf(graph)[update.target]].data() + kGuardBytes;
  for (int64_t i = 0; i < std::ssize(values.elements); ++i) {
    if (!values.elements[i].any)
      Store(start + offsets[i], target.type.dtype, Representative(values, i));
  }
  return bytes;
}

std::vector<Scalar> ValuesIn(const Graph& graph, ValueId input,
                             const std::vector<StorageBytes>& bytes) {
  std::vector<Scalar> values;
  const std::byte* start = bytes[StorageOf(graph)[input]].data() + kGuardBytes;
  for (const int64_t offset : ByteOffsets(graph.node(input)))
    values.push_back(Load(start + offset, graph.type(input).dtype));
  return values;
}

}  // namespace

std::vector<Ambiguity> AmbiguousAsProgram(const Case& c) {
  std::vector<Ambiguity> found;
  const Graph& graph = c.graph;
  if (graph.reading() == Reading::kTrace || !BrokenContract(graph).empty()) return found;
  const std::vector<StorageBytes> entry = EntryBytes(c);
  const Result<Reference> reference = Interpret(graph, Mode::kMonolithic, entry);
  if (!reference.ok()) return found;
  const std::vector<int> storage_of = StorageOf(graph);
  for (int u = 0; u < static_cast<int>(graph.effects().size()); ++u) {
    const Effect& update = graph.effects()[u];
    if (!update.is_update()) continue;
    // What the update is computed from cannot come after it.
    const std::vector<bool> before = AncestorsOf(graph, update.value);
    const std::vector<StorageBytes> updated = Updated(graph, update, *reference, entry);
    for (ValueId input = 0; input < graph.size(); ++input) {
      if (storage_of[input] < 0 || storage_of[input] != storage_of[update.target]) continue;
      const std::vector<Scalar> values = ValuesIn(graph, input, updated);
      for (const AccessPath& access : AccessesOf(graph, input)) {
        if (access.reader != kNoValue ? before[access.reader] : access.effect == u) continue;
        CaseEdit edit(c);
        edit.SetValues(input, values);
        if (access.reader != kNoValue) {
          edit.MakePrivate(access.reader, access.operand, input, access.chain);
        } else {
          edit.MakePrivateEffect(access.effect, input, access.chain);
        }
        const Result<Case> changed = edit.Build();
        if (!changed.ok()) continue;
        const Result<Reference> answer =
            Interpret(changed->graph, Mode::kMonolithic, EntryBytes(*changed));
        // A new value that is no index any more changes the answer too.
        if (answer.ok() && SameAnswer(graph, *reference, changed->graph, *answer)) continue;
        found.push_back({.update = u, .reader = access.reader, .effect = access.effect});
      }
    }
  }
  const auto key = [](const Ambiguity& a) {
    return std::make_tuple(a.update, a.reader == kNoValue, a.reader, a.effect);
  };
  std::sort(found.begin(), found.end(),
            [&](const Ambiguity& a, const Ambiguity& b) { return key(a) < key(b); });
  const auto last =
      std::unique(found.begin(), found.end(),
                  [&](const Ambiguity& a, const Ambiguity& b) { return key(a) == key(b); });
  found.erase(last, found.end());
  return found;
}

}  // namespace seamfuzz
