// Reads a compressed conformance file of data/vectors (see data/vectors/README.md), for tests only.
#pragma once

#include <string>
#include <vector>

namespace wakelab::test {

// Lines of data/vectors/<name>.zst without the line ends. Aborts the test when the file is missing.
std::vector<std::string> vector_lines(const std::string& name);

// Fields of one CSV line (no quoting in these files).
std::vector<std::string> split_csv(const std::string& line);

}  // namespace wakelab::test
