// See message.h.
#include "fuzz/message.h"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

namespace seamfuzz {
namespace {

using Json = nlohmann::json;

std::string Bytes(const Json& json) {
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

// `read` fills a message from the JSON; a field that is missing or of another type ends it.
template <typename Message, typename Read>
std::optional<Message> Decode(const std::string& bytes, Read read) {
  try {
    const Json json = Json::from_cbor(bytes);
    Message message;
    read(json, message);
    return message;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Json ToJson(const Tally& tally) { return {tally.judged, tally.weak, tally.unjudged}; }
void FromJson(const Json& json, Tally& tally) {
  json.at(0).get_to(tally.judged);
  json.at(1).get_to(tally.weak);
  json.at(2).get_to(tally.unjudged);
}

Json ToJson(const Statistics& s) {
  return {{"cases", s.cases},
          {"verdicts", s.verdicts},
          {"exact", ToJson(s.tallies[0])},
          {"bounded", ToJson(s.tallies[1])},
          {"ops", s.ops},
          {"cut_cases", s.cut_cases},
          {"more_kernels", s.more_kernels},
          {"times", {s.times.runs, s.times.busy_seconds, s.times.compiler_seconds}},
          {"cause_runs", s.cause_runs}};
}
void FromJson(const Json& json, Statistics& s) {
  json.at("cases").get_to(s.cases);
  json.at("verdicts").get_to(s.verdicts);
  FromJson(json.at("exact"), s.tallies[0]);
  FromJson(json.at("bounded"), s.tallies[1]);
  json.at("ops").get_to(s.ops);
  json.at("cut_cases").get_to(s.cut_cases);
  json.at("more_kernels").get_to(s.more_kernels);
  const Json& times = json.at("times");
  times.at(0).get_to(s.times.runs);
  times.at(1).get_to(s.times.busy_seconds);
  times.at(2).get_to(s.times.compiler_seconds);
  json.at("cause_runs").get_to(s.cause_runs);
}

Json ToJson(const std::vector<NamedText>& files) {
  Json json = Json::array();
  for (const NamedText& file : files) json.push_back({file.name, file.text});
  return json;
}
void FromJson(const Json& json, std::vector<NamedText>& files) {
  for (const Json& file : json) {
    files.push_back({file.at(0).get<std::string>(), file.at(1).get<std::string>()});
  }
}

}  // namespace

std::string Encode(const Request& r) {
  return Bytes({{"kind", static_cast<int>(r.kind)},
                {"first", r.first},
                {"count", r.count},
                {"mode", static_cast<int>(r.mode)},
                {"part", r.part},
                {"isolated", r.isolated},
                {"case", r.case_text}});
}

std::optional<Request> DecodeRequest(const std::string& bytes) {
  return Decode<Request>(bytes, [](const Json& json, Request& r) {
    r.kind = static_cast<Request::Kind>(json.at("kind").get<int>());
    json.at("first").get_to(r.first);
    json.at("count").get_to(r.count);
    r.mode = static_cast<Mode>(json.at("mode").get<int>());
    json.at("part").get_to(r.part);
    json.at("isolated").get_to(r.isolated);
    json.at("case").get_to(r.case_text);
  });
}

std::string Encode(const BlockAnswer& answer) {
  Json divergences = Json::array();
  for (const DivergenceRecord& d : answer.divergences) {
    divergences.push_back({{"index", d.index},
                           {"mode", static_cast<int>(d.mode)},
                           {"kind", d.kind},
                           {"verdict", d.verdict},
                           {"patterns", d.patterns}});
  }
  Json json = {{"statistics", ToJson(answer.statistics)}, {"divergences", divergences}};
  if (const auto& wrong = answer.wrong_script) {
    json["wrong_script"] = {wrong->index, wrong->verdict, ToJson(wrong->files)};
  }
  return Bytes(json);
}

std::optional<BlockAnswer> DecodeBlockAnswer(const std::string& bytes) {
  return Decode<BlockAnswer>(bytes, [](const Json& json, BlockAnswer& answer) {
    FromJson(json.at("statistics"), answer.statistics);
    for (const Json& from : json.at("divergences")) {
      DivergenceRecord& d = answer.divergences.emplace_back();
      from.at("index").get_to(d.index);
      d.mode = static_cast<Mode>(from.at("mode").get<int>());
      from.at("kind").get_to(d.kind);
      from.at("verdict").get_to(d.verdict);
      from.at("patterns").get_to(d.patterns);
    }
    if (const auto wrong = json.find("wrong_script"); wrong != json.end()) {
      WrongScript& script = answer.wrong_script.emplace();
      wrong->at(0).get_to(script.index);
      wrong->at(1).get_to(script.verdict);
      FromJson(wrong->at(2), script.files);
    }
  });
}

std::string Encode(const MinimizeAnswer& answer) {
  Json others = Json::array();
  for (const OtherRecord& other : answer.others) {
    others.push_back({other.distinct, other.case_text, static_cast<int>(other.mode)});
  }
  return Bytes({{"distinct", answer.distinct},
                {"signature", answer.signature},
                {"title", answer.title},
                {"files", ToJson(answer.files)},
                {"others", others},
                {"statistics", ToJson(answer.statistics)}});
}

std::optional<MinimizeAnswer> DecodeMinimizeAnswer(const std::string& bytes) {
  return Decode<MinimizeAnswer>(bytes, [](const Json& json, MinimizeAnswer& answer) {
    json.at("distinct").get_to(answer.distinct);
    json.at("signature").get_to(answer.signature);
    json.at("title").get_to(answer.title);
    FromJson(json.at("files"), answer.files);
    FromJson(json.at("statistics"), answer.statistics);
    for (const Json& other : json.at("others")) {
      answer.others.push_back({other.at(0).get<std::string>(), other.at(1).get<std::string>(),
                               static_cast<Mode>(other.at(2).get<int>())});
    }
  });
}

namespace {

bool WriteAll(int descriptor, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
  return true;
}

bool ReadAll(int descriptor, char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t got = read(descriptor, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

bool SendFrame(int descriptor, const std::string& bytes) {
  char header[8];
  for (int i = 0; i < 8; ++i) header[i] = static_cast<char>(uint64_t{bytes.size()} >> (8 * i));
  return WriteAll(descriptor, header, sizeof(header)) &&
         WriteAll(descriptor, bytes.data(), bytes.size());
}

std::optional<std::string> ReceiveFrame(int descriptor) {
  unsigned char header[8];
  if (!ReadAll(descriptor, reinterpret_cast<char*>(header), sizeof(header))) return std::nullopt;
  uint64_t length = 0;
  for (int i = 0; i < 8; ++i) length |= uint64_t{header[i]} << (8 * i);
  std::string bytes(length, '\0');
  if (!ReadAll(descriptor, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

}  // namespace seamfuzz
