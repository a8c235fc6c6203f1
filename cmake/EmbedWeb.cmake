# cmake -DOUT=file.cpp -DWEB=folder -P EmbedWeb.cmake: web/*.css and *.js as strings of a C++ file. Each
# file must be free of `)WKWEB"`.
set(text "#include \"report/html/web_assets.hpp\"\n\nnamespace wakelab::report::html {\n\n")
foreach(pair IN ITEMS "kReportCss:report.css" "kLanesDataJs:lanes_data.js" "kLanesJs:lanes.js")
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 file)
    file(READ "${WEB}/${file}" content)
    string(APPEND text "const std::string_view ${name} = R\"WKWEB(${content})WKWEB\";\n\n")
endforeach()
string(APPEND text "}  // namespace wakelab::report::html\n")
file(WRITE "${OUT}" "${text}")
