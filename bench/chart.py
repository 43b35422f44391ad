#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the ratios of a run of run-cases.py that was kept, as SVG.

    bench/chart.py RUN.json CHART.svg

A bar for each case, from 1.0 (as fast as native code) to the left if we are
faster, to the right if slower, on a logarithmic scale.
"""
import json
import math
import sys
from xml.sax.saxutils import escape

WIDTH, ROW, TOP, BOTTOM = 760, 20, 74, 14
LEFT, RIGHT = 130, 56  # names, and room for the value of the longest bar
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .note { fill: #57606a; paint-order: stroke; stroke: #ffffff;
          stroke-width: 3px; stroke-linejoin: round; }
  .page { fill: #ffffff; }
  .grid { stroke: #d0d7de; }
  .one { stroke: #24292f; stroke-width: 1.5; }
  .faster { fill: #1a7f5a; }
  .slower { fill: #bc5a1b; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; stroke: #0d1117; }
    .page { fill: #0d1117; }
    .grid { stroke: #30363d; }
    .one { stroke: #e6edf3; }
    .faster { fill: #3fb98a; }
    .slower { fill: #e0894a; }
  }
"""


def text(x, y, words, kind="", anchor="start"):
    kind = f' class="{kind}"' if kind else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}"{kind} text-anchor="{anchor}">'
            f"{escape(words)}</text>")


def line(x, top, bottom, kind):
    return (f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" '
            f'y2="{bottom}"/>')


def scale_for(ratios):
    """The powers of two around the ratios, and where a ratio is drawn."""
    low = math.floor(math.log2(min([*ratios, 1])))
    high = max(math.ceil(math.log2(max([*ratios, 1]))), low + 1)
    # Room for a value to the left of the longest bar.
    start, space = LEFT + 36, WIDTH - LEFT - RIGHT - 36

    def place(ratio):
        return start + space * (math.log2(ratio) - low) / (high - low)
    return range(low, high + 1), place


def draw_row(case, ratio, y, place):
    x, one = place(ratio), place(1)
    side = "faster" if ratio < 1 else "slower"
    yield text(LEFT - 8, y + 14, case, "", "end")
    yield (f'<rect class="{side}" x="{min(x, one):.1f}" y="{y + 4}" '
           f'width="{abs(x - one):.1f}" height="{ROW - 7}" rx="1.5"/>')
    yield (text(x - 5, y + 14, f"{ratio:.2f}", "note", "end") if ratio < 1 else
           text(x + 5, y + 14, f"{ratio:.2f}", "note"))


def draw(run):
    rows = sorted(run["ratios"].items(), key=lambda row: row[1])
    powers, place = scale_for([ratio for _, ratio in rows])
    end = TOP + ROW * len(rows) + 4
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" '
           f'viewBox="0 0 {WIDTH} {end + BOTTOM}" role="img" '
           f'aria-label="Time of each case as a ratio to native code">',
           f"<style>{STYLE}</style>",
           '<rect class="page" width="100%" height="100%"/>',
           text(16, 24, "Time as a ratio to native code: less is better",
                "title"),
           text(16, 42, f"{run['cpu']}, {run['cores']} cores, {run['date']}",
                "note")]
    for power in powers:
        label = str(2 ** power) if power >= 0 else f"1/{2 ** -power}"
        out.append(line(place(2.0 ** power), TOP, end, "grid"))
        out.append(text(place(2.0 ** power), TOP - 6, label, "note", "middle"))
    for number, (case, ratio) in enumerate(rows):
        out += draw_row(case, ratio, TOP + ROW * number, place)
    out.append(line(place(1), TOP, end, "one"))
    return "\n".join(out + ["</svg>", ""])


def main():
    with open(sys.argv[1]) as file:
        run = json.load(file)
    with open(sys.argv[2], "w") as file:
        file.write(draw(run))


if __name__ == "__main__":
    sys.exit(main())
