#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`--time-passes` leaves nothing out: for every example on every target, the rows add up to the total, and the total is
the time that the process took. Prints `ok NAME` or `FAIL NAME: reason`.

A busy machine may stop a process at any moment, before its first instruction as well. So the total is compared with two
times from outside: it is no more than the time that went by, and no less than the processor time that was used, but for
what it takes to start and to end.

usage: tests/scripts/pass_times.py [--cyclotron PATH] [EXAMPLE…]
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
VERBS = {"run_c": ["run"], "run_array": ["run", "--target=array"], "run_sam": ["run", "--target=sam"],
         "run_interpret": ["run", "--target=interpret"], "simulate_array": ["simulate"],
         "simulate_sam": ["simulate", "--target=sam"]}
SMALLER = {"cyk": ["words=[0, 0, 1]"]}  # inputs, where the default ones take an array seconds
ROW = re.compile(r"^([\w-]+) +(\d+)? +([\d.]+) ms +(\d+) %$", re.MULTILINE)

SHARE = 0.05  # of the total that may be in no row
LEAST = 5.0  # ms that may always be, where the total is less than SHORT
SHORT = 100.0  # ms
ENDING_SHARE, ENDING = 0.1, 20.0  # ms of processor time behind the table, where memory is given back
# The sanitizers' search for leaks goes through all memory behind the table. Every other test has it.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
TRIES = 12  # another program may take the processor between two passes, but not every time


def problem_of(stderr, elapsed, used):
    """What is wrong with the table; "" where nothing is. The process took `elapsed` ms, and `used` of the processor."""
    rows = ROW.findall(stderr)
    if not rows or rows[-1][0] != "total":
        return f"no table was printed, but: {stderr}"
    *passes, (_, _, total, _) = rows
    total, covered = float(total), sum(float(ms) for _, _, ms, _ in passes)
    missing = total - covered
    if abs(missing) > max(SHARE * total, LEAST if total < SHORT else 0):
        return f"the rows add up to {covered:.2f} ms, the total is {total:.2f} ms"
    if not used - max(ENDING_SHARE * used, ENDING) <= total <= elapsed:
        return f"the total is {total:.2f} ms, but the process took {elapsed:.2f} ms, {used:.2f} ms of the processor"
    wrong = [name for name, _, _, share in rows if int(share) > 100]
    return f"more than all of the time in isl: {wrong}" if wrong else ""


def timed(binary, verb, example):
    with tempfile.TemporaryFile("w+") as errors:
        start = time.monotonic()
        process = subprocess.Popen([binary, *verb, str(example), *SMALLER.get(example.stem, []), "--time-passes"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read()
    if process.returncode not in (0, 1, 3):  # 1 and 3: a target may refuse the program; what it did is timed all the same
        return f"exit status {process.returncode}\n{text}"
    return problem_of(text, 1e3 * elapsed, 1e3 * (usage.ru_utime + usage.ru_stime))


def problem_in_all_tries(binary, verb, example):
    problem = ""
    for _ in range(TRIES):
        problem = timed(binary, verb, example)
        if not problem:
            break
        time.sleep(0.2)  # until the others have less to do
    return problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cyclotron", default=str(ROOT / "build/dev/tools/cyclotron/cyclotron"))
    parser.add_argument("examples", nargs="*")
    options = parser.parse_args()
    names = options.examples or sorted(p.stem for p in EXAMPLES.glob("*.cyc") if not p.stem.startswith("mistake_"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for label, verb in VERBS.items():
            problems = pool.map(lambda name: problem_in_all_tries(options.cyclotron, verb, EXAMPLES / f"{name}.cyc"), names)
            found = [f"{name}: {problem}" for name, problem in zip(names, problems) if problem]
            print(f"FAIL {label}: " + "\n".join(found) if found else f"ok {label}", flush=True)


main()
