#include "support/vector_file.hpp"

#include <zstd.h>

#include <fstream>
#include <iterator>

#include "base/check.hpp"
#include "support/source_path.hpp"

namespace wakelab::test {

namespace {

std::string decompress(const std::string& packed) {
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    WK_CHECK(size != ZSTD_CONTENTSIZE_ERROR && size != ZSTD_CONTENTSIZE_UNKNOWN);
    std::string text(size, '\0');
    const std::size_t n = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    WK_CHECK(n == size);
    return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        std::size_t end = text.find(separator, begin);
        if (end == std::string::npos) end = text.size();
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace

std::vector<std::string> vector_lines(const std::string& name) {
    std::ifstream in(source_path("data/vectors/" + name + ".zst"),
                     std::ios::binary);
    WK_CHECK(in.good());
    const std::string packed((std::istreambuf_iterator<char>(in)), {});
    std::vector<std::string> lines = split(decompress(packed), '\n');
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

std::vector<std::string> split_csv(const std::string& line) { return split(line, ','); }

}  // namespace wakelab::test
