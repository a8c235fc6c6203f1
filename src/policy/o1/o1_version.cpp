#include "policy/o1/o1_version.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace wakelab::policy::o1 {

namespace {

constexpr KernelConfig kConfig250 = {.hz = 250, .no_hz = false, .high_res = false};

// Pipes of 2.6.14 and later; sockets pass no sync hint in any of these kernels (o1.md 11).
constexpr IpcRules kIpc2_6_14 = {
    .pipe_end_sync = false, .pipe_mid_sync = true, .pipe_slots = 16, .pipe_noninteractive = true};

constexpr std::array kVersions = {
    O1Version{
        .name = "o1-2.6.22",
        .key = "2.6.22",
        .kernel = "2.6.22 (2007-07-08), scheduler identical in 2.6.22.19",
        .summary = "the last O(1) scheduler: weighted loads, wake-affine without a cache-hot test",
        .kernel_config = kConfig250,
        .ipc = kIpc2_6_14,
    },
};

}  // namespace

std::span<const O1Version> o1_versions() {
    return kVersions;
}

const O1Version& o1_version(std::string_view name) {
    const auto it = std::ranges::find(kVersions, name, &O1Version::name);
    WK_CHECK(it != kVersions.end());
    return *it;
}

}  // namespace wakelab::policy::o1
