// The properties that libFuzzer drives (fuzz/targets, one file each) and that fuzz_test checks over
// a fixed number of seeds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace seamfuzz {

// Empty when the property holds for these bytes, else what breaks it.
using Broken = std::optional<std::string>;

// Whatever the text, ParseCase returns; what it accepts prints to a text that it reads back as the
// same case and prints again the same way.
Broken CaseParser(std::span<const std::byte> bytes);
// Whatever the script, ImportNvfuser returns; every case that it makes has a text that reads back.
Broken Importer(std::span<const std::byte> bytes);
// Every case that can be drawn survives its text form.
Broken TextRoundtrip(std::span<const std::byte> bytes);
// Every case that is drawn without --ill-formed keeps the contract rules, and its index operands
// stay in range.
Broken GeneratedIsValid(std::span<const std::byte> bytes);
// Our engine without faults agrees with the reference, run as one kernel and run as segments.
Broken MonoEqualsSegmented(std::span<const std::byte> bytes);

struct PropertyRow {
  std::string_view name;      // of the fuzz target
  std::string_view sentence;  // what always holds
  Broken (*check)(std::span<const std::byte> bytes);
  std::string_view corpus;  // what its bytes are: "cases", "imports" or "choices"
};
std::span<const PropertyRow> Properties();

// The body of a libFuzzer target: a broken property ends the process with its text.
int CheckProperty(Broken (*property)(std::span<const std::byte>), const void* data, size_t size);

}  // namespace seamfuzz
