// The rules of the house as functions: each looks at files and returns what breaks its rule.
// tidy_test.cpp runs them on the source tree; checks_test.cpp shows for each rule a text that
// breaks it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tidy/source_file.hpp"

namespace wakelab::tidy {

using Files = std::vector<SourceFile>;

// layering.cpp: a room includes only itself and the rooms it lists, directly or through them.
using Rooms = std::map<std::string, std::set<std::string>, std::less<>>;  // room -> all it may use
[[nodiscard]] Rooms read_rooms(const SourceFile& src_cmake);              // the wk_room lines
[[nodiscard]] Findings check_layering(const SourceFile& file, const Rooms& rooms);

// determinism.cpp: nothing in the simulated world that differs between builds, runs or hosts.
[[nodiscard]] Findings check_determinism(const SourceFile& file);

// length.cpp
[[nodiscard]] Findings check_file_length(const SourceFile& file);
[[nodiscard]] Findings check_line_length(const SourceFile& file);
[[nodiscard]] Findings check_function_length(const SourceFile& file);

// hygiene.cpp
[[nodiscard]] Findings check_pragma_once(const SourceFile& file);
[[nodiscard]] Findings check_markers(const SourceFile& file);     // no unfinished business
[[nodiscard]] Findings check_host_paths(const SourceFile& file);  // no path of a build machine
[[nodiscard]] Findings check_has_test(const SourceFile& file);    // *_test.cpp without a TEST
// Names of *.cpp files, as debuggers and test reports show them; families of schedulers may share
// them.
[[nodiscard]] Findings check_unique_names(const Files& files);
[[nodiscard]] Findings check_room_readmes(const Files& files);
[[nodiscard]] Findings check_links(const Files& files);  // relative links of the documents

// packages.cpp: scripts/packages.txt and the table of docs/dependencies.md name the same packages.
[[nodiscard]] Findings check_packages(const SourceFile& list, const SourceFile& document);

}  // namespace wakelab::tidy
