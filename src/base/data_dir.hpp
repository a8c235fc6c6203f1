// Where machines, workloads, published tables and fit files are.
#pragma once

#include <string>

namespace wakelab {

// The folder "data" without a trailing slash: $WAKELAB_DATA when it is set and not empty, else the
// folder of the source tree this program was built from. Existence is for the caller to check: the
// error line should name the file that was wanted. Not for the simulated world, which sees no
// environment (style.md 5, determinism rule 4).
[[nodiscard]] std::string data_dir();

}  // namespace wakelab
