# SPDX-License-Identifier: MIT
"""Runs on several ranks that are killed in the middle and go on from their checkpoint: the result is that of a run that
was left alone, byte for byte, and so are the counts of messages. What does not belong to a checkpoint is refused.
Prints `ok NAME` or `FAIL NAME: reason`, as the scripts in tests/examples do."""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 120  # seconds that anything may take
# Of MPI's messages, those of this size are not buffered: they wait for their receiver.
LARGE_TILES = """schedule large_tiles {
  tile i, j, k by 40
  space i, j
  time k
}
"""
# Name: example, schedule, sizes, output.
PROGRAMS = {"cholesky": ("cholesky", "tiles", ["n=92"], "L"),
            "large tiles": ("cholesky", "large_tiles", ["n=390"], "L"),
            "product": ("matmul", "tiles", ["m=22", "n=30", "p=38"], "C"),
            "numbers": ("cholesky", "array", ["n=19"], "L")}


class Failure(Exception):
    """A check that does not hold; the text says why."""


def expect(holds, reason):
    if not holds:
        raise Failure(reason)


class Run:
    """A command in a folder with programs and inputs."""

    def __init__(self, folder, binary):
        self.folder, self.binary = pathlib.Path(folder), binary
        self.runtime = pathlib.Path(os.environ.get("CYCLOTRON_MPI", binary.parent.parent / "cyclotron-mpi/cyclotron-mpi"))
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                NO_COLOR="1", ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        random = np.random.default_rng(7)
        square = random.standard_normal((390, 390))
        square = square @ square.T + 390 * np.eye(390)
        self.inputs = {"cholesky": {"A": square[:92, :92]}, "large tiles": {"A": square},
                       "numbers": {"A": square[:19, :19]},
                       "product": {"A": random.standard_normal((22, 38)), "B": random.standard_normal((38, 30))}}
        (self.folder / "large.cyc").write_text(LARGE_TILES)
        for name, (example, schedule, sizes, _) in PROGRAMS.items():
            status, said = self.end(self.start([binary, "compile", ROOT / f"examples/{example}.cyc", "--schedule",
                                                schedule, "--schedule-file", self.folder / "large.cyc", "--emit=pe", "-o",
                                                self.folder / f"{name}.pe", *sizes]))
            expect(status == 0, said)
            for tensor, values in self.inputs[name].items():
                np.save(self.folder / f"{name}-{tensor}.npy", values)

    def start(self, command):
        return subprocess.Popen(list(map(str, command)), cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(self, process):
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            for child in [*self.ranks().values(), process.pid]:
                os.kill(child, signal.SIGKILL)
            raise Failure(f"still running after {LIMIT} s\n{process.communicate()[0]}") from None
        return process.returncode, said

    def command(self, name, ranks, *options, inputs=None, output="out"):
        tensors = inputs or {tensor: f"{name}-{tensor}.npy" for tensor in self.inputs[name]}
        return ["mpirun", "-q", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", ranks, self.runtime,
                self.folder / f"{name}.pe", *(f"{tensor}={value}" for tensor, value in tensors.items()),
                "-o", f"{PROGRAMS[name][3]}={output}.npy", "--json", f"{output}.json", *options]

    def run(self, *arguments, **changes):
        return self.end(self.start(self.command(*arguments, **changes)))

    def result(self, output="out"):
        """The bytes of the output, and what was counted."""
        counts = json.loads((self.folder / f"{output}.json").read_text())
        counts.pop("seconds")
        return (self.folder / f"{output}.npy").read_bytes(), counts

    def ranks(self):
        """The processes of the runtime that are about this folder, by rank."""
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if words[0] == str(self.runtime).encode() and str(self.folder).encode() in b" ".join(words):
                    rank = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", (process / "environ").read_bytes())
                    found[int(rank[1]) if rank else 0] = int(process.name)
        return found

    def made(self):
        """The number of the last checkpoint."""
        with contextlib.suppress(OSError):
            found = re.search(r"^number (\d+)$", (self.folder / "kept/latest").read_text(), re.M)
            return int(found[1]) if found else 0
        return 0

    def kill(self, name, ranks, victim, *options, more=3):
        """Starts a run that makes a checkpoint after every step, and kills a rank once there are some more."""
        for path in self.folder.glob("out.*"):
            path.unlink()
        before = self.made()
        process = self.start(self.command(name, ranks, "--checkpoint", "kept", "--checkpoint-every", 0, *options))
        deadline = time.monotonic() + LIMIT
        while self.made() < before + more and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.001)
        with contextlib.suppress(KeyError, ProcessLookupError):
            os.kill(self.ranks()[victim], signal.SIGKILL)
        status, said = self.end(process)
        expect(status != 0, f"the run ended before it could be killed\n{said}")
        expect(not (self.folder / "out.npy").exists(), "there is an output although the run was killed")
        expect(self.made() >= before + more, f"there is no checkpoint\n{said}")

    def go_on(self, name, ranks, *options, **changes):
        return self.run(name, ranks, "--checkpoint", "kept", *options, **changes)

    def expect_same(self, name, ranks, *options):
        """The run goes on, ends as if nothing had been, and leaves nothing."""
        status, said = self.go_on(name, ranks, *options)
        expect(status == 0, f"exit status {status}\n{said}")
        found = re.search(r"^goes on from step (\d+) of (\d+) \(checkpoint of \d{4}-\d\d-\d\d [\d:]{8} UTC\)$", said, re.M)
        expect(found and 0 < int(found[1]) < int(found[2]), f"it does not go on in the middle\n{said}")
        status, alone = self.run(name, ranks, *options, output="alone")
        expect(status == 0, alone)
        (values, counts), (wanted, wanted_counts) = self.result(), self.result("alone")
        expect(values == wanted, "the result is another than that of a run that was left alone")
        expect(counts == wanted_counts, f"counted {counts}, a run that was left alone {wanted_counts}")
        expect(not list((self.folder / "kept").iterdir()), "files are left in the folder")

    def forget(self):
        shutil.rmtree(self.folder / "kept", ignore_errors=True)


