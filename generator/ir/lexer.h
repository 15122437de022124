// Tokens of the .seam text, with positions.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "generator/ir/result.h"

namespace seamfuzz {

enum class TokenKind : uint8_t { kEnd, kIdentifier, kInteger, kNumber, kPunctuation, kInvalid };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // into the source
  int line = 1;
  int column = 1;  // in bytes, 1-based
  bool first_on_line = false;
};

// The whole text as a number of type T; nullopt when it is none or does not fit. A leading + is
// fine.
template <typename T>
std::optional<T> ReadNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Comments (`#` to the end of the line) and white space are skipped. Punctuation: `<-`, `=`, and
// single characters. Any byte that starts no token is kInvalid; the lexer never reads past the end
// and never throws.
class Lexer {
 public:
  explicit Lexer(std::string_view source);
  const Token& peek() const { return token_; }
  Token Next();                          // returns the current token and advances
  bool Accept(std::string_view text);    // advances past a token with exactly this text
  Status Expect(std::string_view text);  // rule `syntax`
  std::string_view
  RestOfLine();  // raw text up to the end of the current token's line; advances past it
  Error At(const Token& token, std::string rule, std::string message) const;

 private:
  void Advance();
  std::string_view source_;
  size_t position_ = 0;
  int line_ = 1;
  size_t line_start_ = 0;
  Token token_;
};

}  // namespace seamfuzz
