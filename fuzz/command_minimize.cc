// `seamfuzz minimize`: the smallest case that fails in the same way, and the proof that no single
// step makes it smaller.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fuzz/command.h"
#include "fuzz/files.h"
#include "fuzz/finding.h"
#include "fuzz/import_nvfuser.h"
#include "fuzz/minimize/minimize.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

struct MinimizeArguments {
  EngineArguments engine;
  std::string path;
  std::string out;
  bool verify = false;
};

struct NamedCase {
  std::string path;  // FILE.seam, FILE.py, or FILE.py#NAME where the script holds several
  Case value;
};

// The fusions of a script, or the one that FILE.py#NAME chooses.
Result<std::vector<NamedCase>> LoadScript(const std::string& path) {
  const size_t hash = path.rfind('#');
  const std::string file = path.substr(0, hash);
  const std::string name = hash == std::string::npos ? std::string() : path.substr(hash + 1);
  const Result<std::string> source = ReadFile(file);
  if (!source.ok()) return source.error();
  Result<std::vector<ImportedCase>> imported = ImportNvfuser(*source);
  if (!imported.ok()) return Error{"", fmt::format("{}:{}", file, imported.error().Text())};
  std::vector<NamedCase> cases;
  std::string names;
  for (ImportedCase& c : *imported) {
    const std::string full = fmt::format("{}#{}", file, c.name);
    names += " " + full;
    if (name.empty() || c.name == name) {
      cases.push_back({imported->size() == 1 ? file : full, std::move(c.value)});
    }
  }
  if (cases.empty()) return Error{"", fmt::format("{}: no such case; there is{}", path, names)};
  return cases;
}

Result<std::vector<NamedCase>> Load(const std::string& path) {
  const std::string file = path.substr(0, path.rfind('#'));
  if (file.ends_with(".py")) return LoadScript(path);
  Result<ParsedCase> parsed = LoadCase(path);
  if (!parsed.ok()) return parsed.error();
  std::vector<NamedCase> cases(1);
  cases[0] = {path, std::move(parsed->value)};
  return cases;
}

// The first mode that fails, one with the classes that the case claims before others. Nothing when
// no mode is bad.
std::optional<Divergence> FirstDivergence(Engine& engine, const Case& c) {
  std::optional<Divergence> first;
  for (Mode mode : kModes) {
    std::optional<Divergence> d = Diverge(engine, c, mode);
    if (!d) continue;
    if (d->signature.classes == c.classes) return d;
    if (!first) first = std::move(d);
  }
  return first;
}

int Verify(Engine& engine, const Case& c, const std::string& path) {
  const std::optional<Divergence> d = FirstDivergence(engine, c);
  if (!d) {
    fmt::print("not verified: {} agrees in both modes\n", path);
    return kExitBad;
  }
  if (!c.classes.empty() && d->signature.classes != c.classes) {
    fmt::print("not verified: {} is {}, its class line says {}\n", path, d->signature.Text(),
               Text(c.classes));
    return kExitBad;
  }
  Minimized m{.divergence = *d};
  if (const std::optional<AcceptedStep> step = FindSmallerStep(engine, *d, m.single_steps)) {
    fmt::print("not verified: {} gets smaller by {} and keeps {}\n", path, step->pass,
               d->signature.Distinct());
    return kExitBad;
  }
  fmt::print("verified: {}, {}\n", d->signature.Text(), Certificate(m));
  return kExitGood;
}

