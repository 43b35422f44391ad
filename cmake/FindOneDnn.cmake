# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds oneDNN (Debian: libdnnl-dev), for libcudnn: sets PTXJIT_ONEDNN,
# ONEDNN_LIBRARY and ONEDNN_INCLUDE_DIR.
find_library(ONEDNN_LIBRARY dnnl)
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
if(ONEDNN_LIBRARY AND ONEDNN_INCLUDE_DIR)
  set(PTXJIT_ONEDNN ON)
  message(STATUS "oneDNN: ${ONEDNN_LIBRARY}")
else()
  set(PTXJIT_ONEDNN OFF)
  message(STATUS "oneDNN: not found, there will be no libcudnn")
endif()
