# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a test of NCCL in two processes.
export NCCL_DEBUG=WARN
NCCL_TEST_PROCESS=1 "$1" --gtest_also_run_disabled_tests \
  --gtest_filter=NcclProcess.DISABLED_Children &
"$1" --gtest_also_run_disabled_tests \
  --gtest_filter=NcclProcess.DISABLED_Children
status=$?
wait $!
exit $status
