// Typed access to the members of an rt-app object, with the error lines they deserve.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "work/rtapp/json_relaxed.hpp"

namespace wakelab::work::rtapp {

// The largest count and the most us that rt-app itself can read.
inline constexpr std::int64_t kMaxInt = 2'147'483'647;

struct Range {
    std::int64_t min = 0;
    std::int64_t max = kMaxInt;
    std::string_view unit{};  // "us"; empty for a count
};

class Fields {
 public:
    // `origin` must outlive this.
    explicit Fields(std::string_view origin) : origin_(origin) {}

    [[nodiscard]] Error error(int line, std::string_view message) const;
    // "'KEY': expected WHAT, found VALUE"
    [[nodiscard]] Error expected(const JsonMember& m, std::string_view what) const;

    [[nodiscard]] Result<std::int64_t> integer(const JsonMember& m, const Range& range) const;
    // The default when `m` is null.
    [[nodiscard]] Result<std::int64_t> integer_or(const JsonMember* m, const Range& range,
                                                  std::int64_t otherwise) const;
    // -1 (for ever) or 1 and more.
    [[nodiscard]] Result<std::int64_t> loop_or(const JsonMember* m, std::int64_t otherwise) const;
    [[nodiscard]] Status check_kind(const JsonMember& m, JsonKind kind) const {
        return check_kind(m, kind, kind);
    }
    [[nodiscard]] Status check_kind(const JsonMember& m, JsonKind kind, JsonKind or_kind) const;
    // Keys may repeat in these files, but a setting given twice has no order that could decide.
    [[nodiscard]] Status check_once(const JsonValue& object, const JsonMember& m) const;

 private:
    std::string_view origin_;
};

}  // namespace wakelab::work::rtapp
