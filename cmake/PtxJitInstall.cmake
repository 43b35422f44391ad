# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake --install: programs, libraries, headers of the C++ interface, a CMake
# package and the Python package. The drop-in libraries go to a folder of their
# own, so that nobody gets them in place of a real driver without asking for
# them: by `ptx-jit exec` or LD_LIBRARY_PATH.
#
# Components: `runtime`, which is all that most users need, `python`, and
# `developer`, `mpi`, `blas` and `dnn`, which need packages that only who builds
# ptx-jit is sure to have.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
set(private_libdir ${CMAKE_INSTALL_LIBDIR}/ptx-jit)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/PtxJit)

install(TARGETS ptx-jit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ptx-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  COMPONENT developer)
# Not in bin, where they would hide NVIDIA's. `ptx-jit exec` looks here.
install(TARGETS ptxas nvlink fatbinary cuobjdump nvcc nvidia-smi
  RUNTIME DESTINATION libexec/ptx-jit)
install(TARGETS cuda cudart cudart12 nvidia-ml nccl nvrtc nvrtc12 nvJitLink
  nvJitLink12 gpuocelot ptxjit-audit ptxjit-compiler
  LIBRARY DESTINATION ${private_libdir})
if(TARGET ptxjit-nccl-mpi)
  install(TARGETS ptxjit-nccl-mpi LIBRARY DESTINATION ${private_libdir}
    COMPONENT mpi)
endif()
# Needs OpenBLAS, which not all systems have.
if(PTXJIT_OPENBLAS)
  install(TARGETS cublas cublas12 cublasLt cublasLt12
    LIBRARY DESTINATION ${private_libdir} COMPONENT blas)
endif()
# Likewise, needs oneDNN.
if(PTXJIT_ONEDNN)
  install(TARGETS cudnn
    LIBRARY DESTINATION ${private_libdir} COMPONENT dnn)
endif()
# The C++ interface: one header, one library.
install(TARGETS ptxjit EXPORT PtxJitTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# What programs with compiled kernels link, in place of all the rest.
install(TARGETS ptxjit-runtime ptxjit-runtime-static EXPORT PtxJitTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/include/ptxjit/ptxjit.h
  ${CMAKE_SOURCE_DIR}/include/ptxjit/ptxjit-runtime.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ptxjit)

# A wheel has libraries of the system (TBB, zstd) in the private folder.
set_target_properties(cuda gpuocelot ptxjit-compiler PROPERTIES
  INSTALL_RPATH "$ORIGIN")
set_target_properties(ptxjit PROPERTIES INSTALL_RPATH "$ORIGIN/ptx-jit")
set_target_properties(ptxas nvlink fatbinary cuobjdump nvidia-smi PROPERTIES
  INSTALL_RPATH "$ORIGIN/../../${private_libdir}")

# The name by which Debian looks for it.
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ptx-jit RENAME copyright)
# The folder of tests to copy (docs/Testing.md).
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/lit
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ptx-jit/examples)

# Where Debian's Python looks, if the prefix is /usr.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/ptxjit
  DESTINATION lib/python3/dist-packages COMPONENT python
  FILES_MATCHING PATTERN *.py PATTERN py.typed)

install(EXPORT PtxJitTargets NAMESPACE PtxJit:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PtxJitConfig.cmake.in
  ${CMAKE_BINARY_DIR}/PtxJitConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PtxJitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PtxJitConfig.cmake
  ${CMAKE_BINARY_DIR}/PtxJitConfigVersion.cmake DESTINATION ${package_dir})
