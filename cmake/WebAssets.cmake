# The style and scripts of the HTML report, from web/ into the library wk_report at build time.
set(web_files report.css lanes_data.js lanes.js)
list(TRANSFORM web_files PREPEND "${PROJECT_SOURCE_DIR}/web/")
set(web_cpp "${CMAKE_CURRENT_BINARY_DIR}/web_assets.cpp")
add_custom_command(OUTPUT "${web_cpp}"
    COMMAND "${CMAKE_COMMAND}" "-DOUT=${web_cpp}" "-DWEB=${PROJECT_SOURCE_DIR}/web"
            -P "${PROJECT_SOURCE_DIR}/cmake/EmbedWeb.cmake"
    DEPENDS ${web_files} "${PROJECT_SOURCE_DIR}/cmake/EmbedWeb.cmake" VERBATIM)
target_sources(wk_report PRIVATE "${web_cpp}")
