#include "base/data_dir.hpp"

#include <cstdlib>

namespace wakelab {

std::string data_dir() {
    std::string dir = WAKELAB_SOURCE_DIR "/data";
    // Nothing in this program changes the environment, so reading it is safe with threads.
    if (const char* set = std::getenv("WAKELAB_DATA"); set != nullptr && *set != '\0') dir = set;
    while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
    return dir;
}

}  // namespace wakelab