// Nothing that this process remembers can help: the check runs in a process of its own.
int VerifyElsewhere(const MinimizeArguments& arguments) {
  std::fflush(stdout);
  std::vector<std::string> words = {"seamfuzz", "minimize", arguments.out,
                                    "--verify", "--engine", arguments.engine.engine};
  for (const std::string& fault : arguments.engine.faults) {
    words.insert(words.end(), {"--fault", fault});
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv("/proc/self/exe", argv.data());
    _exit(kExitUsage);
  }
  if (child < 0) return UsageError(fmt::format("no process to verify in: {}", strerror(errno)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitBad;
}

// What is so where no mode is bad, in the words of replay.
void PrintVerdicts(Engine& engine, const NamedCase& c) {
  for (Mode mode : kModes) {
    fmt::print("{}: {}: {}\n", c.path, ModeName(mode),
               Text(Evaluate(engine, c.value, mode).verdict));
  }
  fmt::print("{}: nothing to minimize on engine {}\n", c.path, engine.name());
}

int MinimizeOne(Engine& engine, const NamedCase& c, const MinimizeArguments& arguments) {
  const std::optional<Divergence> start = FirstDivergence(engine, c.value);
  if (!start) {
    PrintVerdicts(engine, c);
    return kExitBad;
  }
  const Minimized minimized = Minimize(engine, Part(engine, *start, 0));
  const std::string text =
      Print(Labeled(minimized, {.faults = arguments.engine.faults, .drawn = c.path}));
  if (arguments.out.empty()) {
    fmt::print("{}", text);
  } else if (Status status = WriteFile(arguments.out, text); !status.ok()) {
    return UsageError(status.error());
  }
  std::fflush(stdout);
  const Size size = SizeOf(minimized.divergence.c);
  // Beside the case, which may go to a file through stdout.
  fmt::print(
      stderr, "{}: {}\n{} ops, {} cuts, {} updates, {} elements after {} steps of {} tried\n{}\n",
      minimized.divergence.signature.Text(), Title(minimized.divergence), size[Measure::kOps],
      size[Measure::kCuts], size[Measure::kUpdates], size[Measure::kElements],
      minimized.steps.size(), minimized.tried, Certificate(minimized));
  return arguments.verify ? VerifyElsewhere(arguments) : kExitGood;
}

int Run(const MinimizeArguments& arguments) {
  Result<std::unique_ptr<Engine>> made = MakeEngine(arguments.engine);
  if (!made.ok()) return UsageError(made.error());
  Engine& engine = **made;
  const Result<std::vector<NamedCase>> cases = Load(arguments.path);
  if (!cases.ok()) return UsageError(cases.error());
  if (cases->size() > 1 && (arguments.verify || !arguments.out.empty())) {
    std::string names;
    for (const NamedCase& c : *cases) names += " " + c.path;
    return UsageError(fmt::format("{}: choose one of its cases:{}", arguments.path, names));
  }
  for (const NamedCase& c : *cases) {
    if (const std::string reason = engine.WhyNot(c.value); !reason.empty()) {
      return UsageError(fmt::format("{}: {}", c.path, reason));
    }
    if (const Judge judge(c.value); !judge.status().ok()) {
      return UsageError(judge.status().error(), c.path);
    }
  }
  if (arguments.verify && arguments.out.empty()) {
    return Verify(engine, cases->front().value, arguments.path);
  }
  int status = kExitBad;  // until one of them has been made smaller
  for (const NamedCase& c : *cases) {
    const int one = MinimizeOne(engine, c, arguments);
    if (one == kExitUsage) return one;
    if (one == kExitGood) status = kExitGood;
  }
  return status;
}

}  // namespace

CommandAction DeclareMinimize(CLI::App& app) {
  auto arguments = std::make_shared<MinimizeArguments>();
  app.add_option("CASE", arguments->path,
                 "a .seam file, an nvFuser script FILE.py, or FILE.py#NAME for one of its fusions")
      ->required();
  app.add_option("-o,--output", arguments->out, "write the minimized case here (default: stdout)")
      ->type_name("OUT");
  AddEngineOptions(app, arguments->engine);
  app.add_flag(
      "--verify", arguments->verify,
      "check in a fresh process that OUT fails as it says and that no single step makes it "
      "smaller; without -o: check CASE itself");
  return [arguments] { return Run(*arguments); };
}

}  // namespace seamfuzz
