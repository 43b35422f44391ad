#!/bin/sh
# Random kernels against the reference interpreter, seed after seed, in every
# mode and chunk width. Keeps the programs in which something differed.
#
#   utils/random-stress.sh MINUTES [FIRST_SEED] [BUILD]
set -eu
minutes=$1
seed=${2:-1000}
tool=${3:-$(dirname "$0")/../build/release}/bin/ptx-jit
here=$(dirname "$0")
scratch=$(mktemp -d)
end=$(($(date +%s) + minutes * 60))
programs=0
failures=0
while [ "$(date +%s)" -lt "$end" ]; do
  file=$scratch/random-$seed.ptx
  python3 "$here/random-kernels.py" "$seed" 20 "$file"
  if timeout 900 "$tool" test "$file" >"$file.log" 2>&1; then
    rm -f "$file" "$file.log"
  else
    failures=$((failures + 1))
    echo "seed $seed differs: $file, $file.log" >&2
  fi
  programs=$((programs + 20))
  seed=$((seed + 1))
done
echo "$programs programs, $failures files with differences"
[ "$failures" -eq 0 ]
