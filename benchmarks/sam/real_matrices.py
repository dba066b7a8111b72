#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Streams on real matrices: SpMV, SDDMM (K = 10), a sum and a product with the transpose, as a Markdown table.

  benchmarks/sam/real_matrices.py [--only SpMV] FILE.mtx[.gz] …

The tool compares every result with the interpreter or native code; the programs are those of tests/sam/real_matrices.py.
"""
import argparse
import gzip
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "sam"))
import real_matrices as programs  # noqa: E402  not this file: its folder comes later


def unpacked(file, folder):
    if file.suffix != ".gz":
        return file
    plain = pathlib.Path(folder) / file.stem
    plain.write_bytes(gzip.decompress(file.read_bytes()))
    return plain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cyclotron", default=str(ROOT / "build/benchmarks/tools/cyclotron/cyclotron"))
    parser.add_argument("--only", default="", help="kernels whose name has this in it")
    parser.add_argument("--seconds", type=int, default=120, help="longer runs are given up")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    print("| matrix | size | stored | kernel | cycles | tokens | values |\n| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for file in options.files:
            plain = unpacked(file, folder)
            rows, columns, stored = programs.size_of(plain)
            for kernel, inputs in programs.kernels_for(plain, rows, columns):
                if options.only not in kernel:
                    continue
                try:
                    cycles, tokens, verdict = programs.run(options.cyclotron, folder, kernel, inputs, options.seconds)
                    outcome = f"{cycles:,} | {tokens:,} | {verdict.split(':')[0]}"
                except (programs.Failure, subprocess.TimeoutExpired) as failure:
                    failed += 1
                    outcome = f"| | FAILED: {failure}"
                print(f"| `{plain.stem}` | {rows} x {columns} | {stored} | {kernel} | {outcome} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
