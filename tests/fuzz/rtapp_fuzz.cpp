// libFuzzer target: whatever the text of an rt-app file, reading it ends in a model or in one line
// that names the file. Build with clang and -DWAKELAB_FUZZ=ON, then
//     build/tests/fuzz/rtapp_fuzz tests/fuzz/corpus/rtapp
#include <cstddef>
#include <cstdint>

#include "base/check.hpp"
#include "work/rtapp/rtapp_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto model = wakelab::work::rtapp::parse_model(text, "f.json");
    if (!model) {
        const std::string& line = model.error().message;
        WK_CHECK(line.starts_with("f.json:") && line.find('\n') == line.npos);
    }
    return 0;
}
