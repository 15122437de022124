// Tokens of the .seam text, with positions.
#include "generator/ir/lexer.h"

#include <fmt/format.h>

#include <algorithm>

namespace seamfuzz {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The token as an error message shows it: printable, and short whatever the source holds.
std::string Shown(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  constexpr size_t kShown = 32;
  std::string shown;
  for (char c : token.text.substr(0, kShown)) {
    if (c >= ' ' && c <= '~') {
      shown += c;
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (token.text.size() > kShown) shown += "...";
  return "'" + shown + "'";
}

}  // namespace

Lexer::Lexer(std::string_view source) : source_(source) { Advance(); }

Token Lexer::Next() {
  Token token = token_;
  Advance();
  return token;
}

bool Lexer::Accept(std::string_view text) {
  if (token_.kind == TokenKind::kEnd || token_.text != text) return false;
  Advance();
  return true;
}

Status Lexer::Expect(std::string_view text) {
  if (Accept(text)) return Done{};
  return At(token_, "syntax", fmt::format("expected '{}', got {}", text, Shown(token_)));
}

std::string_view Lexer::RestOfLine() {
  const size_t begin = static_cast<size_t>(token_.text.data() - source_.data());
  const size_t end = std::min(source_.find('\n', begin), source_.size());
  std::string_view rest = source_.substr(begin, end - begin);
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  position_ = end;
  Advance();
  return rest;
}

Error Lexer::At(const Token& token, std::string rule, std::string message) const {
  return {std::move(rule), std::move(message), token.line, token.column};
}

void Lexer::Advance() {
  bool first_on_line = position_ == 0;
  while (position_ < source_.size()) {
    const char c = source_[position_];
    if (c == '#') {
      position_ = std::min(source_.find('\n', position_), source_.size());
    } else if (c == '\n') {
      ++position_;
      ++line_;
      line_start_ = position_;
      first_on_line = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else {
      break;
    }
  }
  const size_t begin = position_;
  token_ = Token();
  token_.line = line_;
  token_.column = static_cast<int>(begin - line_start_) + 1;
  token_.first_on_line = first_on_line;
  const auto at = [&](size_t i) { return i < source_.size() ? source_[i] : '\0'; };
  if (begin == source_.size()) {
    token_.text = source_.substr(begin);
    return;
  }
  const char c = source_[begin];
  const size_t number = begin + (c == '-' || c == '+' ? 1 : 0);
  size_t end = begin + 1;
  if (IsLetter(c)) {
    while (IsLetter(at(end)) || IsDigit(at(end))) ++end;
    const std::string_view word = source_.substr(begin, end - begin);
    token_.kind = word == "inf" || word == "nan" ? TokenKind::kNumber : TokenKind::kIdentifier;
  } else if (c == '-' && source_.substr(number, 3) == "inf" && !IsLetter(at(number + 3)) &&
             !IsDigit(at(number + 3))) {
    end = number + 3;
    token_.kind = TokenKind::kNumber;
  } else if (IsDigit(at(number)) || (at(number) == '.' && IsDigit(at(number + 1)))) {
    // The longest run that could belong to a number; whether it is one is the reader's question.
    token_.kind = TokenKind::kInteger;
    for (end = number; end < source_.size(); ++end) {
      const char digit = source_[end];
      if (IsDigit(digit)) continue;
      const bool sign =
          (digit == '-' || digit == '+') && (at(end - 1) == 'e' || at(end - 1) == 'E');
      if (!sign && digit != '.' && !IsLetter(digit)) break;
      token_.kind = TokenKind::kNumber;
    }
  } else if (c == '<' && at(begin + 1) == '-') {
    end = begin + 2;
    token_.kind = TokenKind::kPunctuation;
  } else if (std::string_view("=()[]{},.").find(c) != std::string_view::npos) {
    token_.kind = TokenKind::kPunctuation;
  } else {
    token_.kind = TokenKind::kInvalid;
  }
  token_.text = source_.substr(begin, end - begin);
  position_ = end;
}

}  // namespace seamfuzz