def goes_on(run, name, transport, ranks):
    run.kill(name, ranks, ranks - 1, "--transport", transport)
    run.expect_same(name, ranks, "--transport", transport)


def goes_on_twice(run):
    run.kill("cholesky", 3, 0, "--transport", "messages")
    run.kill("cholesky", 3, 1, "--transport", "messages", more=8)
    run.expect_same("cholesky", 3, "--transport", "messages")


def every_step_is_saved(run):
    """Nothing is lost or done twice when ranks stop and go on all the time."""
    status, said = run.go_on("product", 3, "--transport", "messages", "--checkpoint-every", 0)
    expect(status == 0, said)
    expect("goes on" not in said, "it goes on from a checkpoint that nobody made")
    status, said = run.run("product", 3, "--transport", "messages", output="alone")
    expect(status == 0, said)
    expect(run.result() == run.result("alone"), "the result is another than that of a run without checkpoints")


def goes_on_with_another_transport(run):
    run.kill("cholesky", 3, 2, "--transport", "shared")
    run.expect_same("cholesky", 3, "--transport", "messages")
    run.kill("cholesky", 3, 2, "--transport", "messages")
    run.expect_same("cholesky", 3, "--transport", "shared")


def others_are_refused(run):
    run.kill("product", 4, 3, "--spread", "block")

    def refuse(words, name, ranks, *options, **changes):
        status, said = run.go_on(name, ranks, *options, **changes)
        expect(status == 1 and words in said and "delete `kept` to begin again" in said,
               f"expected `{words}`, found status {status}\n{said}")

    refuse("is of another program", "numbers", 4)
    refuse("is of a run on 4 ranks, and this is one on 3", "product", 3, "--spread", "block")
    refuse("in blocks over 4`, and now it is `i cyclic over 1, j cyclic over 4`", "product", 4, "--spread", "cyclic")
    np.save(run.folder / "other.npy", np.ones((38, 30)))
    refuse("is of a run with another input `B`", "product", 4, "--spread", "block",
           inputs={"A": "product-A.npy", "B": "other.npy"})
    part = next((run.folder / "kept").glob(f"checkpoint-{run.made()}-rank-2.part"))
    whole = part.read_bytes()
    for damaged in (whole[:-8], whole[:-3], b"", whole[:200] + bytes([whole[200] ^ 1]) + whole[201:]):
        part.write_bytes(damaged)
        refuse(f"`kept/{part.name}` is damaged", "product", 4, "--spread", "block")
    part.unlink()
    refuse(f"`kept/{part.name}` cannot be read: No such file", "product", 4, "--spread", "block")
    part.write_bytes(whole)
    latest = (run.folder / "kept/latest").read_bytes()
    (run.folder / "kept/latest").write_bytes(latest[:-5])
    refuse("`kept/latest` is damaged", "product", 4, "--spread", "block")
    (run.folder / "kept/latest").write_bytes(latest)
    run.expect_same("product", 4, "--spread", "block")  # nothing of it was lost


