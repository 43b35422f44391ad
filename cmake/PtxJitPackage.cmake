# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cpack -G DEB in the build folder: one Debian package, whose dependencies are
# those of the programs and libraries in it. The build has to be complete.
# Else cpack would build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_PACKAGE_NAME ptx-jit)
set(CPACK_PACKAGE_VENDOR "The ptx-jit authors")
set(CPACK_PACKAGE_CONTACT "The ptx-jit authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "runs NVIDIA PTX on the CPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A just-in-time compiler that runs NVIDIA PTX on CPUs, with libraries in
place of CUDA's: CUDA programs run unchanged by 'ptx-jit exec'.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime python)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Our libraries depend on each other.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3 (>= 3.9), python3-numpy")
include(CPack)
