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
install(TARGETS cuda cudart cudart12 nvidia-ml nccl gpuocelot ptxjit-audit ptxjit-compiler
  LIBRARY DESTINATION ${private_libdir})
if(TARGET ptxjit-nccl-mpi)
  install(TARGETS ptxjit-nccl-mpi LIBRARY DESTINATION ${private_libdir})
endif()
# The C++ interface: one header, one library.
install(TARGETS ptxjit EXPORT PtxJitTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/include/ptxjit/ptxjit.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ptxjit)

# The folder of tests to copy (docs/Testing.md).
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/lit
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ptx-jit/examples)

install(EXPORT PtxJitTargets NAMESPACE PtxJit:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PtxJitConfig.cmake.in
  ${CMAKE_BINARY_DIR}/PtxJitConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PtxJitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PtxJitConfig.cmake
  ${CMAKE_BINARY_DIR}/PtxJitConfigVersion.cmake DESTINATION ${package_dir})
