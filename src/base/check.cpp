#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace wakelab {

void check_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "wakelab: bug: %s:%d: %s does not hold\n", file, line, condition);
    std::abort();
}

}  // namespace wakelab
