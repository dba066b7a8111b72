# SPDX-License-Identifier: MIT
"""What can go wrong around a run on several ranks: a rank that dies, a full disk, inputs that are broken or do not fit,
tools that are missing. Every check has a time limit; after each no process runs on, no file is half written, and the
folder for temporary files is empty. Prints `ok NAME` or `FAIL NAME: reason`, as the scripts in tests/examples do."""
import argparse
import contextlib
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
OLD = b"what was there before"
PAGE = os.sysconf("SC_PAGESIZE")

LARGE_TILES = """schedule large_tiles {
  tile i, j, k by 128
  space i, j
  time k
}
"""

CHECKS = []


def promptly():
    """Ten seconds, and more where others want the processors, too."""
    return 10 * max(1, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


class Failure(Exception):
    """A check that does not hold; the text says why."""


def check(function):
    CHECKS.append(function)
    return function


def expect(holds, reason):
    if not holds:
        raise Failure(reason)


class Place:
    """A folder with the temporary files of the tools in `tmp`, and how to call them there."""

    def __init__(self, folder, binary):
        self.folder, self.tmp = pathlib.Path(folder), pathlib.Path(folder, "tmp")
        self.tmp.mkdir()
        self.binary = binary
        self.runtime = binary.parent.parent / "cyclotron-mpi/cyclotron-mpi"
        self.environment = dict(os.environ, TMPDIR=str(self.tmp), OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PRTE_MCA_prte_tmpdir_base="/tmp",
                                OMPI_MCA_orte_tmpdir_base="/tmp", PMIX_MCA_gds="hash", NO_COLOR="1",
                                ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        (self.folder / "large.cyc").write_text(LARGE_TILES)

    def store(self, name, array):
        np.save(self.folder / name, array)
        return self.folder / name

    def start(self, *command, **changes):
        return subprocess.Popen(list(map(str, command)), cwd=self.folder, env=dict(self.environment, **changes),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self, process, limit):
        """The exit status and all that was said; it must come within the limit, in seconds."""
        try:
            said, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            for child in [*self.ranks(), process.pid]:
                os.kill(child, signal.SIGKILL)
            raise Failure(f"still running after {limit} s\n{process.communicate()[0]}") from None
        return process.returncode, said

    def run(self, *arguments, limit=60, **changes):
        """`cyclotron run --target=mpi` on 4 ranks."""
        return self.end(self.start(self.binary, "run", "--target=mpi", "--ranks", 4, *arguments, **changes), limit)

    def mpirun(self, *arguments, ranks=4, through=()):
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", ranks, *through, self.runtime, *arguments]

    def compile(self, example, *arguments, schedule="tiles"):
        path = self.folder / f"{example}.pe"
        status, said = self.end(self.start(self.binary, "compile", EXAMPLES / f"{example}.cyc", "--emit=pe", "-o", path,
                                           "--schedule", schedule, *arguments), 60)
        expect(status == 0, said)
        return path

    def ranks(self):
        """The processes of the runtime that are about this folder, by rank."""
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words[0] == str(self.runtime).encode() and str(self.folder).encode() in b" ".join(words):
                    environment = (process / "environ").read_bytes()
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", environment)
                    found[int(rank[1]) if rank else -1] = int(process.name)
        return found

    def wait_until_steps_are_done(self, status, rank, limit=120):
        """As the status file of the run tells; the process of the rank."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, struct.error, StopIteration, KeyError):
                data = next(self.folder.glob(status)).read_bytes()[rank * PAGE:rank * PAGE + 16]
                element, _, steps = struct.unpack("iiq", data)
                if element >= 0 and steps > 2:
                    return self.ranks()[rank]
            time.sleep(0.005)
        raise Failure("the run did not begin")

    def expect_clean(self, *outputs):
        """Outputs as they were, and nothing beside them."""
        for path in outputs:
            expect(path.read_bytes() == OLD, f"{path.name} was changed")
        left = [path.name for path in self.folder.rglob("*.part*")]
        expect(not left, f"left behind: {left}")
        expect(not self.ranks(), "ranks are still running")
        left = [path.name for path in self.tmp.iterdir()]
        expect(not left, f"left in the temporary folder: {left}")


def expect_words(said, *patterns):
    for pattern in patterns:
        expect(re.search(pattern, said), f"expected `{pattern}` in\n{said}")


def refused(place, result, *patterns, outputs=()):
    status, said = result
    expect(status not in (0, 124) and status > 0, f"exit status {status}\n{said}")
    expect_words(said, *patterns)
    place.expect_clean(*outputs)


def old_output(place, name="c.npy"):
    (place.folder / name).write_bytes(OLD)
    return place.folder / name


@check
def a_rank_is_killed(place):
    output = old_output(place)
    process = place.start(place.binary, "run", "--target=mpi", "--ranks", 4, EXAMPLES / "matmul.cyc", "m=2048", "n=2048",
                          "p=2048", "--schedule-file", "large.cyc", "--schedule", "large_tiles", "-o", f"C={output}")
    os.kill(place.wait_until_steps_are_done("tmp/cyclotron-mpi-*/status", 2), signal.SIGKILL)
    refused(place, place.end(process, promptly()), r"rank 2 of 4 was ended by signal 9 \(Killed\)",
            r"it was running PE \[\d+,\d+\], instruction \d+, after \d+ steps", "nothing was written", outputs=[output])


@check
def a_rank_started_by_hand_is_killed(place):
    output = old_output(place)
    program = place.compile("matmul", "m=1024", "n=1024", "p=1024", "--schedule-file", "large.cyc",
                            schedule="large_tiles")
    process = place.start(*place.mpirun(program, "A=random:seed=1", "B=random:seed=2", "-o", f"C={output}",
                                        "--repeat", 1000, "--status", place.folder / "status"))
    os.kill(place.wait_until_steps_are_done("status", 1), signal.SIGKILL)
    refused(place, place.end(process, promptly()), "rank 1 .*signal 9", outputs=[output])


@check
def interrupted(place):
    """Whoever stops the command stops the ranks."""
    for kind in (signal.SIGINT, signal.SIGTERM):
        process = place.start(place.binary, "run", "--target=mpi", "--ranks", 2, EXAMPLES / "matmul.cyc", "m=2048",
                              "n=2048", "p=2048", "--schedule-file", "large.cyc", "--schedule", "large_tiles")
        place.wait_until_steps_are_done("tmp/cyclotron-mpi-*/status", 1)
        process.send_signal(kind)
        place.end(process, promptly())
        deadline = time.monotonic() + promptly()
        while place.ranks() and time.monotonic() < deadline:
            time.sleep(0.05)
        place.expect_clean()


def limited_files(bytes_at_most):
    return ["prlimit", f"--fsize={bytes_at_most}", "env", "--ignore-signal=XFSZ"]


@check
def no_room_for_an_output(place):
    output = old_output(place)
    program = place.compile("matmul", "m=1536", "n=1536", "p=128", "--schedule-file", "large.cyc",
                            schedule="large_tiles")
    process = place.start(*place.mpirun(program, "A=random:seed=1", "B=random:seed=2", "-o", f"C={output}",
                                        through=limited_files(12 << 20)))
    refused(place, place.end(process, 60), "error: .*c.npy.*(large|space)", outputs=[output])


@check
def no_room_for_temporary_files(place):
    process = place.start(*limited_files(65536), place.binary, "run", "--target=mpi", EXAMPLES / "matmul.cyc", "m=256",
                          "n=16", "p=256", "--schedule", "tiles")
    refused(place, place.end(process, 60), "error: .*A.npy.*(large|space)")


@check
def a_disk_that_is_full(place):
    disk = place.folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True).returncode:
        return # not allowed here; the limit on sizes of files stands for it
    try:
        output = old_output(place, "disk/c.npy")
        program = place.compile("matmul", "m=256", "n=256", "p=16")
        process = place.start(*place.mpirun(program, "A=random:seed=1", "B=random:seed=2", "-o", f"C={output}"))
        refused(place, place.end(process, 60), "error: .*c.npy.*No space left", outputs=[output])
    finally:
        subprocess.run(["umount", disk], check=True)


@check
def an_output_in_no_folder(place):
    program = place.compile("matmul")
    process = place.start(*place.mpirun(program, "A=random:seed=1", "B=random:seed=2", "-o", "C=nowhere/c.npy"))
    refused(place, place.end(process, 60), "error: .*nowhere/c.npy.*no folder `nowhere`")


@check
def an_input_cut_off(place):
    whole = place.store("a.npy", np.ones((16, 12)))
    whole.write_bytes(whole.read_bytes()[:-100])
    program = place.compile("matmul")
    output = old_output(place)
    process = place.start(*place.mpirun(program, f"A={whole}", "B=random:seed=2", "-o", f"C={output}"))
    refused(place, place.end(process, 60), "error: expected 1536 bytes of data .*found 1436", r"a\.npy", outputs=[output])
    refused(place, place.run(EXAMPLES / "matmul.cyc", "--schedule", "tiles", f"A={whole}"), "error: .*", r"a\.npy")


@check
def an_input_of_another_shape(place):
    other = place.store("a.npy", np.ones((12, 16)))
    program = place.compile("matmul")
    output = old_output(place)
    process = place.start(*place.mpirun(program, f"A={other}", "B=random:seed=2", "-o", f"C={output}"))
    refused(place, place.end(process, 60), "error: expected a 16 x 12 tensor, found a 12 x 16 tensor", r"a\.npy", outputs=[output])


@check
def an_input_that_is_missing(place):
    program = place.compile("matmul")
    process = place.start(*place.mpirun(program, "B=random:seed=2"))
    refused(place, place.end(process, 60), "error: input `A` is not given")
    process = place.start(*place.mpirun(program, "A=nothing.npy", "B=random:seed=2"))
    refused(place, place.end(process, 60), "error: no such file `nothing.npy`")


@check
def a_matrix_that_is_not_positive_definite(place):
    matrix = np.eye(40)
    matrix[20, 20] = -1
    store = place.store("a.npy", matrix)
    output = old_output(place)
    for schedule in ("tiles", "array"):
        refused(place, place.run(EXAMPLES / "cholesky.cyc", f"A={store}", "--schedule", schedule, "-o", f"L={output}"),
                "error: ", r"on rank \d", r"PE \[\d+,\d+\]", r"instruction \d+", outputs=[output])


@check
def a_program_that_is_none(place):
    (place.folder / "broken.pe").write_text("cyclotron pe 1\nprogram \"a\"\n")
    refused(place, place.end(place.start(*place.mpirun("broken.pe")), 60), "error: the file was cut short", "broken.pe:3")
    refused(place, place.end(place.start(*place.mpirun("nothing.pe")), 60), "error: `nothing.pe` cannot be read: No such file")
    refused(place, place.end(place.start(*place.mpirun("--nonsense")), 60), "error: there is no option `--nonsense`")


@check
def no_mpirun(place):
    refused(place, place.run(EXAMPLES / "matmul.cyc", "--schedule", "tiles", CYCLOTRON_MPIRUN="/nonexistent"),
            "error: .*mpirun", "CYCLOTRON_MPIRUN")


@check
def an_mpirun_that_fails(place):
    refused(place, place.run(EXAMPLES / "matmul.cyc", "--schedule", "tiles", CYCLOTRON_MPIRUN="/bin/false"),
            "error: mpirun ended with status 1")


@check
def no_runtime(place):
    refused(place, place.run(EXAMPLES / "matmul.cyc", "--schedule", "tiles", CYCLOTRON_MPI="/nonexistent"),
            "error: .*cyclotron-mpi", "CYCLOTRON_MPI")


@check
def a_runtime_that_is_another_program(place):
    refused(place, place.run(EXAMPLES / "matmul.cyc", "--schedule", "tiles", CYCLOTRON_MPI="/bin/true"),
            "error: the runtime ended without saying how the run went")


@check
def no_temporary_folder(place):
    refused(place, place.run(EXAMPLES / "matmul.cyc", "--schedule", "tiles", TMPDIR="/nonexistent"),
            "error: .*temporary")


@check
def more_ranks_than_work(place):
    status, said = place.end(place.start(place.binary, "run", "--target=mpi", "--ranks", 7, EXAMPLES / "matmul.cyc",
                                         "m=1", "n=1", "p=1", "--schedule", "tiles"), 60)
    expect(status == 0, said)
    place.expect_clean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cyclotron", required=True, type=pathlib.Path, help="the binary under test")
    parser.add_argument("only", nargs="*", help="run only checks whose names contain one of these")
    options = parser.parse_args()
    failed = 0
    for function in CHECKS:
        name = function.__name__
        if options.only and not any(word in name for word in options.only):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                function(Place(folder, options.cyclotron.resolve()))
            print(f"ok {name}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAIL {name}: {failure}", flush=True)
    return 1 if failed else 0


sys.exit(main())
