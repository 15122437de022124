// What coordinator and workers say to each other over pipes: one request, one answer. A frame is a
// length (8 bytes, little endian) and CBOR (RFC 8949).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/files.h"
#include "fuzz/statistics.h"
#include "generator/ir/segments.h"

namespace seamfuzz {

struct Request {
  enum class Kind : uint8_t {
    kBlock,     // run cases [first, first + count)
    kExamine,   // case `first` ended a worker: run it with the engine in a process of its own
    kMinimize,  // part `part` of what case `first` shows in `mode`
  };
  Kind kind = Kind::kBlock;
  uint64_t first = 0;
  uint64_t count = 1;
  Mode mode = Mode::kMonolithic;
  int part = 0;
  bool isolated = false;  // kMinimize: the engine in a process of its own
  std::string case_text;  // kMinimize: this case in place of the drawn one
};

// A bad verdict of one mode of one case, its cause by parts.
struct DivergenceRecord {
  uint64_t index = 0;
  Mode mode = Mode::kMonolithic;
  std::string kind;                   // "wrong" or "failure"
  std::string verdict;                // Text(Verdict)
  std::vector<std::string> patterns;  // pattern lines, one a part
};

// A case whose script is wrong without the compiler: an error of seamfuzz.
struct WrongScript {
  uint64_t index = 0;
  std::string verdict;           // Text(Verdict)
  std::vector<NamedText> files;  // the case and its script
};

struct BlockAnswer {
  Statistics statistics;
  std::vector<DivergenceRecord> divergences;  // in order of index, then mode
  std::optional<WrongScript> wrong_script;    // the block ends with its case then
};

// Another divergence that the minimizer met.
struct OtherRecord {
  std::string distinct;
  std::string case_text;
  Mode mode = Mode::kMonolithic;
};

struct MinimizeAnswer {
  std::string distinct;  // empty: the divergence did not show again
  std::string signature;
  std::string title;             // the cause in one line
  std::vector<NamedText> files;  // of the finding's folder
  std::vector<OtherRecord> others;
  Statistics statistics;  // what it took; no cases
};

std::string Encode(const Request& request);
std::string Encode(const BlockAnswer& answer);
std::string Encode(const MinimizeAnswer& answer);
// nullopt for bytes that are no such message (a worker that died while it wrote).
std::optional<Request> DecodeRequest(const std::string& bytes);
std::optional<BlockAnswer> DecodeBlockAnswer(const std::string& bytes);
std::optional<MinimizeAnswer> DecodeMinimizeAnswer(const std::string& bytes);

// Writes a whole frame; false when the other side is gone.
bool SendFrame(int descriptor, const std::string& bytes);
// Waits for a whole frame; nullopt at the end of the stream.
std::optional<std::string> ReceiveFrame(int descriptor);

}  // namespace seamfuzz
