// A value or a labelled error: how every folder reports what a file, a user or a child process can
// cause.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace seamfuzz {

// `rule` is the label of the broken rule ("update_target", "shape_limit"), `message` one line of
// text without a position. `line` and `column` are 1-based and 0 where no text is involved.
struct Error {
  std::string rule;
  std::string message;
  int line = 0;
  int column = 0;

  // "LINE:COLUMN: rule: message", or "rule: message" where there is no position.
  std::string Text() const;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  const T& operator*() const& { return std::get<0>(state_); }
  T& operator*() & { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  const T* operator->() const { return &std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace seamfuzz
