// wakelab record: scheduler events of this machine to a file.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct RecordArguments {
    std::string output = "wakelab.dat";
    std::string duration;
    std::string last;
    std::vector<std::string> events;  // each may be a comma separated list
    std::string backend = "auto";
    std::string buffer;  // "4M"; empty: a default
    bool calibrate = false;
    std::vector<std::string> command;
    bool json = false;
};

// The program then ends with the status of the command, as `time` does.
[[nodiscard]] Status cmd_record(const RecordArguments& arguments, const Output& output);

}  // namespace wakelab::cli
