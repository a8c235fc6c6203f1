#include "support/source_path.hpp"

namespace wakelab::test {

std::string source_path(std::string_view relative) {
    std::string path = WAKELAB_SOURCE_DIR "/";
    return path += relative;
}

}  // namespace wakelab::test
