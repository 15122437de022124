// Unification of open sizes by their current, distinct values.
#include "fuzz/import_sizes.h"

#include <algorithm>

namespace seamfuzz {
namespace {
constexpr int64_t kSmallest = 2;  // 1 would broadcast
}

int64_t OpenSizes::Unused(int64_t from) const {
  const auto taken = [&](int64_t size) {
    return std::any_of(classes_.begin(), classes_.end(),
                       [&](const Class& c) { return c.size == size; });
  };
  while (taken(from)) ++from;
  return from;
}

int OpenSizes::OpenClassOf(int64_t size) const {
  for (size_t c = 0; c < classes_.size(); ++c) {
    if (classes_[c].size == size && !classes_[c].fixed) return static_cast<int>(c);
  }
  return -1;
}

int64_t OpenSizes::Next() {
  if (next_ == class_of_.size()) {
    class_of_.push_back(static_cast<int>(classes_.size()));
    classes_.push_back({Unused(kSmallest), false});
  }
  return classes_[class_of_[next_++]].size;
}

bool OpenSizes::Unify(int64_t a, int64_t b) {
  const int class_a = OpenClassOf(a);
  const int class_b = OpenClassOf(b);
  if (class_a < 0 && class_b < 0) return false;
  if (class_a >= 0 && class_b >= 0) {
    std::replace(class_of_.begin(), class_of_.end(), class_b, class_a);
    classes_[class_b].size = 0;  // no longer anybody's
    return true;
  }
  const int64_t wanted = class_a >= 0 ? b : a;
  Class& open = classes_[class_a >= 0 ? class_a : class_b];
  if (const int other = OpenClassOf(wanted); other >= 0) classes_[other].size = Unused(wanted);
  open = {wanted, true};
  return true;
}

void OpenSizes::SetAll(int64_t size) {
  std::fill(class_of_.begin(), class_of_.end(), 0);
  classes_ = {{size, true}};
}

void OpenSizes::Compact() {
  for (Class& c : classes_) c.size = c.fixed ? c.size : 0;
  for (int c : class_of_) {
    if (classes_[c].size == 0) classes_[c].size = Unused(kSmallest + 1);
  }
}

}  // namespace seamfuzz
