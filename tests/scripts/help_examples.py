#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every verb's `--help` shows examples, and these run as they stand. Prints `ok NAME` or `FAIL NAME: reason`."""
import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--cyclotron", required=True, type=pathlib.Path, help="the binary under test")
BINARY = parser.parse_args().cyclotron.resolve()
HAS_RANKS = (BINARY.parent.parent / "cyclotron-mpi/cyclotron-mpi").exists() and shutil.which("mpirun")


def run(line, folder):
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=300)


def examples(verb):
    """The command lines below `Examples:`, without what is said about them behind two blanks."""
    text = run(f"'{BINARY}' {verb} --help", ROOT).stdout
    lines = re.findall(r"^  (cyclotron .*)$", text.partition("Examples:")[2], re.MULTILINE)
    return [re.split(r"  +", line)[0] for line in lines]


def is_run(line):
    """Not what needs MPI where there is none, nor the published experiments at their full size."""
    return (HAS_RANKS or not re.search("--target=mpi|--ranks", line)) and not re.match(r"cyclotron study \w+ (?!.*--quick)", line)


def problem_of(verb):
    lines = examples(verb)
    if not lines:
        return "its help shows no example"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "tests/matrices"):
            shutil.copytree(ROOT / name, pathlib.Path(folder, name))
        for line in filter(is_run, lines):
            done = run(line.replace("cyclotron", f"'{BINARY}'", 1), folder)
            if done.returncode != 0:
                return f"`{line}` ends with {done.returncode}\n{done.stdout}{done.stderr}"
    return None


listed = run(f"'{BINARY}' --help", ROOT).stdout.partition("Subcommands:")[2]
verbs = re.findall(r"^  (\w+)", listed, re.MULTILINE)
if len(verbs) < 7:
    print(f"FAIL verbs: the help lists {verbs}")
for one in verbs:
    problem = problem_of(one)
    print(f"FAIL {one}: {problem}" if problem else f"ok {one}")