def a_set_that_is_not_whole_does_not_count(run):
    run.kill("product", 3, 1)
    made = run.made()
    for rank in (0, 5):
        (run.folder / f"kept/checkpoint-{made + 1}-rank-{rank}.part").write_bytes(b"the beginning of")
    (run.folder / "kept/latest.aside").write_bytes(b"cyclo")
    run.expect_same("product", 3)


def a_run_that_fails_ends(run):
    """With one rank failing while others are asked for a checkpoint."""
    np.save(run.folder / "negative.npy", -np.eye(92) + np.diag([3.0] * 60 + [0.0] * 32))
    status, said = run.go_on("cholesky", 4, "--checkpoint-every", 0, inputs={"A": "negative.npy"})
    expect(status == 1 and "on rank" in said, f"exit status {status}\n{said}")


def a_disk_that_does_not_take_it_is_no_end(run):
    (run.folder / "kept/checkpoint-1-rank-0.part/in the way").mkdir(parents=True)
    status, said = run.go_on("product", 2, "--checkpoint-every", 0)
    expect(status == 0 and "warning: no checkpoint was made, the run goes on: `kept/checkpoint-1-rank-0.part` cannot be "
           "written" in said, f"exit status {status}\n{said}")
    run.forget()
    (run.folder / "kept").write_text("a file")
    status, said = run.go_on("product", 2)
    expect(status == 1 and "--checkpoint: the folder `kept` cannot be made" in said, said)
    (run.folder / "kept").unlink()


def the_compiler_passes_it_on(run):
    """`cyclotron run` gives the inputs other names each time: what counts is what they hold."""
    command = [run.binary, "run", ROOT / "examples/cholesky.cyc", "--schedule", "tiles", "--target=mpi", "--ranks", 3,
               "A=cholesky-A.npy", "-o", "L=out.npy", "--checkpoint", "kept"]
    process = run.start([*command, "--checkpoint-every", 0])
    deadline = time.monotonic() + LIMIT
    while run.made() < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    for child in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (child / "cmdline").read_bytes().startswith(str(run.runtime).encode()) and \
                    os.readlink(child / "cwd") == str(run.folder):
                os.kill(int(child.name), signal.SIGKILL)
                break
    status, said = run.end(process)
    expect(status != 0 and "the same command goes on from the last checkpoint" in said, f"status {status}\n{said}")
    status, said = run.end(run.start(command))
    expect(status == 0 and "goes on from step" in said, f"exit status {status}\n{said}")
    status, said = run.run("cholesky", 3, output="alone")
    expect(status == 0, said)
    expect(np.array_equal(np.load(run.folder / "out.npy"), np.load(run.folder / "alone.npy")), "another result")


def checks():
    for name in PROGRAMS:
        for transport in ("shared", "messages"):
            for ranks in (1, 3, 4) if name in ("cholesky", "product") else (4,):
                yield (f"{name} with {transport} on {ranks} ranks",
                       lambda run, name=name, transport=transport, ranks=ranks: goes_on(run, name, transport, ranks))
    for check in (goes_on_twice, every_step_is_saved, goes_on_with_another_transport, others_are_refused,
                  a_set_that_is_not_whole_does_not_count, a_run_that_fails_ends,
                  a_disk_that_does_not_take_it_is_no_end, the_compiler_passes_it_on):
        yield check.__name__.replace("_", " "), check


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cyclotron", type=pathlib.Path, default=ROOT / "build/dev/tools/cyclotron/cyclotron")
    parser.add_argument("names", nargs="*", help="only checks whose names contain one of these")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        run = Run(os.path.realpath(folder), options.cyclotron.resolve())
        for name, check in checks():
            if options.names and not any(word in name for word in options.names):
                continue
            try:
                run.forget()
                check(run)
                print(f"ok {name}", flush=True)
            except Failure as failure:
                failed += 1
                print(f"FAIL {name}: {failure}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
