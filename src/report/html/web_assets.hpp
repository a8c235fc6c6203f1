// The files of web/, compiled in (cmake/EmbedWeb.cmake).
#pragma once

#include <string_view>

namespace wakelab::report::html {

extern const std::string_view kReportCss;
extern const std::string_view kLanesDataJs;  // decoding and levels of detail
extern const std::string_view kLanesJs;      // drawing and keys

}  // namespace wakelab::report::html
