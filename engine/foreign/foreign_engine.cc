// Foreign engines: temporary folder, worker command, outcomes, absence.
#include "engine/foreign/foreign_engine.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

#include "engine/foreign/python_files.h"
#include "generator/case/values.h"
#include "generator/ir/check.h"

namespace seamfuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderPrefix = "seamfuzz-";

// Folders of processes that were killed before they could clean up.
void RemoveStaleFolders(const fs::path& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kFolderPrefix)) continue;
    pid_t pid = 0;
    const char* first = name.data() + kFolderPrefix.size();
    const auto [end, bad] = std::from_chars(first, name.data() + name.size(), pid);
    if (bad != std::errc() || end == first || *end != '-' || pid <= 0) continue;
    if (kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

// A fresh folder with the Python files in it.
Result<std::string> MakeFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  RemoveStaleFolders(parent);
  std::string folder = (parent / fmt::format("{}{}-XXXXXX", kFolderPrefix, getpid())).string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    return Error{.rule = "scratch", .message = fmt::format("no temporary folder {}", folder)};
  }
  for (const PythonFileRow& file : PythonFiles()) {
    std::ofstream out(fs::path(folder) / file.name, std::ios::binary);
    out << file.text;
    if (!out.flush())
      return Error{.rule = "scratch", .message = fmt::format("cannot write to {}", folder)};
  }
  return folder;
}

WorkerSpec PythonSpec(const ForeignRow& row, const std::string& python, const std::string& folder,
                      int worker) {
  const std::string scratch = fmt::format("{}/worker-{}", folder, worker);
  std::error_code error;
  fs::create_directories(scratch, error);
  WorkerSpec spec;
  spec.command = {python, folder + "/worker.py", std::string(row.name)};
  // Generous: a loaded machine compiles ten times slower, and slowness is no bug.
  spec.request_limit = std::chrono::minutes(5);
  // The same hash of strings in every process: compilers iterate over sets.
  spec.environment = {
      {"SEAMFUZZ_SCRATCH", scratch}, {"PYTHONHASHSEED", "0"}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  return spec;
}

bool IsExecutable(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

template <size_t I>
EngineRow MakeEngineRow() {
  return {.name = ForeignRows()[I].name,
          .description = ForeignRows()[I].description,
          .why_absent =
              [] {
                const ForeignRow& row = ForeignRows()[I];
                const std::string python = FindPython();
                if (python.empty())
                  return fmt::format("no python3 found; {} brings one", row.brings);
                const Result<std::string> version = ProbeVersion(row, python);
                if (version.ok()) return std::string();
                return fmt::format("{} ({}); {} brings it", version.error().message, python,
                                   row.brings);
              },
          .make = [](const EngineOptions& options) -> Result<std::unique_ptr<Engine>> {
            const ForeignRow& row = ForeignRows()[I];
            if (!options.faults.empty()) {
              return Error{
                  .rule = "no_faults",
                  .message = fmt::format("{} is not ours: it has no planted faults", row.name)};
            }
            Result<std::unique_ptr<ForeignEngine>> made = ForeignEngine::Make(row, FindPython(), 1);
            if (!made.ok()) return made.error();
            return std::unique_ptr<Engine>(std::move(*made));
          },
          .version =
              [] {
                const Result<std::string> version = ProbeVersion(ForeignRows()[I], FindPython());
                return version.ok() ? *version : std::string();
              }};
}

template <size_t... I>
std::vector<EngineRow> MakeEngineRows(std::index_sequence<I...>) {
  std::vector<EngineRow> rows;
  // Rows are function pointers without state, so each knows its position; one more than there are
  // is never named.
  (void)std::initializer_list<int>{
      (I < ForeignRows().size() ? (rows.push_back(MakeEngineRow<I>()), 0) : 0)...};
  return rows;
}

}  // namespace

std::string FindPython() {
  std::error_code error;
  if (const char* named = getenv("SEAMFUZZ_PYTHON"); named != nullptr && *named != '\0') {
    return fs::absolute(named, error).string();
  }
  std::vector<fs::path> roots = {fs::current_path(error)};
  for (fs::path p = fs::read_symlink("/proc/self/exe", error).parent_path(); p.has_relative_path();
       p = p.parent_path()) {
    roots.push_back(p);
  }
  for (const fs::path& root : roots) {
    if (IsExecutable(root / ".venv/bin/python")) return (root / ".venv/bin/python").string();
  }
  const char* path = getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path candidate = fs::path(rest.substr(0, end)) / "python3";
    if (candidate.is_absolute() && IsExecutable(candidate)) return candidate.string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

Result<std::unique_ptr<ForeignEngine>> ForeignEngine::Make(const ForeignRow& row,
                                                           std::string python, int workers) {
  Result<std::string> folder = MakeFolder();
  if (!folder.ok()) return folder.error();
  auto spec = [&row, python = std::move(python), folder = *folder](int worker) {
    return PythonSpec(row, python, folder, worker);
  };
  auto engine = std::make_unique<ForeignEngine>(row, std::move(spec), workers);
  engine->folder_ = std::move(*folder);
  return engine;
}

ForeignEngine::ForeignEngine(const ForeignRow& row, std::function<WorkerSpec(int)> spec,
                             int workers)
    : row_(row), pool_(std::move(spec), workers, row.max_requests) {}

ForeignEngine::~ForeignEngine() {
  std::error_code error;
  if (!folder_.empty()) fs::remove_all(folder_, error);
}

Outcome ForeignEngine::Run(const Case& c, Mode mode) {
  Outcome outcome;
  if (std::string why = WhyNot(c); !why.empty()) {
    outcome.kind = OutcomeKind::kCannot;
    outcome.text = std::move(why);
    return outcome;
  }
  WorkRequest request{.c = &c, .mode = mode, .compiled = LaneOf(c, "compile", "on") != "off"};
  if (row_.script != nullptr) request.script = row_.script(c, nullptr);
  request.storages = EntryBytes(c);
  outcome = pool_.Run(std::move(request));
  if (outcome.kind != OutcomeKind::kFailure) return outcome;
  for (const RefusalRow& refusal : row_.refusals) {
    if (outcome.text.find(refusal.text) != std::string::npos) outcome.kind = OutcomeKind::kRefusal;
  }
  return outcome;
}

std::optional<Outcome> ForeignEngine::RunUncompiled(const Case& c, Mode mode) {
  if (!row_.uncompiled) return std::nullopt;
  Case plain = c;
  plain.schedule.lanes["compile"] = "off";
  return Run(plain, mode);
}

EngineTimes ForeignEngine::times() const {
  const PoolTotals totals = pool_.Totals();
  return {totals.runs, totals.busy_seconds, totals.engine_seconds};
}

Result<std::string> ProbeVersion(const ForeignRow& row, const std::string& python) {
  Result<std::string> folder = MakeFolder();
  if (!folder.ok()) return folder.error();
  WorkerSpec spec = PythonSpec(row, python, *folder, 0);
  spec.command.push_back("--probe");
  Result<std::unique_ptr<Worker>> worker = Worker::Start(spec);
  std::error_code error;
  fs::remove_all(*folder, error);
  if (!worker.ok()) return worker.error();
  return (*worker)->hello().version;
}

std::vector<EngineRow> ForeignEngineRows() {
  constexpr size_t kMost = 8;
  CHECK(ForeignRows().size() <= kMost);
  return MakeEngineRows(std::make_index_sequence<kMost>());
}

}  // namespace seamfuzz
