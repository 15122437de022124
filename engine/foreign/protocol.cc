// Messages, requests and answers of the worker protocol.
#include "engine/foreign/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "generator/case/text.h"

namespace seamfuzz {
namespace {

using Json = nlohmann::json;

void AppendSize(std::vector<std::byte>& out, uint64_t size) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<std::byte>(size >> (8 * i)));
}

uint64_t ReadSize(std::span<const std::byte> bytes) {
  uint64_t size = 0;
  for (int i = 0; i < 8; ++i) size |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return size;
}

// Discarded (is_discarded) where the text is no JSON.
Json ParseJson(const std::string& text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json IntListJson(const IntList& list) { return std::vector<int64_t>(list.begin(), list.end()); }

Json ViewJson(const Node& input, int storage) {
  return {{"name", input.name},
          {"storage", storage},
          {"dtype", Row(input.type.dtype).name},
          {"shape", IntListJson(input.type.shape)},
          {"strides", IntListJson(input.layout.strides)},
          {"offset", input.layout.offset},
          {"scalar", input.layout.scalar}};
}

Json EffectJson(const Graph& graph, const Effect& effect) {
  const Node& node = graph.node(effect.value);
  if (!effect.is_update()) {
    return {{"kind", "output"},
            {"name", node.name},
            {"dtype", Row(node.type.dtype).name},
            {"shape", IntListJson(node.type.shape)}};
  }
  int view = 0;
  for (ValueId v = 0; v < effect.target; ++v) view += graph.is_input(v);
  return {{"kind", "update"}, {"view", view}};
}

// The value at `key` when it is there and converts; JSON numbers convert to each other, nothing
// else does.
std::optional<std::string> StringAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}
std::optional<int64_t> IntegerAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

Error Broken(std::string rule, std::string message) {
  return {.rule = std::move(rule), .message = std::move(message)};
}

std::optional<FailureKind> FindFailureKind(std::string_view name) {
  static constexpr std::pair<std::string_view, FailureKind> kNames[] = {
      {"compile", FailureKind::kCompile},     {"crash", FailureKind::kCrash},
      {"timeout", FailureKind::kTimeout},     {"memory", FailureKind::kMemory},
      {"sanitizer", FailureKind::kSanitizer}, {"illegal_address", FailureKind::kIllegalAddress}};
  for (const auto& [text, kind] : kNames) {
    if (text == name) return kind;
  }
  return std::nullopt;
}

Result<Outcome> DecodeFailure(const Json& failure) {
  if (!failure.is_object()) return Broken("answer_field", "failure is no object");
  const auto kind = StringAt(failure, "kind");
  const auto text = StringAt(failure, "text");
  if (!kind || !text) return Broken("answer_field", "failure lacks kind or text");
  const auto found = FindFailureKind(*kind);
  if (!found) return Broken("answer_field", fmt::format("no failure kind '{}'", *kind));
  Outcome outcome;
  outcome.kind = OutcomeKind::kFailure;
  outcome.failure = *found;
  outcome.text = *text;
  return outcome;
}

// [[storage, effect], ...]: one pair for each effect.
Result<std::vector<Identity>> DecodeIdentity(const Json& call, size_t effects, size_t storages) {
  const auto found = call.is_object() ? call.find("identity") : call.end();
  if (!call.is_object() || found == call.end() || !found->is_array() || found->size() != effects) {
    return Broken("answer_field", "a call lacks an identity for each effect");
  }
  std::vector<Identity> identity;
  for (const Json& pair : *found) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() ||
        !pair[1].is_number_integer()) {
      return Broken("answer_identity", "an identity is no pair of integers");
    }
    const int64_t storage = pair[0].get<int64_t>(), output = pair[1].get<int64_t>();
    const int64_t earlier = static_cast<int64_t>(identity.size());
    if (storage < -1 || storage >= static_cast<int64_t>(storages) || output < -1 ||
        output >= earlier) {
      return Broken("answer_identity",
                    fmt::format("identity [{}, {}] names nothing", storage, output));
    }
    identity.push_back({.storage = static_cast<int>(storage), .output = static_cast<int>(output)});
  }
  return identity;
}

