// Python's lexical structure: indentation, bracketed continuation, string prefixes, numbers.
#include "fuzz/python_lexer.h"

#include <algorithm>
#include <array>

namespace seamfuzz {
namespace {

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

// Longest first.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "=",
};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  std::vector<PyToken> Run() {
    while (position_ < source_.size()) {
      if (at_line_start_ && brackets_ == 0) {
        at_line_start_ = false;
        if (!Indentation()) continue;
      }
      Step();
    }
    if (!tokens_.empty() && tokens_.back().kind != PyTokenKind::kNewline)
      Emit(PyTokenKind::kNewline, 0);
    for (; indents_.size() > 1; indents_.pop_back()) Emit(PyTokenKind::kDedent, 0);
    Emit(PyTokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char At(size_t offset) const {
    return position_ + offset < source_.size() ? source_[position_ + offset] : '\0';
  }
  void Emit(PyTokenKind kind, size_t length) {
    tokens_.push_back({kind, source_.substr(position_, length), line_,
                       static_cast<int>(position_ - line_start_) + 1});
    Skip(length);
  }
  // Advances over `length` bytes, counting lines.
  void Skip(size_t length) {
    for (size_t end = position_ + length; position_ < end; ++position_) {
      if (source_[position_] != '\n') continue;
      ++line_;
      line_start_ = position_ + 1;
    }
  }
  void SkipComment() { Skip(std::min(source_.find('\n', position_), source_.size()) - position_); }

  // At the start of a logical line. False when the line is blank or a comment, which has no
  // indentation.
  bool Indentation() {
    int width = 0;
    for (; At(0) == ' ' || At(0) == '\t' || At(0) == '\f'; Skip(1)) {
      width = At(0) == '\t' ? (width / 8 + 1) * 8 : width + 1;
    }
    if (At(0) == '\r') Skip(1);
    if (At(0) == '#') SkipComment();
    if (position_ >= source_.size()) return false;
    if (At(0) == '\n') {
      Skip(1);
      at_line_start_ = true;
      return false;
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      Emit(PyTokenKind::kDedent, 0);
    }
    if (width > indents_.back()) {
      indents_.push_back(width);
      Emit(PyTokenKind::kIndent, 0);
    }
    return true;
  }

  void Step() {
    const char c = At(0);
    if (c == '\n') {
      if (brackets_ == 0) {
        Emit(PyTokenKind::kNewline, 0);
        at_line_start_ = true;
      }
      Skip(1);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      Skip(1);
    } else if (c == '\\' && (At(1) == '\n' || (At(1) == '\r' && At(2) == '\n'))) {
      Skip(At(1) == '\n' ? 2 : 3);
    } else if (c == '#') {
      SkipComment();
    } else if (const size_t prefix = StringPrefix(); At(prefix) == '"' || At(prefix) == '\'') {
      String(prefix);
    } else if (IsNameStart(c)) {
      size_t length = 1;
      while (IsNamePart(At(length))) ++length;
      Emit(PyTokenKind::kName, length);
    } else if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) {
      Number();
    } else {
      Operator();
    }
  }

  // Length of the letters before a quote ("", r, b, u, f and pairs of them); 0 when no quote
  // follows them.
  size_t StringPrefix() const {
    size_t length = 0;
    while (length < 2 && std::string_view("rRbBuUfF").find(At(length)) != std::string_view::npos &&
           At(length) != '\0') {
      ++length;
    }
    return At(length) == '"' || At(length) == '\'' ? length : 0;
  }

  void String(size_t prefix) {
    const char quote = At(prefix);
    const bool triple = At(prefix + 1) == quote && At(prefix + 2) == quote;
    const size_t marks = triple ? 3 : 1;
    size_t i = prefix + marks;
    for (; position_ + i < source_.size(); ++i) {
      if (At(i) == '\\') {
        ++i;
      } else if (At(i) == '\n' && !triple) {
        break;
      } else if (At(i) == quote && (!triple || (At(i + 1) == quote && At(i + 2) == quote))) {
        Emit(PyTokenKind::kString, i + marks);
        return;
      }
    }
    Emit(PyTokenKind::kInvalid, std::min(i, source_.size() - position_));
  }

  void Number() {
    size_t length = 0;
    bool real = false;
    const bool based = At(0) == '0' && At(1) != '\0' &&
                       std::string_view("xXoObB").find(At(1)) != std::string_view::npos;
    for (;; ++length) {
      const char c = At(length);
      if (!based && c == '.') {
        real = true;
      } else if (!based && (c == 'e' || c == 'E') &&
                 (IsDigit(At(length + 1)) ||
                  ((At(length + 1) == '+' || At(length + 1) == '-') && IsDigit(At(length + 2))))) {
        real = true;
        ++length;
      } else if (!IsNamePart(c)) {
        break;
      }
    }
    Emit(real ? PyTokenKind::kFloat : PyTokenKind::kInteger, length);
  }

  void Operator() {
    for (std::string_view op : kOperators) {
      if (source_.substr(position_, op.size()) != op) continue;
      if (op == "(" || op == "[" || op == "{") ++brackets_;
      if (op == ")" || op == "]" || op == "}") brackets_ = std::max(0, brackets_ - 1);
      Emit(PyTokenKind::kOperator, op.size());
      return;
    }
    Emit(PyTokenKind::kInvalid, 1);
  }

  std::string_view source_;
  size_t position_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
  int brackets_ = 0;
  bool at_line_start_ = true;
  std::vector<int> indents_ = {0};
  std::vector<PyToken> tokens_;
};

}  // namespace

std::vector<PyToken> TokenizePython(std::string_view source) { return Tokenizer(source).Run(); }

}  // namespace seamfuzz
