#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes a wheel of the Python package, the program and the libraries.
#
#   utils/build-wheel.sh [BUILD_FOLDER [OUTPUT_FOLDER]]
#
# The build folder is build/release, and the output goes to its folder `dist`,
# unless others are given. Needs a complete build, binutils, and no network. The
# last line is the path of the wheel.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$source/build/release}
output=${2:-$build/dist}
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cmake --install "$build" --component runtime --strip --prefix "$tree" >/dev/null
mkdir -p "$output"
python3 "$source/utils/pack-wheel.py" "$source" "$tree" "$version" "$output"
