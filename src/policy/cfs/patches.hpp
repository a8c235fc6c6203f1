// The patches of the mailing-list threads of 2008 and 2009 (cfs.md 5), each as a change of a
// version's row. "cfs-2.6.25.4+P5" is the row of 2.6.25 changed by P5; several patches combine
// while each still finds the code it was written against.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "policy/cfs/cfs_version.hpp"

namespace wakelab::policy::cfs {

struct Patch {
    std::string_view name;     // "P5"
    std::string_view summary;  // one line for a reader
    bool historic;             // false: our own, for comparison
    bool (*applies)(const CfsVersion&);
    void (*apply)(CfsVersion&);
};

[[nodiscard]] std::span<const Patch> patches();

// A version with patches, and the texts its row points to.
struct PatchedVersion {
    std::string name;  // "cfs-2.6.25+P5"
    std::string key;   // "V25+P5"
    std::string kernel;
    std::string summary;
    CfsVersion version;

    explicit PatchedVersion(const CfsVersion& base) : version(base) {}
    PatchedVersion(const PatchedVersion&) = delete;
    PatchedVersion& operator=(const PatchedVersion&) = delete;
};

// Names of the patches that apply to `version`.
[[nodiscard]] std::vector<std::string> applicable_patches(const CfsVersion& version);

// The row of "cfs-2.6.26-rc3+P1+P2". Applied from left to right; made once and kept for the
// program's life. The base may be named by an alias; the row then has the canonical name. Safe from
// several threads. Error: unknown version or patch, or one that does not apply, with those that do.
[[nodiscard]] Result<const CfsVersion*> find_version(std::string_view name);

}  // namespace wakelab::policy::cfs
