// Properties over bytes: text as it comes, or bytes as the choices of the generator.
#include "fuzz/properties.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "engine/engine.h"
#include "fuzz/import_nvfuser.h"
#include "generator/case/text.h"
#include "generator/draw/draw.h"
#include "oracle/judge.h"

namespace seamfuzz {
namespace {

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Case Drawn(std::span<const std::byte> bytes) {
  Choices choices(bytes);
  return DrawCase(choices, DrawConfig{});
}

Broken Roundtrip(const Case& c) {
  const std::string text = Print(c);
  const Result<ParsedCase> again = ParseCase(text);
  if (!again.ok()) return fmt::format("does not read back: {}\n{}", again.error().Text(), text);
  if (!(again->value == c)) return fmt::format("reads back as another case:\n{}", text);
  const std::string twice = Print(again->value);
  if (twice != text) return fmt::format("prints differently the second time:\n{}\n{}", text, twice);
  return std::nullopt;
}

constexpr PropertyRow kProperties[] = {
    {"case_parser", "whatever the text, the parser returns, and what it accepts has one text",
     CaseParser, "cases"},
    {"importer", "whatever the script, the importer returns, and what it makes has one text",
     Importer, "imports"},
    {"text_roundtrip", "every drawn case survives its text form", TextRoundtrip, "choices"},
    {"generated_is_valid", "every drawn case is well-formed", GeneratedIsValid, "choices"},
    {"mono_equals_segmented", "our engine agrees with the reference in both modes",
     MonoEqualsSegmented, "choices"},
};

}  // namespace

Broken CaseParser(std::span<const std::byte> bytes) {
  const Result<ParsedCase> parsed = ParseCase(AsText(bytes));
  return parsed.ok() ? Roundtrip(parsed->value) : std::nullopt;
}

Broken Importer(std::span<const std::byte> bytes) {
  const Result<std::vector<ImportedCase>> cases = ImportNvfuser(AsText(bytes));
  if (!cases.ok()) return std::nullopt;
  for (const ImportedCase& imported : *cases) {
    if (Broken broken = Roundtrip(imported.value)) return broken;
  }
  return std::nullopt;
}

Broken TextRoundtrip(std::span<const std::byte> bytes) { return Roundtrip(Drawn(bytes)); }

Broken GeneratedIsValid(std::span<const std::byte> bytes) {
  const Case c = Drawn(bytes);
  const std::vector<Error> rules = BrokenContract(c.graph);
  if (!rules.empty()) return fmt::format("{}\n{}", rules.front().Text(), Print(c));
  const Judge judge(c);
  if (!judge.status().ok()) return fmt::format("{}\n{}", judge.status().error().Text(), Print(c));
  return std::nullopt;
}

Broken MonoEqualsSegmented(std::span<const std::byte> bytes) {
  const Case c = Drawn(bytes);
  const Result<std::unique_ptr<Engine>> engine = MakeEngine("sim", {});
  if (!engine.ok()) return engine.error().Text();
  Judge judge(c);
  if (!judge.status().ok()) return std::nullopt;  // generated_is_valid's business
  for (Mode mode : kModes) {
    const Verdict verdict = judge.Of(mode, (*engine)->Run(c, mode));
    if (verdict.bad()) return fmt::format("{}: {}\n{}", ModeName(mode), Text(verdict), Print(c));
  }
  return std::nullopt;
}

std::span<const PropertyRow> Properties() { return kProperties; }

int CheckProperty(Broken (*property)(std::span<const std::byte>), const void* data, size_t size) {
  const Broken broken = property({static_cast<const std::byte*>(data), size});
  if (!broken) return 0;
  fmt::print(stderr, "{}\n", *broken);
  std::abort();
}

}  // namespace seamfuzz
