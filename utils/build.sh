#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing (Debian packages), configures and builds.
#
#   utils/build.sh [PRESET [TARGET...]]     release by default; CMakePresets.json
#
# PTXJIT_PACKAGES names further packages to install.
# Needs Debian 12 or later, and root or sudo if packages are missing.
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
[ $# -eq 0 ] || shift

# What the build itself needs, what LLVM's CMake files look for (zlib, zstd,
# libxml2, libedit, libffi, curl), and what the tests need.
packages="
  cmake ninja-build ccache pkg-config python3 python3-psutil git g++
  clang-22 clang-format-22 lld-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libclang-rt-22-dev libtbb-dev libgtest-dev
  liblz4-dev libxxhash-dev libopenblas-dev libdnnl-dev
  zlib1g-dev libzstd-dev libxml2-dev libedit-dev libffi-dev libcurl4-openssl-dev
  ${PTXJIT_PACKAGES:-}
"

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'utils/build.sh: %s\n' "$*" >&2; exit 1; }

missing=""
for p in $packages; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $p"
done
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null ||
    die "these packages are missing and this is no Debian:$missing"
  if [ "$(id -u)" = 0 ]; then
    root=""
  elif command -v sudo >/dev/null; then
    root="sudo"
  else
    die "root or sudo is needed to install:$missing"
  fi
  say "Installing:$missing"
  # Some other package source may be out of reach. Whether the packages are
  # available is checked below.
  $root apt-get update -qq || say "apt-get update had problems; going on"
  if ! apt-cache show llvm-22-dev >/dev/null 2>&1; then
    . /etc/os-release
    die "LLVM 22 is not among the packages of this system. On Debian 12 it comes
with the security updates. Add this line to /etc/apt/sources.list and try again:
  deb http://security.debian.org/debian-security ${VERSION_CODENAME:-bookworm}-security main"
  fi
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends $missing >/tmp/ptx-jit-apt.log 2>&1 ||
    { tail -20 /tmp/ptx-jit-apt.log >&2; die "the installation failed"; }
fi

say "Configuring ($preset)"
cmake --preset "$preset" >"/tmp/ptx-jit-cmake-$preset.log" 2>&1 ||
  { tail -30 "/tmp/ptx-jit-cmake-$preset.log" >&2; die "CMake failed"; }

say "Building ($preset)"
# Shows a line now and then, not thousands; all of them if the build fails.
log=build/$preset/build.log
export NINJA_STATUS='[%f/%t, %es] '
(ninja -C "build/$preset" "$@" 2>&1; echo "exit $?") | tee "$log" |
  awk '/^\[/ { if (++n % 25 == 1) { print; fflush() } next }
       /^exit / { next } /^(ninja|FAILED)/ { print; fflush() }' >&2
if [ "$(tail -1 "$log")" != "exit 0" ]; then
  grep -v '^\[' "$log" | tail -60 >&2
  die "the build failed; see $log"
fi
