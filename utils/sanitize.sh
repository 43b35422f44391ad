#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Long checks outside CI: all tests under AddressSanitizer and UBSan, the
# runtime's and the driver's under ThreadSanitizer, random calls of the driver
# under both, and the fuzzers of the parser and of the readers of device code.
#
#   utils/sanitize.sh [asan] [tsan] [stress [SECONDS]] [fuzz [SECONDS]]
#
# All if none is named. SECONDS are 600 unless said; `stress` takes them twice.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- asan tsan stress fuzz

lit=/usr/lib/llvm-22/bin/lit
# No search for leaks: LLVM keeps its registries until the process ends.
asan_options=detect_leaks=0:detect_container_overflow=0:allow_user_poisoning=0
ubsan_options=print_stacktrace=1:halt_on_error=1
# TBB's packaged library is not instrumented, so TSan cannot check what it does
# itself. A fault leaves its signal handler by a jump, after which TSan takes all
# code for part of the handler.
tsan_options=suppressions=$PWD/utils/tsan.supp:halt_on_error=1:report_signal_unsafe=0
run_asan() {
  utils/build.sh asan
  ASAN_OPTIONS=$asan_options UBSAN_OPTIONS=$ubsan_options \
    "$lit" -sv build/asan/test build/asan/test/Unit build/asan/test/Forms
}
run_tsan() {
  utils/build.sh tsan PtxJitRuntimeTests PtxJitCudaDriverTests PtxJitDevicesTests \
    PtxJitNcclTests PtxJitCudaRuntimeTests PtxJitCudaRuntime12Tests
  for tests in Runtime CudaDriver Devices Nccl CudaRuntime CudaRuntime12; do
    TSAN_OPTIONS=$tsan_options "build/tsan/unittests/PtxJit${tests}Tests"
  done
}
run_stress() {
  for preset in tsan asan; do
    utils/build.sh "$preset" ptx-stress
    seed=$(date +%s)
    echo "== ptx-stress --seed=$seed --seconds=$1 ($preset)"
    TSAN_OPTIONS=$tsan_options ASAN_OPTIONS=$asan_options \
    UBSAN_OPTIONS=$ubsan_options PTXJIT_CACHE=off \
      "build/$preset/bin/ptx-stress" --seed="$seed" --seconds="$1"
  done
}
run_fuzz() {
  utils/build.sh fuzz ptx-fuzz-parser ptx-fuzz-fatbinary
  corpus=build/fuzz/corpus
  files=build/fuzz/files
  mkdir -p "$corpus" "$files"
  python3 test/Tools/Inputs/device_code.py "$files"
  cp -n test/*/*.ptx bench/kernels/ptx/*.ptx "$corpus" || true
  # The packaged LLVM is not instrumented, so containers and allocators that are
  # used on both sides would be reported without reason.
  ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0 \
  build/fuzz/bin/ptx-fuzz-parser -max_total_time="$1" -timeout=10 \
    -rss_limit_mb=4096 -dict=tools/ptx-fuzz/ptx.dict -artifact_prefix=build/fuzz/ \
    -print_final_stats=1 -jobs=2 -workers=2 "$corpus"
  # It finds what it can in a tenth of the time.
  ASAN_OPTIONS=detect_leaks=0 build/fuzz/bin/ptx-fuzz-fatbinary \
    -max_total_time="$(($1 / 10 + 1))" -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix=build/fuzz/ -print_final_stats=1 -jobs=2 -workers=2 "$files"
}

while [ $# -gt 0 ]; do
  case $1 in
  asan) run_asan ;;
  tsan) run_tsan ;;
  stress | fuzz)
    check=$1
    seconds=600
    case ${2:-} in [0-9]*) seconds=$2; shift ;; esac
    "run_$check" "$seconds" ;;
  *) echo "utils/sanitize.sh: unknown check '$1'" >&2; exit 1 ;;
  esac
  shift
done
