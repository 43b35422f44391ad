#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks our C++ code with clang-tidy, by the rules of `.clang-tidy`. Prints each
# warning once, and fails if there is one.
#
#   utils/lint.sh [FILE...]                       all files if none is named
#
# Only the generated headers are built, in build/lint. JOBS files are checked at
# once, as many as there are processors if it is not set.
set -eu
cd "$(dirname "$0")/.."
PTXJIT_PACKAGES=clang-tidy-22 utils/build.sh lint \
  PtxJitDialectIncGen PtxJitFormTableIncGen PtxJitInferShapeIncGen PtxJitPassIncGen
exec python3 - "$@" <<'EOF'
import concurrent.futures, json, os, re, subprocess, sys

root = os.getcwd()
build = os.path.join(root, "build/lint")
tidy = "clang-tidy-22"

def commands():
    """The compiler calls of our files, also those of the device library."""
    database = subprocess.run(["ninja", "-C", build, "-t", "compdb"], check=True,
                              capture_output=True, text=True).stdout
    for entry in json.loads(database[database.index("["):]):
        file = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        # `ccache` or `cd FOLDER &&` may be in front.
        call = re.search(r"\S*clang\+\+\S* .* -c \S+", entry["command"])
        where = os.path.relpath(file, root)
        if call and re.match(r"(lib|tools|unittests)/.*\.cpp$", where):
            yield {"directory": entry["directory"], "file": file,
                   "command": call.group()}

def check(file):
    run = subprocess.run([tidy, "-p", database, "--quiet", "--use-color=0", file],
                         capture_output=True, text=True)
    return file, run.returncode, run.stdout, run.stderr

entries = list(commands())
database = os.path.join(build, "lint")
os.makedirs(database, exist_ok=True)
with open(os.path.join(database, "compile_commands.json"), "w") as out:
    json.dump(entries, out, indent=0)
files = sorted({entry["file"] for entry in entries})
if len(sys.argv) > 1:
    wanted = {os.path.abspath(name) for name in sys.argv[1:]}
    for name in sorted(wanted - set(files)):
        print(f"utils/lint.sh: no target compiles {os.path.relpath(name)}",
              file=sys.stderr)
    files = [file for file in files if file in wanted]
print(f"== Checking {len(files)} files", file=sys.stderr)

HEAD = re.compile(r"(/.*?:\d+:\d+: )?(warning|error): ")
seen, broken = set(), False
jobs = int(os.environ.get("JOBS") or os.cpu_count())
with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    results = [pool.submit(check, file) for file in files]
    for number, result in enumerate(concurrent.futures.as_completed(results), 1):
        file, code, text, messages = result.result()
        # A header's warnings come with each file that includes it.
        new = True
        for line in text.splitlines():
            if HEAD.match(line):
                new = line not in seen
                seen.add(line)
            if new:
                print(line.replace(root + "/", ""), flush=True)
        if code and not any(HEAD.match(line) for line in text.splitlines()):
            broken = True
            print(f"{file}: {tidy} failed\n{messages}", flush=True)
        if number % 25 == 0 or number == len(files):
            print(f"[{number}/{len(files)}] {os.path.relpath(file)}",
                  file=sys.stderr, flush=True)
print(f"{len(files)} files, {len(seen)} warnings")
sys.exit(1 if seen or broken or not files else 0)
EOF
