# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files that a page shows: code blocks that begin with a comment
`file: NAME`.

    extract-files.py PAGE.md FOLDER
"""
import os
import re
import sys

page, folder = sys.argv[1:]
os.makedirs(folder)
blocks = re.findall(r"^```\w*\n(?://|#) file: (\S+)\n(.*?)^```$",
                    open(page).read(), re.M | re.S)
for name, text in blocks:
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
print(f"{len(blocks)} files")
