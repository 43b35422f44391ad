# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the RECORD of a wheel is right and complete.

    check-wheel.py WHEEL
"""
import base64
import csv
import hashlib
import io
import sys
import zipfile

wheel = zipfile.ZipFile(sys.argv[1])
names = set(wheel.namelist())
assert len(names) == len(wheel.namelist()), "a name occurs twice"
record = next(name for name in names if name.endswith(".dist-info/RECORD"))
rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
assert {row[0] for row in rows} == names
for name, digest, size in rows:
    data = wheel.read(name)
    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    expected = (f"sha256={found.rstrip(b'=').decode()}", str(len(data)))
    assert name == record or (digest, size) == expected, name
tag = wheel.read(record.replace("RECORD", "WHEEL")).decode().split("Tag: ")[1]
assert sys.argv[1].endswith(tag.strip() + ".whl"), tag
print(len(rows), "files are right")
