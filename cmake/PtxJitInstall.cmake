# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --install: programs, libraries, headers of the C++ interface, and a
# CMake package. The drop-in libraries go to a folder of their own, so that
# nobody gets them in place of a real driver without asking for them: by
# `ptx-jit exec` or LD_LIBRARY_PATH.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(private_libdir ${CMAKE_INSTALL_LIBDIR}/ptx-jit)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/PtxJit)

install(TARGETS ptx-jit ptx-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Not in bin, where it would hide NVIDIA's ptxas. `ptx-jit exec` looks here.
install(TARGETS ptxas RUNTIME DESTINATION libexec/ptx-jit)
install(TARGETS cuda cudart cudart12 nvidia-ml gpuocelot ptxjit-audit ptxjit-compiler
  LIBRARY DESTINATION ${private_libdir})
target_include_directories(PtxJitRuntime
  INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS PtxJitRuntime PtxJitCache EXPORT PtxJitTargets
  ARCHIVE DESTINATION ${private_libdir})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ptxjit/Runtime
  ${CMAKE_SOURCE_DIR}/include/ptxjit/Cache
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ptxjit FILES_MATCHING PATTERN "*.h")

install(EXPORT PtxJitTargets NAMESPACE PtxJit:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PtxJitConfig.cmake.in
  ${CMAKE_BINARY_DIR}/PtxJitConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PtxJitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PtxJitConfig.cmake
  ${CMAKE_BINARY_DIR}/PtxJitConfigVersion.cmake DESTINATION ${package_dir})
