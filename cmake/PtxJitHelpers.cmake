# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A room: one static library, whose sources are listed by hand. MLIR is not
# linked here but in the final targets, because the compiler library takes it
# statically and the tools take the shared one (never both in one process).
#
# USES_OPS: the room's sources include the ops and MLIR, which are precompiled
# once, in Dialect. That takes four fifths off the time of most files.
function(ptxjit_room name)
  cmake_parse_arguments(ARG "USES_OPS" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_USES_OPS)
    target_precompile_headers(${name} REUSE_FROM PtxJitDialect)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# Collects the archives of imported targets and of all that they depend on:
# LLVM's and MLIR's, without the shared libLLVM that MLIR's targets name.
function(ptxjit_archives out)
  set(todo ${ARGN})
  set(seen LLVM)
  set(archives)
  set(others)
  while(todo)
    list(POP_FRONT todo name)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${name}")
    if(name IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${name})
    set(type)
    if(TARGET ${name})
      get_target_property(type ${name} TYPE)
    endif()
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND archives $<TARGET_FILE:${name}>)
      get_target_property(needed ${name} INTERFACE_LINK_LIBRARIES)
      if(needed)
        list(APPEND todo ${needed})
      endif()
    else()
      list(APPEND others ${name})
    endif()
  endwhile()
  list(JOIN archives "," group)
  set(${out} "$<LINK_GROUP:RESCAN,${group}>" ${others} PARENT_SCOPE)
endfunction()

# An executable that links the shared LLVM and MLIR.
function(ptxjit_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  # MLIR's library may be outside the system's search path.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  set_property(GLOBAL APPEND PROPERTY PTXJIT_TOOLS ${name})
endfunction()

# Makes a shared library lib<name>.so.<version> in front of NVIDIA's: its symbols
# have its name as their version, and others than `exports` stay inside. Only the
# newest version has a link without a number.
function(ptxjit_numbered_library target name version exports)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT
    "lib${name}.so.${version} { global: ${exports}; local: *; };\n")
  target_link_options(${target} PRIVATE ${PTXJIT_NO_UNDEFINED}
    -Wl,--version-script=${map} -Wl,--exclude-libs,ALL -Wl,--gc-sections
    -Wl,--as-needed)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  if(version EQUAL 13)
    set_target_properties(${target} PROPERTIES VERSION 13 SOVERSION 13)
  else()
    set_target_properties(${target} PROPERTIES SUFFIX ".so.${version}"
      NO_SONAME ON)
    target_link_options(${target} PRIVATE
      -Wl,-soname,lib${name}.so.${version})
  endif()
endfunction()

# A replacement of one of NVIDIA's build tools, which needs no MLIR. Not in bin:
# whoever has that in PATH wants NVIDIA's.
function(ptxjit_nvidia_tool name)
  add_executable(${name} ${ARGN})
  ptxjit_archives(archives LLVMSupport)
  target_link_libraries(${name} PRIVATE PtxJitToolSupport PtxJitImages
    ${archives})
  target_link_options(${name} PRIVATE -Wl,--gc-sections -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/ptx-jit)
endfunction()

# A gtest binary PtxJit<Room>Tests in unittests/<Room>, run by lit.
function(ptxjit_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  # Tests may include a room's private headers.
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  set_property(GLOBAL APPEND PROPERTY PTXJIT_UNITTESTS ${name})
endfunction()
