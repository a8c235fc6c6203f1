// What a scheduler's row of data says, in a reader's words: for `wakelab diff` and the generated
// table docs/model/parameters.md.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"

namespace wakelab::policy {

struct Parameter {
    std::string_view name;     // "wake_affine()"
    std::string_view section;  // of the specification: "cfs.md 4.3"
    std::string value;         // a few words
};

// Collects the parameters of one row.
class ParameterList {
 public:
    // `section` of all that follow.
    ParameterList& in(std::string_view section) {
        section_ = section;
        return *this;
    }
    // The value of an enum by the word of its enumerator; `words` in order of declaration.
    template <class Enum>
    ParameterList& choice(std::string_view name, Enum value,
                          std::initializer_list<std::string_view> words) {
        const auto index = static_cast<std::size_t>(value);
        WK_CHECK(index < words.size());
        return text(name, std::string(words.begin()[index]));
    }
    ParameterList& flag(std::string_view name, bool on) { return text(name, on ? "yes" : "no"); }
    ParameterList& number(std::string_view name, std::int64_t value, std::string_view unit) {
        return text(name, std::to_string(value) + (unit.empty() ? "" : " ") + std::string(unit));
    }
    ParameterList& text(std::string_view name, std::string value) {
        list_.push_back({name, section_, std::move(value)});
        return *this;
    }
    [[nodiscard]] std::vector<Parameter> take() { return std::move(list_); }

 private:
    std::string_view section_;
    std::vector<Parameter> list_;
};

}  // namespace wakelab::policy
