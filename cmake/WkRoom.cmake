# wk_room(NAME DEPS room... LIBS target... EXCLUDE file...)
#
# A room is a folder below src/ with one purpose: a static library of all its *.cpp, its unit tests
# (*_test.cpp, beside the code) in one test program, and nothing reachable but the rooms it names.
# The tidy test checks the same layering on the #include lines.
include(GoogleTest)

add_library(wk_flags INTERFACE)
target_compile_options(wk_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion
    -Wno-sign-conversion -Wnon-virtual-dtor -Werror -ffp-contract=off)
target_compile_definitions(wk_flags INTERFACE WAKELAB_VERSION="${PROJECT_VERSION}")
target_include_directories(wk_flags INTERFACE "${PROJECT_SOURCE_DIR}/src")

function(wk_room NAME)
    cmake_parse_arguments(ARG "" "" "DEPS;LIBS;EXCLUDE" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${NAME}/*.cpp")
    set(tests ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
    foreach(name IN LISTS ARG_EXCLUDE)
        list(FILTER sources EXCLUDE REGEX "/${name}$")
    endforeach()
    list(TRANSFORM ARG_DEPS PREPEND "wk_")
    if(sources)
        add_library(wk_${NAME} STATIC ${sources})
        target_link_libraries(wk_${NAME} PUBLIC wk_flags ${ARG_DEPS} ${ARG_LIBS})
    else()
        add_library(wk_${NAME} INTERFACE)
        target_link_libraries(wk_${NAME} INTERFACE wk_flags ${ARG_DEPS} ${ARG_LIBS})
    endif()
    if(tests AND BUILD_TESTING)
        add_executable(${NAME}_test ${tests})
        target_link_libraries(${NAME}_test PRIVATE wk_${NAME} wk_test_support GTest::gtest_main)
        add_test(NAME unit.${NAME} COMMAND ${NAME}_test)
        set_tests_properties(unit.${NAME} PROPERTIES LABELS fast)
    endif()
endfunction()
