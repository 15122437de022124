// See minimize.h.
#include "fuzz/minimize/minimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "fuzz/minimize/pass.h"

namespace seamfuzz {
namespace {

// Only what makes the case fail is minimized; what is written about it is not.
Case Bare(const Case& c) {
  Case bare = c;
  bare.notes.clear();
  bare.classes.clear();
  bare.origin.clear();
  bare.causes.clear();
  bare.expectations.clear();
  return bare;
}

bool SameDistinct(const Signature& a, const Signature& b) {
  // A failure is another one when its message is.
  return a.Distinct() == b.Distinct() && (a.kind != "failure" || a.hash == b.hash);
}

class Loop {
  using Clock = std::chrono::steady_clock;

 public:
  Loop(Engine& engine, const Divergence& start, const MinimizeOptions& options = {})
      : engine_(engine), documented_(options.documented), deadline_(Clock::now() + options.limit) {
    if (options.runs_are_dear) {
      known_.Remember(start.cause.patterns);
      cause_options_ = {.known = &known_, .control = false};
    }
    result_.divergence = start;
    result_.divergence.c = Bare(start.c);
    size_ = SizeOf(result_.divergence.c);
  }

  Minimized Run() {
    bool smaller = true;
    while (smaller && !result_.cut_short) {
      smaller = false;
      singles_.clear();
      for (const Pass& pass : Passes()) smaller |= RunPass(pass);
    }
    result_.single_steps = static_cast<int>(singles_.size());
    if (!cause_options_.control) AskControl();
    return std::move(result_);
  }

  // Whether any single step of the case is accepted.
  bool HasSmallerStep() {
    for (const Pass& pass : Passes()) {
      for (int i = 0; i < pass.units(current()); ++i) {
        if (Accept(pass, i, 1)) return true;
      }
    }
    result_.single_steps = static_cast<int>(singles_.size());
    return false;
  }
  Minimized& result() { return result_; }

 private:
  const Case& current() const { return result_.divergence.c; }

  void AskControl() {
    std::optional<Divergence> found = Diverge(engine_, current(), result_.divergence.verdict.mode,
                                              {.known = &known_, .control = true});
    if (found && SameDistinct(found->signature, result_.divergence.signature)) {
      result_.divergence = *std::move(found);
    }
  }

  // All runs of units, of halving length down to single ones.
  bool RunPass(const Pass& pass) {
    bool smaller = false;
    int length = pass.chunks ? std::max(1, pass.units(current())) : 1;
    for (; length >= 1; length /= 2) {
      int first = 0;
      while (first < pass.units(current())) {
        const int count = std::min(length, pass.units(current()) - first);
        // After an accepted step other units stand at this place.
        if (Accept(pass, first, count)) {
          smaller = true;
        } else {
          first += length;
        }
      }
    }
    return smaller;
  }

  bool Accept(const Pass& pass, int first, int count) {
    std::optional<Case> candidate = pass.propose(current(), first, count);
    if (!candidate) return false;
    Size size = SizeOf(*candidate);
    if (!(size < size_)) return false;
    const uint64_t hash = Hash(size.text);
    if (count == 1) singles_.insert(hash);
    if (rejected_.contains(hash)) return false;
    if (Clock::now() > deadline_) {
      result_.cut_short = true;
      return false;
    }
    if (!Keeps(*std::move(candidate))) {
      rejected_.insert(hash);
      return false;
    }
    size_ = std::move(size);
    result_.steps.push_back({pass.name, size_});
    return true;
  }

  // Whether the candidate diverges with the same distinct signature; it is current then.
  bool Keeps(Case candidate) {
    ++result_.tried;
    std::optional<Divergence> found =
        Diverge(engine_, candidate, result_.divergence.verdict.mode, cause_options_);
    if (!found || documented_.Covers(found->cause)) return false;
    if (SameDistinct(found->signature, result_.divergence.signature)) {
      result_.divergence = *std::move(found);
      if (cause_options_.known != nullptr) known_.Remember(result_.divergence.cause.patterns);
      return true;
    }
    const bool known = std::any_of(
        result_.others.begin(), result_.others.end(),
        [&](const Divergence& other) { return SameDistinct(other.signature, found->signature); });
    if (!known) result_.others.push_back(*std::move(found));
    return false;
  }

  Engine& engine_;
  const Documented documented_;
  const Clock::time_point deadline_;
  KnownCauses known_;           // of the cases so far
  CauseOptions cause_options_;  // of candidates
  Minimized result_;
  Size size_;
  std::unordered_set<uint64_t> rejected_;  // hashes of the texts of candidates
  std::unordered_set<uint64_t> singles_;   // of single steps, in this round
};

}  // namespace

Divergence Explain(Engine& engine, const Case& c, const Evaluation& found,
                   const CauseOptions& options) {
  Cause cause = FindCause(engine, c, found, options);
  Signature signature = MakeSignature(engine.name(), found.verdict, cause.classes, cause.patterns);
  return {c, found.verdict, std::move(cause), std::move(signature)};
}

std::optional<Divergence> Diverge(Engine& engine, const Case& c, Mode mode,
                                  const CauseOptions& options) {
  const Evaluation found = Evaluate(engine, c, mode);
  if (!found.verdict.bad()) return std::nullopt;
  return Explain(engine, c, found, options);
}

Divergence Part(Engine& engine, const Divergence& d, int part, const CauseOptions& options) {
  const std::vector<Hazard>& hazards = d.cause.hazards;
  if (hazards.size() < 2) return d;
  std::vector<Hazard> others = hazards;
  others.erase(others.begin() + part);
  const Result<Case> repaired = Repair(d.cause.asked ? *d.cause.asked : d.c, others);
  if (!repaired.ok()) return d;
  return Diverge(engine, *repaired, d.verdict.mode, options).value_or(d);
}

std::string Certificate(const Minimized& m) {
  if (m.cut_short) return "not 1-minimal: the time for minimizing was over";
  return fmt::format("1-minimal: {} single steps tried, none keeps {}", m.single_steps,
                     m.divergence.signature.Distinct());
}

Minimized Minimize(Engine& engine, const Divergence& start, const MinimizeOptions& options) {
  return Loop(engine, start, options).Run();
}

std::optional<AcceptedStep> FindSmallerStep(Engine& engine, const Divergence& d,
                                            int& single_steps) {
  Loop loop(engine, d);
  const bool smaller = loop.HasSmallerStep();
  single_steps = loop.result().single_steps;
  if (!smaller) return std::nullopt;
  return loop.result().steps.back();
}

}  // namespace seamfuzz
