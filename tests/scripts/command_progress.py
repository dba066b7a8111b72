#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How far long commands of `cyclotron` say they are, in a pipe and on a terminal; that stdout does not change, and what
an interrupt leaves behind. Prints `ok NAME` or `FAIL NAME: reason`."""
import argparse
import os
import pathlib
import pty
import re
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ERASE = "\r\033[K"
MOVED = re.compile(r"\r\033\[K\033\[\?7lcyclotron: ([^\033]*)\033\[\?7h")
TIMES = re.compile(r"\d+(\.\d+)? (µs|ms|s)\b")

options = argparse.ArgumentParser()
options.add_argument("--cyclotron", required=True)
CYCLOTRON = str(pathlib.Path(options.parse_args().cyclotron).resolve())


def report(name, problem):
    print(f"FAIL {name}: {problem}" if problem else f"ok {name}", flush=True)


class Command:
    """A run of `cyclotron` with its stdout in a file, and its stderr in a pipe or on a terminal."""

    def __init__(self, arguments, folder, terminal=False, **variables):
        environment = dict(os.environ, TERM="xterm", TMPDIR=folder, CYCLOTRON_CACHE=folder + "/cache", **variables)
        if "CYCLOTRON_PROGRESS_SECONDS" not in variables:
            environment.pop("CYCLOTRON_PROGRESS_SECONDS", None)
        self.reading, writing = pty.openpty() if terminal else os.pipe()
        self.stdout = tempfile.TemporaryFile()
        self.process = subprocess.Popen([CYCLOTRON, *arguments], cwd=ROOT, env=environment, stdout=self.stdout,
                                        stderr=writing, stdin=subprocess.DEVNULL,
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(writing)
        self.stderr = ""

    def read(self, until=None):
        """stderr to its end, or until it holds that."""
        while until is None or until not in self.stderr:
            try:
                block = os.read(self.reading, 65536)
            except OSError:  # how a terminal ends
                block = b""
            if not block:
                break
            self.stderr += block.decode().replace("\r\n", "\n")

    def finish(self):
        self.read()
        os.close(self.reading)
        status = self.process.wait()
        self.stdout.seek(0)
        return status, TIMES.sub("TIME", self.stdout.read().decode()), self.stderr


def slow_compiler(folder, then):
    """A C compiler that takes its time."""
    path = pathlib.Path(folder) / "slowcc"
    path.write_text(f'#!/bin/sh\ncase "$*" in *--version*) exec cc --version;; esac\nsleep 2.5\n{then}\n')
    path.chmod(0o755)
    return str(path)


def in_a_pipe(name, arguments, *expected):
    """Every line has the form of one, each of `expected` is in some line, and stdout is what it is without them."""
    with tempfile.TemporaryDirectory() as folder:
        status, out, lines = Command(arguments, folder, CYCLOTRON_PROGRESS_SECONDS="0").finish()
    with tempfile.TemporaryDirectory() as folder:
        quiet_status, quiet_out, nothing = Command(arguments, folder).finish()
    problem = ""
    if status or quiet_status:
        problem = f"status {status} and {quiet_status}"
    elif nothing:
        problem = f"said {nothing!r} within half a minute"
    elif out != quiet_out:
        problem = f"stdout differs: {out!r} and {quiet_out!r}"
    for line in lines.splitlines():
        if not re.fullmatch(r"cyclotron: .+ \((\d+ min )?\d+ s(, about .+ left)?\)", line):
            problem = f"not a line of progress: {line!r}"
    for words in expected:
        if not re.search(words, lines):
            problem = f"expected {words!r} in {lines!r}"
    report(name, problem)


def on_a_terminal(name, arguments, *expected, then='exec cc "$@"', status=0, behind=""):
    """A line that moves and is erased before anything else is said; stdout is as in a pipe."""
    outputs = []
    for terminal in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            command = Command(arguments, folder, terminal, NO_COLOR="1", CYCLOTRON_CC=slow_compiler(folder, then))
            outputs.append(command.finish())
    (found, out, shown), (_, quiet_out, _) = outputs
    problem = ""
    texts = MOVED.findall(shown)
    rest = MOVED.sub("", shown)
    if found != status:
        problem = f"status {found}: {shown}"
    elif out != quiet_out:
        problem = f"stdout differs: {out!r} and {quiet_out!r}"
    elif not rest.startswith(ERASE) or behind not in rest or (not behind and rest.replace(ERASE, "")):
        problem = f"expected the line to be erased, then {behind!r}, found {rest!r}"
    for words in expected:
        if not any(re.search(words, text) for text in texts):
            problem = f"expected {words!r} in {texts!r}"
    report(name, problem)


def interrupted(name, arguments, words, at_a_terminal):
    """Ends by the signal, at once, with the line erased and no file left."""
    with tempfile.TemporaryDirectory() as folder:
        compiler = slow_compiler(folder, "sleep 60")
        command = Command(arguments, folder, at_a_terminal, CYCLOTRON_CC=compiler, CYCLOTRON_PROGRESS_SECONDS="0")
        command.read(until=words)
        begin = time.monotonic()
        command.process.send_signal(signal.SIGINT)
        status, out, shown = command.finish()
        took = time.monotonic() - begin
        # Compilers work in folders `work-…`; a run without a cache in `cyclotron-…`; writers make `.NAME.…` beside files.
        left = [str(path) for path in pathlib.Path(folder).rglob("*")
                if path.name.startswith(("work-", "cyclotron-", ".")) or path.suffix == ".so"]
    problem = ""
    if status != -signal.SIGINT:
        problem = f"status {status}"
    elif out or took > 5 or left:
        problem = f"stdout {out!r}, after {took:.1f} s, left {left}"
    elif at_a_terminal and not shown.endswith(ERASE):
        problem = f"the line stays: {shown[-200:]!r}"
    report(name, problem)


def interrupted_sweep(name):
    """The sweep ends after the points at work, and says so behind the line."""
    with tempfile.TemporaryDirectory() as folder:
        command = Command(["explore", "examples/matmul.cyc", "m=6", "n=6", "p=6", "-j", "2"], folder, True)
        command.read(until="compiling: ")
        command.process.send_signal(signal.SIGINT)
        status, _, shown = command.finish()
    last = MOVED.sub("", shown).split(ERASE)[-1]
    problem = "" if re.fullmatch(r"interrupted after \d+ results; nothing was kept: .*\n", last) else repr(last)
    report(name, problem or (status != 130 and f"status {status}"))


MATMUL = ["examples/matmul.cyc", "m=120", "n=120", "p=120"]
SMALL = ["run", "examples/matmul.cyc"]

in_a_pipe("pipe_interpreter", ["run", "--target=interpret", *MATMUL], r"interpreting: \d+ % \(")
in_a_pipe("pipe_array", ["run", "--target=array", "examples/matmul.cyc", "m=48", "n=48", "p=48"],
          r"simulating the array: \d+ % \(")
in_a_pipe("pipe_streams", ["run", "--target=sam", "examples/mttkrp.cyc", "m=60", "n=60", "p=60", "r=30"],
          r"simulating the streams: \d+(\.\d million)? cycles \(")
in_a_pipe("pipe_explore", ["explore", "examples/matmul.cyc", "m=6", "n=6", "p=6", "--budget", "12", "-j", "2"],
          r"compiling: \d+ of 12 schedules \(", r"simulating and checking: \d+ of \d+ points \(")
in_a_pipe("pipe_study", ["study", "fusion", "--quick"], r"study fusion: \d+ of \d+ forms \(")
on_a_terminal("terminal_compiler", SMALL, r"^compiling the kernel with slowcc \(\d s\)$")
on_a_terminal("terminal_error", SMALL, r"^compiling the kernel with slowcc", then="exit 3", status=1, behind="error: ")
interrupted("interrupt_compiler_terminal", SMALL, "compiling the kernel", True)
interrupted("interrupt_compiler_pipe", SMALL, "compiling the kernel", False)
interrupted("interrupt_interpreter", ["run", "--target=interpret", "examples/matmul.cyc", "m=600", "n=600", "p=600"],
            "interpreting", True)
interrupted_sweep("interrupt_sweep")
