#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds with assertions, and runs the tests (lit and
# gtest). Ends with a line `N passed, N failed`.
#
#   utils/test.sh [--all] [LIT_OPTION...]      e.g. utils/test.sh --filter Parser
#   utils/test.sh --aarch64[=CPU] [LIT_OPTION...]
#
# --aarch64 builds for AArch64, and runs the unit tests, the execution tests and
# those of the driver under qemu-user: on a CPU with NEON alone, where tests of the
# JIT follow, then on one with SVE of 256 bits. CPU is one of them, neon or sve256.
# Random programs take over an hour there, and are left to
# utils/compare-architectures.py.
#
# The execution tests of the ISA's forms take the most time. A fifth of them is
# run, which the commit chooses; --all runs all of them.
set -eu
cd "$(dirname "$0")/.."
all=""
if [ "${1:-}" = --all ]; then
  all=1
  shift
fi
preset=checked
cpus=own
case "${1:-}" in
--aarch64 | --aarch64=*)
  preset=aarch64-linux
  cpus="neon sve256"
  [ "$1" = --aarch64 ] || cpus=${1#--aarch64=}
  shift
  # ptx-tblgen runs during the build, ptx-jit compiles kernels of tests.
  PTXJIT_PACKAGES="${PTXJIT_PACKAGES:-} qemu-user" \
    utils/build.sh checked ptx-tblgen ptx-jit
  utils/sysroot.sh arm64 >/dev/null
  ;;
esac
utils/build.sh $preset
build=build/$preset
suites="$build/test $build/test/Unit $build/test/Forms"
[ $preset = checked ] ||
  suites="$build/test/Execution $build/test/CudaDriver $build/test/Unit
          $build/test/Forms"
lit=$(sed -n 's/^config.llvm_tools_dir = "\(.*\)"$/\1/p' \
      "$build/test/lit.site.cfg.py")/lit
rm -f $build/test/results*.json
if [ -z "$all" ] && seed=$(git rev-parse HEAD 2>/dev/null); then
  # Different commits choose different fifths, so every form has its turn.
  PTXJIT_FORMS_SAMPLE=$seed
  export PTXJIT_FORMS_SAMPLE
fi
status=0
for cpu in $cpus; do
  printf '== Testing%s\n' "$([ $cpu = own ] || echo " ($cpu)")" >&2
  # Tests of the compiler show code for CPUs that they name, so one machine will do.
  [ $cpu = neon ] && jit=$build/test/JIT || jit=""
  results=$build/test/results-$cpu.json
  PTXJIT_EMULATED_CPU=$cpu "$lit" -q --no-progress-bar -o "$results" "$@" \
    $suites $jit || status=$?
  [ -f "$results" ] || { echo "utils/test.sh: lit did not run" >&2; exit 1; }
done
python3 - $build/test/results-*.json <<'EOF' || status=1
import collections, json, os, re, sys
tests = []
for path in sys.argv[1:]:
    cpu = re.search(r"results-(.*)\.json", os.path.basename(path))[1]
    for test in json.load(open(path))["tests"]:
        test["name"] += "" if cpu == "own" else f" ({cpu})"
        tests.append(test)
codes = collections.Counter(t["code"] for t in tests)
passed = codes["PASS"] + codes["XFAIL"] + codes["FLAKYPASS"]
skipped = codes["UNSUPPORTED"] + codes["SKIPPED"] + codes["EXCLUDED"]
failed = sum(codes.values()) - passed - skipped
# Why tests failed: elsewhere this output may be all that one has.
good = {"PASS", "XFAIL", "FLAKYPASS", "UNSUPPORTED", "SKIPPED", "EXCLUDED"}
for t in [t for t in tests if t["code"] not in good][:5]:
    print("failed:", t["name"])
    print("\n".join("  " + line[:200]
                    for line in t.get("output", "").splitlines()[-25:]))
for t in tests:
    if t["code"] == "FLAKYPASS":
        print("passed when repeated:", t["name"])
for t in tests:
    if t["code"] == "UNSUPPORTED":
        print("skipped:", t["name"])
slow = sorted(tests, key=lambda t: -t.get("elapsed", 0))[:5]
print("slowest:", ", ".join(f"{t['name'].split(' :: ')[-1]} {t['elapsed']:.0f} s"
                            for t in slow if t.get("elapsed", 0) > 1) or "-")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
EOF
exit $status
