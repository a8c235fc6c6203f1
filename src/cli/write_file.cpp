#include "cli/write_file.hpp"

#include "trace/output_file.hpp"

namespace wakelab::cli {

Status write_file(const std::string& path, std::string_view content) {
    auto file = trace::OutputFile::create(path);
    if (!file) return file.error();
    file->write(content);
    return file->commit();
}

}  // namespace wakelab::cli