Result<Unobserved> DecodeUnobserved(const Json& answer) {
  Unobserved unobserved;
  const auto found = answer.find("unobserved");
  if (found == answer.end()) return unobserved;
  if (!found->is_array()) return Broken("answer_field", "unobserved is no list");
  for (const Json& name : *found) {
    if (name == "storages")
      unobserved.storages = true;
    else if (name == "guards")
      unobserved.guards = true;
    else if (name == "identity")
      unobserved.identity = true;
    else if (name == "second_call")
      unobserved.second_call = true;
    else
      return Broken("answer_field", "unobserved holds an unknown word");
  }
  return unobserved;
}

}  // namespace

std::vector<std::byte> Encode(const Message& message) {
  std::vector<std::byte> out;
  size_t total = 8 + message.header.size();
  for (const auto& frame : message.frames) total += 8 + frame.size();
  out.reserve(total);
  AppendSize(out, message.header.size());
  const auto header = std::as_bytes(std::span(message.header));
  out.insert(out.end(), header.begin(), header.end());
  for (const auto& frame : message.frames) {
    AppendSize(out, frame.size());
    out.insert(out.end(), frame.begin(), frame.end());
  }
  return out;
}

void MessageReader::Want(State state, size_t bytes) {
  state_ = state;
  wanted_ = bytes;
  buffer_.clear();
}

Status MessageReader::Take(std::span<const std::byte> bytes) {
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  // Empty headers and frames are complete without another byte.
  while (state_ != State::kComplete && buffer_.size() == wanted_) {
    if (Status step = Step(); !step.ok()) return step;
  }
  return Done{};
}

Status MessageReader::Step() {
  switch (state_) {
    case State::kHeaderSize: {
      const uint64_t size = ReadSize(buffer_);
      if (size > static_cast<uint64_t>(kMaxHeaderBytes)) {
        return Broken("header_size", fmt::format("a header of {} bytes", size));
      }
      Want(State::kHeader, size);
      return Done{};
    }
    case State::kHeader: {
      message_.header.assign(reinterpret_cast<const char*>(buffer_.data()), buffer_.size());
      const Json header = ParseJson(message_.header);
      if (!header.is_object()) return Broken("header", "a header that is no JSON object");
      if (header.contains("frames")) {
        const auto count = IntegerAt(header, "frames");
        if (!count || *count < 0 || *count > kMaxFrames)
          return Broken("frame_count", "frames is no sensible number");
        if (static_cast<size_t>(*count) > limits_.size()) {
          return Broken("frame_count",
                        fmt::format("{} frames, at most {} expected", *count, limits_.size()));
        }
        frames_ = static_cast<size_t>(*count);
      }
      Want(frames_ == 0 ? State::kComplete : State::kFrameSize, frames_ == 0 ? 0 : 8);
      return Done{};
    }
    case State::kFrameSize: {
      const uint64_t size = ReadSize(buffer_);
      const int64_t limit = limits_[message_.frames.size()];
      if (size > static_cast<uint64_t>(limit)) {
        return Broken("frame_size", fmt::format("frame {} has {} bytes, at most {} expected",
                                                message_.frames.size(), size, limit));
      }
      Want(State::kFrame, size);
      return Done{};
    }
    case State::kFrame: {
      message_.frames.push_back(std::move(buffer_));
      buffer_ = {};
      const bool last = message_.frames.size() == frames_;
      Want(last ? State::kComplete : State::kFrameSize, last ? 0 : 8);
      return Done{};
    }
    case State::kComplete:
      return Done{};
  }
  return Done{};
}

Message EncodeRequest(const WorkRequest& request) {
  const Graph& graph = request.c->graph;
  Json header = {{"id", request.id},
                 {"mode", ModeName(request.mode)},
                 {"compiled", request.compiled},
                 {"calls", request.calls},
                 {"case", Print(*request.c)},
                 {"guard", kGuardBytes},
                 {"frames", request.storages.size()},
                 {"lanes", Json::object()},
                 {"views", Json::array()},
                 {"effects", Json::array()}};
  if (!request.script.empty()) header["script"] = request.script;
  for (const auto& [name, value] : request.c->schedule.lanes) header["lanes"][name] = value;
  const std::vector<int> storage_of = StorageOf(graph);
  for (ValueId v = 0; v < graph.size(); ++v) {
    if (graph.is_input(v)) header["views"].push_back(ViewJson(graph.node(v), storage_of[v]));
  }
  for (const Effect& effect : graph.effects())
    header["effects"].push_back(EffectJson(graph, effect));
  // Text that is no UTF-8 (a note in a case file) is replaced, never thrown at us.
  return {.header = header.dump(-1, ' ', false, Json::error_handler_t::replace),
          .frames = request.storages};
}

