// A short recording of this kernel's scheduler, made with an own tracefs instance that is gone afterwards,
// as a directory of raw pages and formats (src/trace/formats/trace_dat/raw_pages.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace wakelab::test {

// Two processes pass a byte to and fro `rounds` times. Nothing: recorded into `dir`. Otherwise the reason why
// this host cannot: no tracefs, not allowed.
std::optional<std::string> record_ping_pong(const std::filesystem::path& dir, int rounds);

}  // namespace wakelab::test
