# SPDX-License-Identifier: MIT
"""The runtime for clusters stands alone: a machine that has MPI and a BLAS, and nothing of what the compiler needs,
builds and runs it. Prints `ok NAME` or `FAIL NAME: reason`, as the scripts in tests/examples do. By day the build is
only configured; in CYCLOTRON_NIGHTLY it is made, too."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_THE_COMPILER = ["libisl", "-lisl", "polyhedra", "CLI11", "nlohmann"]


class Failure(Exception):
    """A check that does not hold; the text says why."""


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=800)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect_no_compiler(where, text):
    found = [word for word in OF_THE_COMPILER if word in text]
    if found:
        raise Failure(f"{where} names {', '.join(found)}\n{text[:4000]}")


def runtime_links_nothing_of_the_compiler(runtime):
    libraries = call("ldd", runtime)
    expect_no_compiler("what the runtime links", libraries)
    if "libmpi" not in libraries:
        raise Failure(f"expected MPI among\n{libraries}")


def builds_alone(_runtime):
    with tempfile.TemporaryDirectory() as folder:
        call("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCYCLOTRON_ONLY_MPI=ON")
        commands = call("ninja", "-C", folder, "-t", "commands", "all")
        if "cyclotron-mpi" not in commands:
            raise Failure("the runtime is not built")
        expect_no_compiler("the build", commands)
        if os.environ.get("CYCLOTRON_NIGHTLY"):
            call("cmake", "--build", folder)
            runtime_links_nothing_of_the_compiler(pathlib.Path(folder, "tools/cyclotron-mpi/cyclotron-mpi"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cyclotron", required=True, type=pathlib.Path, help="the binary under test")
    options = parser.parse_args()
    runtime = options.cyclotron.resolve().parent.parent / "cyclotron-mpi/cyclotron-mpi"
    failed = 0
    for check in (runtime_links_nothing_of_the_compiler, builds_alone):
        try:
            check(runtime)
            print(f"ok {check.__name__}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAIL {check.__name__}: {failure}", flush=True)
    return 1 if failed else 0


sys.exit(main())
