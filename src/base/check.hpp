// WK_CHECK: an invariant of our own code. Always on, also in release: a wrong number is worse than a
// stop. Never use it for input; that is what Result is for.
#pragma once

namespace wakelab {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace wakelab

#define WK_CHECK(condition)                                             \
    do {                                                                \
        if (!(condition)) [[unlikely]]                                  \
            ::wakelab::check_failed(#condition, __FILE__, __LINE__);    \
    } while (false)
