# SPDX-License-Identifier: MIT
"""The folder that `compile --target=c` writes for an example builds without a warning under every compiler there is, and
its self-test passes, without Cyclotron. A sample by day, every example in CYCLOTRON_NIGHTLY."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from cyclotron_runner import EXAMPLES, Failure, answers, main

FLAGS = ["-std=c11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror", "-fopenmp-simd"]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
BY_DAY = ["cholesky", "cyk", "edit_distance", "floyd_warshall", "game_of_life", "kalman", "mttkrp", "smith_waterman",
          "spgemm", "tiled_cholesky", "triangular_solve"]
UNDER_VALGRIND = ["cholesky", "tiled_cholesky"]


def call(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def stands_alone(run, what):
    name = run.program.stem
    with tempfile.TemporaryDirectory() as folder:
        call(folder, run.binary, "compile", run.program, "--target=c", "-o", "out/")
        out = pathlib.Path(folder, "out")
        for compiler in COMPILERS:
            call(out, compiler, *FLAGS, "-o", f"by_{compiler}", f"{name}.c", f"{name}_test.c", "-lm")
            if not call(out, f"./by_{compiler}").endswith("passed\n"):
                raise Failure("the self-test does not say that it passed")
        if name in UNDER_VALGRIND and shutil.which("valgrind"):
            call(out, "valgrind", "-q", "--error-exitcode=9", "--leak-check=full", f"./by_{COMPILERS[0]}")


def one_number_alone(run, what):
    """Of the table only two anti-diagonals are kept; whether all of them is written no compiler can see."""
    with tempfile.TemporaryDirectory() as folder:
        schedules = pathlib.Path(folder, "schedules.cyc")
        schedules.write_text("schedule diagonals { order i, j; wavefront i, j }\n")
        call(folder, run.binary, "compile", run.program, "--target=c", "-o", "out/", "--only", "distance",
             "--schedule-file", schedules, "--schedule", "diagonals")
        out = pathlib.Path(folder, "out")
        for compiler in COMPILERS:
            call(out, compiler, *FLAGS, "-O3", "-o", f"by_{compiler}", "edit_distance.c", "edit_distance_test.c", "-lm")
            if not call(out, f"./by_{compiler}").endswith("passed\n"):
                raise Failure("the self-test does not say that it passed")


NOT_WORTH_VECTORS = """tensor A(n,n): {dense, bitvector}
tensor L(n,n): {dense, bitvector}
L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i
L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k))) : k < i
schedule s { order i, j, k; unroll k by 4 }
default A = spd(n=8, density=0.4, seed=7)
"""
NOTHING_TO_CLEAR = """tensor a(n)
tensor b(m)
tensor X(n,m): {compressed, compressed}
X(i,j) = a(i) * b(j)
schedule s { order i, j }
default a = random(n=8, seed=7)
default b = random(n=5, seed=8)
"""


def no_warning(run, what):
    """Loops that a compiler cannot turn into vectors, and functions that a first draft of the kernel called."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("vectors", NOT_WORTH_VECTORS), ("clear", NOTHING_TO_CLEAR)):
            pathlib.Path(folder, f"{name}.cyc").write_text(text)
            call(folder, run.binary, "compile", f"{name}.cyc", "--target=c", "-o", f"{name}/", "--schedule", "s")
            for compiler in COMPILERS:
                call(pathlib.Path(folder, name), compiler, *FLAGS, "-O3", "-c", f"{name}.c")


answers("edit_distance", ("one number alone",))(one_number_alone)
answers("cholesky", ("no warning",))(no_warning)
for example in sorted(path.stem for path in EXAMPLES.glob("*.cyc") if not path.stem.startswith("mistake_")):
    if example in BY_DAY or os.environ.get("CYCLOTRON_NIGHTLY"):
        answers(example, ("stands alone",))(stands_alone)

main()
