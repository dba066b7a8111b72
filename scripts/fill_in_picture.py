#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws docs/images/fill_in.svg: the nonzeros of a grid Laplacian and of its Cholesky factor, as cyclotron computes them.

usage: scripts/fill_in_picture.py --cyclotron PATH [--out FILE]
"""
import argparse
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = "tensor A(n, n): csr\ntensor B(n, n): csr\nB(i,j) = A(i,j)\n"
MATRIX = "A=laplacian2d:k=9"
DOT, GAP = 4, 40


def entries(path):
    lines = [l for l in path.read_text().splitlines() if not l.startswith("%")]
    return {(int(a) - 1, int(b) - 1) for a, b, *_ in (l.split() for l in lines[1:])}, int(lines[0].split()[0])


def dots(points, left, color):
    return "".join(f'<rect x="{left + j * DOT}" y="{28 + i * DOT}" width="{DOT - 1}" height="{DOT - 1}" fill="{color}"/>\n'
                   for i, j in sorted(points))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cyclotron", required=True)
    parser.add_argument("--out", default=ROOT / "docs/images/fill_in.svg", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "copy.cyc").write_text(COPY)
        for program, output in ((work / "copy.cyc", "B"), (ROOT / "examples/cholesky.cyc", "L")):
            subprocess.run([args.cyclotron, "run", program, MATRIX, "-o", f"{output}={work / output}.mtx"], check=True, stdout=subprocess.DEVNULL)
        (a, n), (l, _) = entries(work / "B.mtx"), entries(work / "L.mtx")
    right = n * DOT + GAP
    text = '<text x="{}" y="16" font-family="sans-serif" font-size="13" fill="#444">{}</text>\n'
    args.out.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + n * DOT} {30 + n * DOT}" width="{right + n * DOT}">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n'
        + text.format(0, f"A: {len(a)} nonzeros") + text.format(right, f"L: {len(l)} nonzeros, {len(l - a)} of them fill-in")
        + dots(a, 0, "#2b6cb0") + dots(l & a, right, "#2b6cb0") + dots(l - a, right, "#dd6b20") + "</svg>\n")


if __name__ == "__main__":
    main()
