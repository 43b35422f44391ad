# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain file: builds for AArch64 Linux with Debian's packages, which
# utils/sysroot.sh has unpacked. Programs run under qemu-user.
get_filename_component(source_dir ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${source_dir}/build/sysroot/arm64)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# What runs during the build is this machine's: LLVM's programs, and ours of
# another build.
set(PTXJIT_HOST_LLVM_TOOLS /usr/lib/llvm-22/bin)
set(PTXJIT_HOST_TOOLS ${source_dir}/build/checked/bin CACHE PATH
    "Folder with this machine's ptx-tblgen")
