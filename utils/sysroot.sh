#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unpacks the packages that a build for another architecture needs into a folder,
# with what they depend on. Nothing is installed, and no root is needed: apt gets
# a state of its own, for a machine of that architecture without any package.
#
#   utils/sysroot.sh [ARCH]        Debian's name, arm64 by default
#
# Prints the folder, build/sysroot/ARCH. Does nothing if the list of packages is
# the one that was unpacked before.
set -eu
cd "$(dirname "$0")/.."
arch=${1:-arm64}

# What libraries and headers the build uses, what LLVM's CMake files look for,
# and what a program needs to start.
packages="
  libc6-dev libgcc-12-dev libstdc++-12-dev linux-libc-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  libtbb-dev libgtest-dev liblz4-dev libxxhash-dev libopenblas-dev
  zlib1g-dev libzstd-dev libxml2-dev libedit-dev libffi-dev libcurl4-openssl-dev
"

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'utils/sysroot.sh: %s\n' "$*" >&2; exit 1; }
command -v apt-get >/dev/null || die "this needs Debian's apt-get"

root=$PWD/build/sysroot/$arch
apt=$PWD/build/sysroot/apt-$arch
stamp=$root/.packages
wanted=$(printf '%s\n' $packages)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
  printf '%s\n' "$root"
  exit 0
fi

mkdir -p "$apt/state" "$apt/cache/archives/partial"
: >"$apt/status"
cat >"$apt/apt.conf" <<CONF
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
CONF
APT_CONFIG=$apt/apt.conf
export APT_CONFIG

say "Fetching packages for $arch"
# Some other package source may be out of reach, or lack the architecture.
apt-get update -qq >/dev/null 2>&1 || say "apt-get update had problems; going on"
apt-get install -qq -y --download-only $packages >"$apt/log" 2>&1 ||
  { tail -20 "$apt/log" >&2; die "the packages could not be fetched"; }

say "Unpacking into $root"
rm -rf "$root"
mkdir -p "$root"
for file in "$apt"/cache/archives/*.deb; do
  dpkg-deb -x "$file" "$root"
done
# Links to absolute paths would lead out of the folder.
find "$root" -type l -lname '/*' | while read -r link; do
  ln -snf "$(realpath -m --relative-to="$(dirname "$link")" \
             "$root$(readlink "$link")")" "$link"
done
# LLVM's CMake files name libraries by the paths that an installation has.
find "$root/usr/lib" -path '*/cmake/*' -name '*.cmake' -exec sed -i \
  's#\([";:]\)\(/usr/lib/[a-z0-9_]*-linux-gnu/\)#\1${CMAKE_SYSROOT}\2#g' {} +
rm -rf "$apt"
printf '%s\n' "$wanted" >"$stamp"
printf '%s\n' "$root"
