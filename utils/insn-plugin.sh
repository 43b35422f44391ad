#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds qemu's `insn` plug-in, which counts the instructions that a program of
# another architecture executes. Debian's qemu-user loads plug-ins, but comes with
# none, so this takes the file from the source package of the same version, and
# GLib's headers from their package. Nothing is installed.
#
#   utils/insn-plugin.sh           prints the plug-in, build/insn-plugin/libinsn.so
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/build/insn-plugin
plugin=$folder/libinsn.so

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'utils/insn-plugin.sh: %s\n' "$*" >&2; exit 1; }
if [ -f "$plugin" ]; then
  printf '%s\n' "$plugin"
  exit 0
fi
for program in apt-get dpkg-deb cc qemu-aarch64; do
  command -v $program >/dev/null || die "this needs $program"
done
version=$(dpkg-query -W -f='${source:Version}' qemu-user 2>/dev/null) ||
  die "this needs Debian's qemu-user"

# Sources have an apt configuration of their own, since few machines list them.
rm -rf "$folder"
mkdir -p "$folder/state" "$folder/cache/archives/partial"
cd "$folder"
. /etc/os-release
for place in "debian $VERSION_CODENAME" "debian $VERSION_CODENAME-updates" \
             "debian-security $VERSION_CODENAME-security"; do
  echo "deb-src http://deb.debian.org/$place main"
done >sources.list
cat >apt.conf <<CONF
APT::Sandbox::User "";
Dir::State "$folder/state";
Dir::Cache "$folder/cache";
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/dev/null";
CONF
say "Fetching the source of qemu $version"
APT_CONFIG=$folder/apt.conf apt-get update -qq >log 2>&1 ||
  say "apt-get update had problems; going on"
APT_CONFIG=$folder/apt.conf apt-get source -qq --download-only \
  "qemu=$version" >>log 2>&1 ||
  { tail -5 log >&2; die "the source could not be fetched"; }
apt-get download -qq libglib2.0-dev >>log 2>&1 ||
  { tail -5 log >&2; die "GLib's headers could not be fetched"; }
dpkg-deb -x libglib2.0-dev_*.deb glib
tar -xf qemu_*.orig.tar.* --wildcards --strip-components=1 \
  '*/tests/plugin/insn.c' '*/include/qemu/qemu-plugin.h'

say "Building $plugin"
cc -shared -fPIC -O2 -fvisibility=hidden -Iinclude/qemu \
  -Iglib/usr/include/glib-2.0 \
  -I"$(dirname "$(find glib -name glibconfig.h)")" \
  tests/plugin/insn.c -o libinsn.so
rm -rf state cache glib ./*.deb ./*.tar.* ./*.dsc
printf '%s\n' "$plugin"
