// Workers that answer, die, hang, grow and lie. Each is a few lines of Python.
#include "engine/foreign/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "engine/foreign/foreign_engine.h"
#include "generator/case/text.h"

namespace seamfuzz {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kRelu = R"(seamfuzz 1
graph {
  T0 = input f32[3]
  T1 = relu(T0)
  T0 <- T1
  output T1
}
values exact seed 1
data T0 [-1, 2, 3]
)";

Case Parsed(std::string_view text) {
  Result<ParsedCase> parsed = ParseCase(text);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().Text());
  return parsed.ok() ? parsed->value : Case();
}

WorkerSpec PythonText(const std::string& program) {
  // Every liar starts with an honest hello and reads one request.
  static const std::string kPrologue =
      "import json, os, struct, sys, time\n"
      "def send(header, frames=()):\n"
      "  text = json.dumps(header).encode()\n"
      "  data = struct.pack('<Q', len(text)) + text\n"
      "  data += b''.join(struct.pack('<Q', len(f)) + f for f in frames)\n"
      "  sys.stdout.buffer.write(data); sys.stdout.buffer.flush()\n"
      "def receive():\n"
      "  n = struct.unpack('<Q', sys.stdin.buffer.read(8))[0]\n"
      "  header = json.loads(sys.stdin.buffer.read(n))\n"
      "  for _ in range(header.get('frames', 0)):\n"
      "    sys.stdin.buffer.read(struct.unpack('<Q', sys.stdin.buffer.read(8))[0])\n"
      "  return header\n"
      "send({'protocol': 1, 'engine': 'liar', 'version': '1'})\n"
      "id = receive()['id']\n";
  WorkerSpec spec;
  spec.command = {"/usr/bin/env", "python3", "-IS", "-c", kPrologue + program};
  spec.request_limit = std::chrono::milliseconds(20'000);
  return spec;
}

// What one request to such a worker comes to.
Outcome RunWith(const WorkerSpec& spec) {
  const Case c = Parsed(kRelu);
  Pool pool([&](int) { return spec; }, 1, 1000);
  return pool.Run({.c = &c, .storages = EntryBytes(c)});
}
Outcome RunWith(const std::string& program) { return RunWith(PythonText(program)); }

ForeignEngine Example() {
  static const ForeignRow kRow = {.name = "example", .dialect = &kTorchDialect};
  return ForeignEngine(
      kRow,
      [](int) {
        WorkerSpec spec;
        spec.command = {"/usr/bin/env", "python3",
                        SEAMFUZZ_SOURCE_DIR "/engine/foreign/example_worker.py"};
        return spec;
      },
      1);
}

TEST(ExampleWorker, CommitsAtExitAndFeedsTheSecondCall) {
  ForeignEngine engine = Example();
  const Outcome outcome = engine.Run(Parsed(R"(seamfuzz 1
graph {
  T0 = input i32[2]
  T1 = mul(T0, T0)
  T2 = add(T0, T1)
  T0 <- T1
  output T2
}
values exact seed 1
data T0 [2, 3]
)"),
                                     Mode::kMonolithic);
  ASSERT_EQ(outcome.kind, OutcomeKind::kEffects) << outcome.text;
  ASSERT_EQ(outcome.calls.size(), 2u);
  EXPECT_EQ(Load(&outcome.calls[0].outputs[1][4], DType::kI32).i, 12);
  EXPECT_EQ(Load(&outcome.calls[1].outputs[1][4], DType::kI32).i, 90);
  EXPECT_EQ(Load(&outcome.calls[1].storages[0][kGuardBytes], DType::kI32).i, 16);
}

TEST(ExampleWorker, SaysCannotToTheRest) {
  ForeignEngine engine = Example();
  const Outcome outcome = engine.Run(
      Parsed("seamfuzz 1\ngraph {\n  T0 = input f32[2]\n  T1 = exp(T0)\n  output T1\n}\n"),
      Mode::kSegmented);
  EXPECT_EQ(outcome.kind, OutcomeKind::kCannot);
}

TEST(ExampleWorker, SurvivesKillsThatAreNotItsFault) {
  const Case c = Parsed(kRelu);
  ForeignEngine engine = Example();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(engine.Run(c, Mode::kMonolithic).kind, OutcomeKind::kEffects);
    // Between two requests: the next one finds a dead worker.
    kill(engine.pool().WorkerProcess(0), SIGKILL);
  }
  EXPECT_EQ(engine.pool().Totals().restarts, 4);
}

TEST(Pool, ReportsADeathThatRepeats) {
  const Outcome outcome =
      RunWith("sys.stderr.write('assert x > 0\\n'); sys.stderr.flush(); os.abort()");
  EXPECT_EQ(outcome.failure, FailureKind::kCrash);
  EXPECT_THAT(outcome.text, HasSubstr("ended by signal 6"));
  EXPECT_THAT(outcome.text, HasSubstr("assert x > 0"));
}

TEST(Pool, TriesOnceMoreInAFreshWorker) {
  const std::string flag = ::testing::TempDir() + "/died_once";
  std::remove(flag.c_str());
  const Outcome outcome =
      RunWith("if not os.path.exists('" + flag + "'):\n  open('" + flag +
              "', 'w').close(); os.abort()\nsend({'id': id, 'cannot': 'second'})\ntime.sleep(9)");
  EXPECT_EQ(outcome.text, "second");
}

TEST(Pool, KillsAtTheDeadline) {
  WorkerSpec spec = PythonText("time.sleep(60)");
  spec.request_limit = std::chrono::milliseconds(200);
  EXPECT_EQ(RunWith(spec).failure, FailureKind::kTimeout);
}

