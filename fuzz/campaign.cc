// See campaign.h.
#include "fuzz/campaign.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>

#include "fuzz/signature.h"
#include "fuzz/worker_process.h"
#include "generator/case/text.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

constexpr int kPollMilliseconds = 200;

// SIGINT and SIGTERM come as data while this lives; writes to a dead worker fail instead of ending
// us.
class Signals {
 public:
  Signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before_);
    descriptor_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    pipe_before_ = std::signal(SIGPIPE, SIG_IGN);
  }
  ~Signals() {
    std::signal(SIGPIPE, pipe_before_);
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  int descriptor() const { return descriptor_; }
  // How many came since the last question.
  int Take() {
    int count = 0;
    signalfd_siginfo info;
    while (read(descriptor_, &info, sizeof(info)) == sizeof(info)) ++count;
    return count;
  }

 private:
  sigset_t before_;
  int descriptor_ = -1;
  void (*pipe_before_)(int) = nullptr;
};

// Where each worker is: memory that children share with us.
class SharedPlaces {
 public:
  explicit SharedPlaces(int count) : bytes_(sizeof(WorkerPlace) * count) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    places_ = static_cast<WorkerPlace*>(memory);
    std::uninitialized_default_construct_n(places_, count);
  }
  ~SharedPlaces() { munmap(places_, bytes_); }
  WorkerPlace& operator[](int i) { return places_[i]; }

 private:
  size_t bytes_;
  WorkerPlace* places_;
};

// A divergence on its way to a finding. Answers are taken in the order in which these were made.
struct Minimization {
  Request request;
  std::string bucket;    // key; empty for what another minimization met
  std::string distinct;  // as drawn
  std::string verdict;
  std::optional<MinimizeAnswer> answer;
};

class Coordinator {
 public:
  Coordinator(const CampaignOptions& options, const Progress& progress)
      : options_(options),
        progress_(progress),
        places_(options.jobs),
        started_ms_(SteadyMilliseconds()) {
    workers_.resize(options.jobs);
    for (int w = 0; w < options.jobs; ++w) Start(w);
  }

  Result<CampaignState> Run() {
    while (HandOut()) {
      Wait();
      TakeBlocks();
      if (Status status = TakeMinimizations(); !status.ok()) return status.error();
      state_.seconds = static_cast<double>(SteadyMilliseconds() - started_ms_) / 1000;
      progress_(state_, "");
    }
    if (state_.wrong_script) {
      const std::filesystem::path folder = std::filesystem::path(options_.out) / kWrongScriptFolder;
      if (Status status = WriteFolder(folder, state_.wrong_script->files); !status.ok()) {
        return status.error();
      }
    }
    return state_;
  }

 private:
  // ---- Workers
  // ------------------------------------------------------------------------------------------------------

  void Start(int w) {
    workers_[w].reset();
    workers_[w] = std::make_unique<WorkerProcess>(options_.config, places_[w], [&] {
      for (const auto& other : workers_) {
        if (other) other->CloseInChild();
      }
    });
  }

  bool TimeIsOver() const {
    return state_.interrupted || state_.wrong_script ||
           (options_.seconds && SteadyMilliseconds() - started_ms_ >= *options_.seconds * 1000);
  }

  std::optional<Request> NextRequest() {
    if (!again_.empty()) {
      const Request request = again_.front();
      again_.pop_front();
      return request;
    }
    if (TimeIsOver()) return std::nullopt;
    const uint64_t left = options_.cases ? *options_.cases - next_block_ : options_.config.block;
    // The last blocks are small, so that all workers end together.
    const uint64_t share = options_.cases ? 1 + left / (2 * options_.jobs) : options_.config.block;
    const uint64_t count = std::min({left, share, options_.config.block});
    if (count == 0) return std::nullopt;
    const Request request{.kind = Request::Kind::kBlock, .first = next_block_, .count = count};
    next_block_ += count;
    return request;
  }

  // Gives every idle worker something to do; false when nobody works and nothing is left.
  bool HandOut() {
    bool busy = false;
    for (auto& worker : workers_) {
      if (!worker->request()) {
        std::optional<Request> request;
        if (next_minimization_ < minimizations_.size()) {
          request = minimizations_[next_minimization_].request;
          working_on_[worker.get()] = next_minimization_++;
        } else {
          request = NextRequest();
        }
        if (request) worker->Send(*request);  // a worker that is gone is seen by Wait
      }
      busy |= worker->request().has_value();
    }
    return busy || (!state_.interrupted && StartOthers() && HandOut());
  }

