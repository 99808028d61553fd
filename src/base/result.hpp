// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Errors as values: the core returns them instead of throwing.
//
// A message is one sentence for a person: it names the file or value at fault and says what to do. Code that cannot
// handle an Error returns it unchanged; only the outermost layer (an element, a command) shows it.

#pragma once

#include <string>
#include <utility>
#include <variant>

namespace bcp {

enum class ErrorCode {
  kNotFound,     // a file, label or device is missing
  kInvalid,      // it exists but is wrong
  kUnsupported,  // it is valid, but this build or machine cannot do it
  kRuntime,      // it worked before and failed now
};

struct Error {
  ErrorCode code = ErrorCode::kRuntime;
  std::string message;
};

inline Error invalid(std::string message) {
  return {ErrorCode::kInvalid, std::move(message)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: a value is a result
  Result(Error error) : value_(std::move(error)) {}  // NOLINT: so is a failure

  explicit operator bool() const { return value_.index() == 0; }
  T& operator*() & { return std::get<0>(value_); }
  const T& operator*() const& { return std::get<0>(value_); }
  T&& operator*() && { return std::get<0>(std::move(value_)); }
  T* operator->() { return &std::get<0>(value_); }
  const T* operator->() const { return &std::get<0>(value_); }
  const Error& error() const { return std::get<1>(value_); }

 private:
  std::variant<T, Error> value_;
};

// The result of a function that returns nothing: `return ok();` or an Error.
using Status = Result<std::monostate>;
inline Status ok() {
  return std::monostate{};
}

}  // namespace bcp