std::vector<int64_t> AnswerLimits(const WorkRequest& request) {
  std::vector<int64_t> limits;
  for (int call = 0; call < request.calls; ++call) {
    for (const Effect& effect : request.c->graph.effects()) {
      const TensorType& type = request.c->graph.type(effect.value);
      limits.push_back(effect.is_update() ? 0 : NumElements(type.shape) * Row(type.dtype).bytes);
    }
    for (const StorageBytes& storage : request.storages)
      limits.push_back(static_cast<int64_t>(storage.size()));
  }
  return limits;
}

Result<WorkAnswer> DecodeAnswer(const Message& message, const WorkRequest& request) {
  const Json answer = ParseJson(message.header);
  if (!answer.is_object()) return Broken("answer_json", "the answer is no JSON object");
  if (IntegerAt(answer, "id") != request.id)
    return Broken("answer_id", "the answer is to another request");
  WorkAnswer result;
  Outcome& outcome = result.outcome;
  if (const auto seconds = answer.find("seconds"); seconds != answer.end()) {
    if (!seconds->is_number()) return Broken("answer_field", "seconds is no number");
    result.seconds = seconds->get<double>();
    if (!(result.seconds >= 0 && std::isfinite(result.seconds)))
      return Broken("answer_field", "seconds is no time");
  }
  if (answer.contains("failure")) {
    Result<Outcome> failure = DecodeFailure(answer["failure"]);
    if (!failure.ok()) return failure.error();
    outcome = std::move(*failure);
    return result;
  }
  if (const auto reason = StringAt(answer, "cannot")) {
    outcome.kind = OutcomeKind::kCannot;
    outcome.text = *reason;
    return result;
  }
  const size_t effects = request.c->graph.effects().size(), storages = request.storages.size();
  const auto calls = answer.find("calls");
  if (calls == answer.end() || !calls->is_array() ||
      calls->size() != static_cast<size_t>(request.calls)) {
    return Broken("answer_field", fmt::format("the answer lacks {} calls", request.calls));
  }
  const std::vector<int64_t> sizes = AnswerLimits(request);
  if (message.frames.size() != sizes.size()) {
    return Broken("answer_frames",
                  fmt::format("{} frames, not {}", message.frames.size(), sizes.size()));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (static_cast<int64_t>(message.frames[i].size()) != sizes[i]) {
      return Broken("answer_frames", fmt::format("frame {} has {} bytes, not {}", i,
                                                 message.frames[i].size(), sizes[i]));
    }
  }
  Result<Unobserved> unobserved = DecodeUnobserved(answer);
  if (!unobserved.ok()) return unobserved.error();
  outcome.unobserved = *unobserved;
  if (const auto kernels = IntegerAt(answer, "kernels"))
    outcome.kernels = static_cast<int>(std::clamp<int64_t>(*kernels, 0, 1 << 20));
  auto frame = message.frames.begin();
  for (const Json& call : *calls) {
    Result<std::vector<Identity>> identity = DecodeIdentity(call, effects, storages);
    if (!identity.ok()) return identity.error();
    Call decoded{.identity = std::move(*identity)};
    decoded.outputs.assign(frame, frame + effects);
    decoded.storages.assign(frame + effects, frame + effects + storages);
    frame += effects + storages;
    outcome.calls.push_back(std::move(decoded));
  }
  return result;
}

Result<Hello> DecodeHello(const Message& message) {
  const Json hello = ParseJson(message.header);
  if (!hello.is_object())
    return Broken("answer_json", "the worker's first message is no JSON object");
  if (IntegerAt(hello, "protocol") != kProtocolVersion) {
    return Broken("hello_protocol",
                  fmt::format("the worker does not speak protocol {}", kProtocolVersion));
  }
  if (const auto absent = StringAt(hello, "absent"))
    return Hello{.absent = absent->empty() ? "the worker cannot work" : *absent};
  const auto engine = StringAt(hello, "engine"), version = StringAt(hello, "version");
  if (!engine || !version)
    return Broken("answer_field", "the worker's first message lacks engine or version");
  return Hello{.engine = *engine, .version = *version};
}

}  // namespace seamfuzz