  void Wait() {
    std::vector<pollfd> polled = {{signals_.descriptor(), POLLIN, 0}};
    for (const auto& worker : workers_) {
      polled.push_back({worker->answers(), POLLIN, 0});
      polled.push_back({worker->errors(), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), kPollMilliseconds);
    if (const int count = signals_.Take(); count > 0) {
      // The second one does not wait for what is under way.
      if (state_.interrupted || count > 1) _exit(kExitBad);
      state_.interrupted = true;
    }
    for (size_t w = 0; w < workers_.size(); ++w) {
      WorkerProcess& worker = *workers_[w];
      if (polled[2 + 2 * w].revents & POLLIN) worker.DrainErrors();
      if (polled[1 + 2 * w].revents != 0) {
        const std::optional<std::string> answer = worker.Receive();
        if (!answer || !TakeAnswer(worker, *answer)) TakeDeath(static_cast<int>(w));
      } else if (IsSilent(worker)) {
        worker.Kill();
        TakeDeath(static_cast<int>(w));
      }
    }
  }

  bool IsSilent(const WorkerProcess& worker) const {
    const int64_t started = worker.place().started_ms;
    if (!worker.request() || started == 0) return false;
    const bool minimizes = worker.request()->kind == Request::Kind::kMinimize;
    return SteadyMilliseconds() - started >
           (minimizes ? options_.config.minimize_milliseconds : options_.config.case_milliseconds);
  }

  // False for bytes that are no answer.
  bool TakeAnswer(WorkerProcess& worker, const std::string& bytes) {
    const Request request = *worker.request();
    if (request.kind == Request::Kind::kMinimize) {
      std::optional<MinimizeAnswer> answer = DecodeMinimizeAnswer(bytes);
      if (!answer) return false;
      minimizations_[working_on_[&worker]].answer = std::move(answer);
    } else {
      std::optional<BlockAnswer> answer = DecodeBlockAnswer(bytes);
      if (!answer) return false;
      blocks_[request.first] = {request.count, *std::move(answer)};
      if (request.kind == Request::Kind::kExamine) isolated_cases_.insert(request.first);
    }
    worker.Finish();
    return true;
  }

  // A worker that died takes nothing with it: the rest of its block is run by others, the case that
  // it died at is run again with the engine apart. What dies even then is no trouble of the engine,
  // and a finding as it stands.
  void TakeDeath(int w) {
    WorkerProcess& worker = *workers_[w];
    const Request request = worker.request().value_or(Request{.count = 0});
    const uint64_t at = worker.place().index;
    const std::string death = worker.Death();
    if (request.kind == Request::Kind::kMinimize) {
      const size_t m = working_on_[&worker];
      if (request.isolated) {
        minimizations_[m].answer = MinimizeAnswer{};
        minimizations_[m].verdict += "; minimizing it ended with " + death;
      } else {
        // Tried again at the place in the order that it has.
        Request again = request;
        again.isolated = true;
        minimizations_[m].request = again;
        Start(w);
        working_on_[workers_[w].get()] = m;
        workers_[w]->Send(again);
        return;
      }
    } else if (request.kind == Request::Kind::kExamine) {
      BlockAnswer answer;
      answer.statistics.cases = 1;
      answer.divergences.push_back({.index = request.first,
                                    .mode = Mode::kMonolithic,
                                    .kind = "failure",
                                    .verdict = "failure outside of the engine: " + death,
                                    .patterns = {"X2"}});
      blocks_[request.first] = {1, std::move(answer)};
    } else if (request.count > 0) {
      const uint64_t end = request.first + request.count;
      if (at > request.first) {
        again_.push_back({.first = request.first, .count = at - request.first});
      }
      again_.push_back({.kind = Request::Kind::kExamine, .first = at});
      if (at + 1 < end) again_.push_back({.first = at + 1, .count = end - at - 1});
    }
    Start(w);
  }

  // ---- What they found
  // ----------------------------------------------------------------------------------------------

  void TakeBlocks() {
    for (auto block = blocks_.begin(); block != blocks_.end() && block->first == state_.next_case;
         block = blocks_.erase(block)) {
      const auto& [count, answer] = block->second;
      state_.next_case += count;
      state_.statistics.Add(answer.statistics);
      std::optional<uint64_t> last;
      for (const DivergenceRecord& divergence : answer.divergences) {
        if (divergence.index != last) ++state_.findings;
        last = divergence.index;
        Note(divergence);
      }
      if (answer.wrong_script && !state_.wrong_script) state_.wrong_script = answer.wrong_script;
    }
  }

  void Note(const DivergenceRecord& divergence) {
    for (size_t part = 0; part < divergence.patterns.size(); ++part) {
      const std::string& pattern = divergence.patterns[part];
      const std::string name = pattern.substr(0, pattern.find(' '));
      const std::string distinct =
          fmt::format("{}.{}.{}", options_.config.engine.engine, divergence.kind, name);
      // Failures have one pattern; what tells them apart is the message.
      const std::string key =
          divergence.kind == "failure"
              ? fmt::format("{} {}", distinct, StableMessage(divergence.verdict))
              : fmt::format("{} {}", distinct, pattern);
      Bucket& bucket = state_.buckets[key];
      if (++bucket.appearances > 1) continue;
      bucket.distinct = distinct;
      bucket.first_case = divergence.index;
      if (state_.minimizations[distinct]++ >= options_.config.minimizations) continue;
      minimizations_.push_back({.request = {.kind = Request::Kind::kMinimize,
                                            .first = divergence.index,
                                            .mode = divergence.mode,
                                            .part = static_cast<int>(part),
                                            .isolated = isolated_cases_.contains(divergence.index)},
                                .bucket = key,
                                .distinct = distinct,
                                .verdict = divergence.verdict});
    }
  }

  Status TakeMinimizations() {
    for (; taken_ < minimizations_.size() && minimizations_[taken_].answer; ++taken_) {
      Minimization& m = minimizations_[taken_];
      state_.statistics.Add(m.answer->statistics);
      if (m.answer->distinct.empty()) *m.answer = AsDrawn(m);
      const std::string& signature = m.answer->signature;
      if (!m.bucket.empty()) state_.buckets[m.bucket].signature = signature;
      if (state_.signatures.contains(signature)) continue;
      const std::filesystem::path folder = std::filesystem::path(options_.out) / signature;
      if (Status status = WriteFolder(folder, m.answer->files); !status.ok()) return status;
      state_.signatures[signature] = {m.answer->distinct, m.answer->title, m.request.first};
      m.answer->files.clear();
      progress_(state_, fmt::format("finding {}: {} (case {})", signature, m.answer->title,
                                    m.request.first));
    }
    return Done{};
  }

  // The answer for a divergence that could not be minimized.
  MinimizeAnswer AsDrawn(const Minimization& m) const {
    MinimizeAnswer answer;
    answer.distinct = m.distinct;
    answer.signature =
        fmt::format("{}.{:08x}", m.distinct, static_cast<uint32_t>(Hash(StableMessage(m.verdict))));
    answer.title = m.verdict;
    answer.files.push_back(
        {"report.md",
         fmt::format(
             "# {}\n\nCase {} of seed {} (generator version {}), {}: {}.\n\nIt could not be "
             "made smaller: it did not show again, or ended the process that tried.\n",
             answer.signature, m.request.first, options_.config.seed, kGeneratorVersion,
             ModeName(m.request.mode), m.verdict)});
    return answer;
  }

  // Once all cases are run: what minimizing met beside what it was after, one of each distinct
  // signature that no case has shown. True when there is such work.
  bool StartOthers() {
    std::set<std::string> known;
    for (const auto& [key, bucket] : state_.buckets) known.insert(bucket.distinct);
    for (const Minimization& m : minimizations_) known.insert(m.distinct);
    for (const auto& [signature, record] : state_.signatures) known.insert(record.distinct);
    const size_t before = minimizations_.size();
    for (size_t m = 0; m < before; ++m) {
      const uint64_t index = minimizations_[m].request.first;
      for (const OtherRecord& other : std::vector(minimizations_[m].answer->others)) {
        if (!known.insert(other.distinct).second) continue;
        minimizations_.push_back({.request = {.kind = Request::Kind::kMinimize,
                                              .first = index,
                                              .mode = other.mode,
                                              .case_text = other.case_text},
                                  .bucket = {},
                                  .distinct = other.distinct,
                                  .verdict = "met while minimizing"});
      }
    }
    return minimizations_.size() > before;
  }

  const CampaignOptions& options_;
  const Progress& progress_;
  Signals signals_;
  SharedPlaces places_;
  const int64_t started_ms_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
  CampaignState state_;

  uint64_t next_block_ = 0;
  std::deque<Request> again_;  // pieces of blocks whose worker died
  std::map<uint64_t, std::pair<uint64_t, BlockAnswer>> blocks_;  // first case: count, answer
  std::set<uint64_t> isolated_cases_;                            // that ended a worker

  std::deque<Minimization> minimizations_;
  size_t next_minimization_ = 0;  // to hand out
  size_t taken_ = 0;              // answers that are in the state
  std::map<const WorkerProcess*, size_t> working_on_;
};

}  // namespace

int CampaignState::Distinct() const {
  std::set<std::string> distinct;
  for (const auto& [key, bucket] : buckets) {
    if (bucket.signature.empty()) distinct.insert(bucket.distinct);
  }
  for (const auto& [signature, record] : signatures) distinct.insert(record.distinct);
  return static_cast<int>(distinct.size());
}

int CampaignState::Variants() const {
  std::set<std::string> distinct;
  for (const auto& [signature, record] : signatures) distinct.insert(record.distinct);
  return static_cast<int>(signatures.size() - distinct.size());
}

Result<CampaignState> RunCampaign(const CampaignOptions& options, const Progress& progress) {
  return Coordinator(options, progress).Run();
}

}  // namespace seamfuzz
