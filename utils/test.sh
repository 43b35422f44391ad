#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds with assertions, and runs the tests (lit and
# gtest). Ends with a line `N passed, N failed`.
#
#   utils/test.sh [--all] [LIT_OPTION...]      e.g. utils/test.sh --filter Parser
#   utils/test.sh --aarch64 [LIT_OPTION...]
#
# --aarch64 builds for AArch64, and runs the unit tests, the execution tests and
# those of the driver under qemu-user.
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
if [ "${1:-}" = --aarch64 ]; then
  preset=aarch64-linux
  shift
  # ptx-tblgen runs during the build.
  PTXJIT_PACKAGES="${PTXJIT_PACKAGES:-} qemu-user" utils/build.sh checked ptx-tblgen
  utils/sysroot.sh arm64 >/dev/null
fi
utils/build.sh $preset
build=build/$preset
suites="$build/test $build/test/Unit $build/test/Forms"
[ $preset = checked ] ||
  suites="$build/test/Execution $build/test/CudaDriver $build/test/JIT
          $build/test/Unit $build/test/Forms"
lit=$(sed -n 's/^config.llvm_tools_dir = "\(.*\)"$/\1/p' \
      "$build/test/lit.site.cfg.py")/lit
results=$build/test/results.json
rm -f "$results"
if [ -z "$all" ] && seed=$(git rev-parse HEAD 2>/dev/null); then
  # Different commits choose different fifths, so every form has its turn.
  PTXJIT_FORMS_SAMPLE=$seed
  export PTXJIT_FORMS_SAMPLE
fi
printf '== Testing\n' >&2
status=0
"$lit" -q --no-progress-bar -o "$results" "$@" $suites || status=$?
[ -f "$results" ] || { echo "utils/test.sh: lit did not run" >&2; exit 1; }
python3 - "$results" <<'EOF' || status=1
import collections, json, sys
tests = json.load(open(sys.argv[1]))["tests"]
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
