#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests random kernels against the reference interpreter, seed after seed, in
# all modes and with changing chunk widths. Most files have forms of the whole
# ISA table, one of 16 has copies of tensors, one has wgmma, one tcgen05, one
# textures. Keeps the programs with differences, and prints at the end how often
# the rarest opcodes occurred.
#
#   utils/random-stress.sh MINUTES [FIRST_SEED] [BUILD]
set -eu
minutes=$1
seed=${2:-1000}
here=$(dirname "$0")
build=${3:-$here/../build/release}
tool=$build/bin/ptx-jit
forms=$build/include/ptxjit/Dialect/FormList.inc
scratch=$(mktemp -d)
end=$(($(date +%s) + minutes * 60))
programs=0
failures=0
while [ "$(date +%s)" -lt "$end" ]; do
  file=$scratch/random-$seed.ptx
  # Kernels with forms of the whole table are large, most of all for vectors of
  # one lane, so these are tested less often.
  case $((seed % 16)) in
  0 | 4 | 8 | 12) options= count=20 table= ;;
  15) options= count=2 table=$forms ;;
  3 | 11) options="--chunk=4" count=20 table=$forms ;;
  7) options="--chunk=8 --cpu=x86-64-v3" count=20 table=$forms ;;
  *) options="--chunk=8,16" count=20 table=$forms ;;
  esac
  if [ $((seed % 16)) = 13 ]; then # random copies of tensors
    options= count=8 table=
    python3 "$here/tensor_form_tests.py" "$forms" "$seed" "$file"
  elif [ $((seed % 16)) = 1 ]; then # random textures and surfaces
    options="--chunk=8" count=100 table=
    python3 "$here/texture_form_tests.py" "$forms" "$seed" "$file"
  elif [ $((seed % 16)) = 5 ]; then # random multiplications of warpgroups
    options= count=8 table=
    python3 "$here/wgmma_form_tests.py" "$forms" "$seed" "$file"
  elif [ $((seed % 16)) = 9 ]; then # random multiplications in tensor memory
    table= count=8
    # Compiling takes most of the time, so not all widths are tested.
    case $((seed / 16 % 4)) in
    0) options="--chunk=16" ;;
    1) options="--chunk=8 --cpu=x86-64-v3" ;;
    2) options="--chunk=16 --mode=threads" ;;
    3) options="--chunk=4 --cpu=x86-64-v4" ;;
    esac
    python3 "$here/tensor_core_form_tests.py" "$seed" "$file"
  else
    # shellcheck disable=SC2086
    python3 "$here/random-kernels.py" "$seed" $count "$file" $table
  fi
  if [ -n "$table" ]; then
    # An opcode is a word at the beginning of a line, behind `;` or behind a
    # guard.
    tr ';' '\n' <"$file" | sed -nE 's/^ *(@!?%[a-z0-9]+ )?([a-z][a-z0-9]*)([. ].*)?$/\2/p' \
      >>"$scratch/opcodes"
  fi
  # shellcheck disable=SC2086
  if timeout 900 "$tool" test $options "$file" >"$file.log" 2>&1; then
    rm -f "$file" "$file.log" "${file%.ptx}"-*.bin
  else
    failures=$((failures + 1))
    echo "seed $seed differs: $file, $file.log" >&2
  fi
  programs=$((programs + count))
  seed=$((seed + 1))
done
if [ -f "$scratch/opcodes" ]; then
  echo "rarest opcodes:"
  cut -f1 "$forms" | sort -u >"$scratch/known"
  sort "$scratch/opcodes" | uniq -c | sort -n | awk -v known="$scratch/known" '
    BEGIN { while ((getline name < known) > 0) is[name] = 1 }
    is[$2] && n++ < 12 { print "  " $2, $1 }'
fi
echo "$programs programs, $failures files with differences"
[ "$failures" -eq 0 ]
