# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds OpenBLAS with LAPACK, for libcublas: sets PTXJIT_OPENBLAS,
# OPENBLAS_LIBRARY and OPENBLAS_INCLUDE_DIR.
include(CheckFunctionExists)
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
find_path(OPENBLAS_INCLUDE_DIR openblas_config.h
  PATH_SUFFIXES openblas-pthread openblas)
set(PTXJIT_OPENBLAS OFF)
if(OPENBLAS_LIBRARY AND OPENBLAS_INCLUDE_DIR)
  set(CMAKE_REQUIRED_LIBRARIES ${OPENBLAS_LIBRARY})
  check_function_exists(sgetrf_ PTXJIT_OPENBLAS_HAS_LAPACK)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(PTXJIT_OPENBLAS ${PTXJIT_OPENBLAS_HAS_LAPACK})
endif()
if(PTXJIT_OPENBLAS)
  message(STATUS "OpenBLAS: ${OPENBLAS_LIBRARY}")
else()
  message(STATUS "OpenBLAS: not found, there will be no libcublas")
endif()
