// Result<T>: a value or one line that says what is wrong with the input (file, line or field, and what
// was expected). A small subset of std::expected, which GCC 12 offers only under C++23.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace wakelab {

struct Error {
    std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
    Result(T value) : value_(std::move(value)) {}                    // NOLINT: implicit on purpose
    Result(Error error) : error_(std::move(error)) {}                // NOLINT: implicit on purpose
    explicit operator bool() const { return value_.has_value(); }
    T& operator*() { WK_CHECK(value_); return *value_; }
    const T& operator*() const { WK_CHECK(value_); return *value_; }
    T* operator->() { WK_CHECK(value_); return &*value_; }
    const T* operator->() const { WK_CHECK(value_); return &*value_; }
    [[nodiscard]] const Error& error() const { return error_; }

 private:
    std::optional<T> value_;
    Error error_;
};

// Success or an error, for calls that return nothing.
class [[nodiscard]] Status {
 public:
    Status() = default;
    Status(Error error) : error_(std::move(error)) {}                // NOLINT: implicit on purpose
    explicit operator bool() const { return !error_.has_value(); }
    [[nodiscard]] const Error& error() const { return *error_; }

 private:
    std::optional<Error> error_;
};

}  // namespace wakelab
