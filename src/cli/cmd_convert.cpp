#include "cli/cmd_convert.hpp"

#include "report/conversion_text.hpp"
#include "trace/convert.hpp"

namespace wakelab::cli {

Status cmd_convert(const ConvertArguments& arguments, const Output& output) {
    const auto window = window_of(arguments.source);
    if (!window) return window.error();
    trace::ConvertOptions options{.format = {}, .window = *window};
    if (!arguments.format.empty()) options.format = arguments.format;
    trace::TraceQuality quality;
    if (Status s = trace::convert(arguments.source.file, arguments.target, quality, options); !s)
        return s;
    if (arguments.target == "-") return {};
    output.out(arguments.json ? report::conversion_json(arguments.target, quality)
                              : report::conversion_text(arguments.target, quality));
    return {};
}

}  // namespace wakelab::cli
