// The worker protocol (README.md): messages as bytes, requests and answers as values. Whatever a
// worker sends, reading it ends with a value or a labelled error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generator/case/case.h"
#include "generator/case/outcome.h"
#include "generator/ir/result.h"

namespace seamfuzz {

inline constexpr int kProtocolVersion = 1;
// Of what a worker sends; requests carry scripts and may be larger.
inline constexpr int64_t kMaxHeaderBytes = int64_t{1} << 20;
inline constexpr int kMaxFrames = 4096;

struct Message {
  std::string header;  // JSON
  std::vector<std::vector<std::byte>> frames;
};
// The frames' count is written into the header by the functions below that make headers.
std::vector<std::byte> Encode(const Message& message);

// Takes bytes as they come and holds one message. `frame_limits` has the largest size of each frame
// that is acceptable; nothing larger, and no more frames, is ever allocated.
class MessageReader {
 public:
  explicit MessageReader(std::vector<int64_t> frame_limits) : limits_(std::move(frame_limits)) {}

  // How many bytes may be read next (never past the message's end; 0: complete).
  size_t wanted() const { return wanted_ - buffer_.size(); }
  bool complete() const { return state_ == State::kComplete; }
  // Takes at most wanted() bytes. Rules: header_size, header, frame_count, frame_size.
  Status Take(std::span<const std::byte> bytes);
  Message& message() { return message_; }

 private:
  enum class State : uint8_t { kHeaderSize, kHeader, kFrameSize, kFrame, kComplete };
  Status Step();
  void Want(State state, size_t bytes);

  State state_ = State::kHeaderSize;
  size_t wanted_ = 8;
  size_t frames_ = 0;  // how many the header announces
  std::vector<std::byte> buffer_;
  std::vector<int64_t> limits_;
  Message message_;
};

struct WorkRequest {
  int64_t id = 0;
  const Case* c = nullptr;
  Mode mode = Mode::kMonolithic;
  bool compiled = true;
  int calls = 2;
  std::string script;                  // empty: the engine has no text column
  std::vector<StorageBytes> storages;  // with guard zones
};
Message EncodeRequest(const WorkRequest& request);
// The frame limits of an honest answer.
std::vector<int64_t> AnswerLimits(const WorkRequest& request);

struct WorkAnswer {
  Outcome outcome;
  double seconds = 0;  // inside the compiler and the first execution
};
// Rules: answer_json, answer_id, answer_field, answer_frames, answer_identity.
Result<WorkAnswer> DecodeAnswer(const Message& message, const WorkRequest& request);

struct Hello {
  std::string engine;
  std::string version;
  std::string absent;  // not empty: why the worker cannot work
};
// Rules: answer_json, hello_protocol, answer_field.
Result<Hello> DecodeHello(const Message& message);

}  // namespace seamfuzz
