#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of docs/array.md with `cyclotron simulate`, or says which of them are no longer what it draws.

usage: scripts/array_pictures.py --cyclotron PATH [--check]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = {  # file: program, schedule, inputs, option
    "array_matmul.svg": ("matmul", "output_stationary", ["A=random:n=5,m=7,seed=1", "B=random:n=7,m=4,seed=2"], "--grid"),
    "array_solve_steps.svg": ("triangular_solve", "linear_array", ["L=triangular:n=16,seed=1"], "--spacetime"),
    "array_solve.svg": ("triangular_solve", "linear_array", ["L=triangular:n=16,seed=1"], "--utilisation"),
    "array_cholesky.svg": ("tiled_cholesky", "array", ["T=12", "b=3"], "--utilisation"),
    "array_attention.svg": ("flash_attention_array", "queries", ["N=16"], "--utilisation"),
}


def draw(binary, program, schedule, inputs, option, path):
    command = [binary, "simulate", ROOT / "examples" / f"{program}.cyc", "--schedule", schedule, *inputs, option, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--cyclotron", required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (program, schedule, inputs, option) in PICTURES.items():
            kept = ROOT / "docs" / "images" / name
            drawn = pathlib.Path(folder, name)
            draw(pathlib.Path(arguments.cyclotron).resolve(), program, schedule, inputs, option, drawn)
            if not arguments.check:
                kept.write_text(drawn.read_text())
            elif not kept.exists() or kept.read_text() != drawn.read_text():
                stale.append(name)
    if stale:
        sys.exit(f"not what cyclotron draws now: {', '.join(stale)}; run scripts/array_pictures.py --cyclotron PATH")


main()