TEST(Pool, KillsADripAtTheDeadline) {
  WorkerSpec spec =
      PythonText("while True: os.write(1, struct.pack('<Q', 1000)[:1]); time.sleep(0.05)");
  spec.request_limit = std::chrono::milliseconds(300);
  EXPECT_EQ(RunWith(spec).failure, FailureKind::kTimeout);
}

TEST(Pool, KillsWhatGrows) {
  WorkerSpec spec = PythonText("x = b'x' * (400 << 20)\ntime.sleep(60)");
  spec.memory_limit = int64_t{200} << 20;
  EXPECT_EQ(RunWith(spec).failure, FailureKind::kMemory);
}

TEST(Pool, PassesOnTheCompilersOwnFailure) {
  const Outcome outcome =
      RunWith("send({'id': id, 'failure': {'kind': 'compile', 'text': 'no'}})\ntime.sleep(9)");
  EXPECT_EQ(outcome.failure, FailureKind::kCompile);
  EXPECT_EQ(outcome.text, "no");
}

TEST(Pool, SaysCannotWhenNothingStarts) {
  WorkerSpec spec;
  spec.command = {"/nowhere/python3"};
  EXPECT_EQ(RunWith(spec).kind, OutcomeKind::kCannot);
}

// Two calls of two effects and one storage of 12 bytes between guard zones.
constexpr const char* kHonest =
    "call = {'identity': [[-1, -1], [-1, -1]]}\n"
    "frames = [b'', bytes(12), bytes(524)] * 2\n"
    "answer = {'id': id, 'calls': [call, call], 'frames': 6}\n";

TEST(Lies, AnHonestAnswerPasses) {
  EXPECT_EQ(RunWith(std::string(kHonest) + "send(answer, frames)\ntime.sleep(9)").kind,
            OutcomeKind::kEffects);
}

struct Lie {
  const char* name;
  const char* program;
  const char* text;
};
class Lies : public ::testing::TestWithParam<Lie> {};

TEST_P(Lies, IsABrokenEngineAndNoFinding) {
  const Outcome outcome = RunWith(std::string(kHonest) + GetParam().program + "\ntime.sleep(9)");
  EXPECT_EQ(outcome.kind, OutcomeKind::kCannot);
  EXPECT_THAT(outcome.text, HasSubstr("engine broken"));
  EXPECT_THAT(outcome.text, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Each, Lies,
    ::testing::Values(
        Lie{"WrongFrameSize", "frames[1] = bytes(8); send(answer, frames)",
            "frame 1 has 8 bytes, not 12"},
        Lie{"AbsurdFrameSize", "send(answer); os.write(1, struct.pack('<Q', 1 << 60))",
            "at most 0 expected"},
        Lie{"AbsurdHeaderSize", "os.write(1, struct.pack('<Q', 1 << 60))",
            "a header of 1152921504606846976 bytes"},
        Lie{"TooManyFrames", "answer['frames'] = 1 << 40; send(answer)",
            "frames is no sensible number"},
        Lie{"OneFrameMore", "answer['frames'] = 7; send(answer, frames + [b''])", "7 frames"},
        Lie{"NegativeFrames", "answer['frames'] = -1; send(answer)",
            "frames is no sensible number"},
        Lie{"NanFrames", "answer['frames'] = float('nan'); send(answer)", "no JSON object"},
        Lie{"NoJson", "os.write(1, struct.pack('<Q', 3) + b'oh!')", "no JSON object"},
        Lie{"AList", "send([1, 2])", "no JSON object"},
        Lie{"AnotherId", "answer['id'] = id + 1; send(answer, frames)", "another request"},
        Lie{"NoId", "del answer['id']; send(answer, frames)", "another request"},
        Lie{"NoCalls", "del answer['calls']; send(answer, frames)", "lacks 2 calls"},
        Lie{"OneCall", "answer['calls'] = [call]; send(answer, frames)", "lacks 2 calls"},
        Lie{"NoIdentity", "answer['calls'] = [{}, {}]; send(answer, frames)", "lacks an identity"},
        Lie{"IdentityOfNothing", "call['identity'][0] = [7, -1]; send(answer, frames)",
            "names nothing"},
        Lie{"IdentityIsText", "call['identity'][0] = ['a', 'b']; send(answer, frames)",
            "no pair of integers"},
        Lie{"SecondsAreText", "answer['seconds'] = 'x'; send(answer, frames)",
            "seconds is no number"},
        Lie{"NegativeSeconds", "answer['seconds'] = -1; send(answer, frames)",
            "seconds is no time"},
        Lie{"UnknownUnobserved", "answer['unobserved'] = ['all']; send(answer, frames)",
            "unknown word"},
        Lie{"UnknownFailure", "send({'id': id, 'failure': {'kind': 'sad', 'text': ''}})",
            "no failure kind"},
        Lie{"FailureWithoutText", "send({'id': id, 'failure': {}})", "lacks kind or text"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Lies, AHelloOfAnotherProtocolIsNotStarted) {
  WorkerSpec spec;
  spec.command = {"/usr/bin/env", "python3", "-c",
                  "import os, struct, time\nt = b'{\"protocol\": 2}'\nos.write(1, "
                  "struct.pack('<Q', len(t)) + t)\ntime.sleep(9)"};
  EXPECT_THAT(RunWith(spec).text, HasSubstr("does not speak protocol 1"));
}

}  // namespace
}  // namespace seamfuzz
