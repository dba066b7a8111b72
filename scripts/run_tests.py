#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs all tests of the tree (what ./test calls once the build is up to date) and counts them one by one.

A job is (group, names, run): `names` the tests it holds as far as known beforehand, `run(update)` a list of
(name, failure), where failure is None (passed), a text (failed), or a Skipped.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import sys
import time

import doctest
import golden
import lint
import sandbox
from sandbox import Skipped
from test_progress import Progress

GTEST_LINE = re.compile(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] (\w\S*\.[^\s,]+)")


# Several ranks share a core here: one that waits must give way. What MPI keeps until the end is no leak of ours.
MPIRUN = ("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 "
          "mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --timeout 600 -np")
RANKS = {"mpi_test_runtime": (1, 2, 3, 4, 6, 9, 16)}
USUAL_RANKS = (1, 2, 3, 4)
# The search for leaks itself crashes now and then where threads end beside it; it says nothing about the tests.
LEAK_SEARCH_FAILED = "LeakSanitizer has encountered a fatal error"
# These run for minutes: one job for each of their suites, so that no core is left with one of them at the end.
BY_SUITE = ("test_fuzz_lanes",)


def unit_jobs(binary, wanted):
    """One job per GoogleTest executable, or per suite of it; one for each number of ranks where it is called mpi_test_*."""
    tests = binary.parent.parent.parent / "tests"
    for path in sorted([*tests.rglob("test_*"), *tests.rglob("mpi_test_*")]):
        if path.is_file() and os.access(path, os.X_OK):
            group = str(path.relative_to(tests))
            if path.name.startswith("mpi_"):
                yield from (unit_job(path, f"{group}-{ranks}", wanted, f"{MPIRUN} {ranks} ")
                            for ranks in RANKS.get(path.name, USUAL_RANKS))
            elif path.name in BY_SUITE:
                job = unit_job(path, group, wanted)
                suites = dict.fromkeys(name.removeprefix(f"{group}/").split(".")[0] for name in job[1])
                yield from (unit_job(path, group, lambda name, suite=suite: wanted(name) and f"/{suite}." in name)
                            for suite in suites)
            else:
                yield unit_job(path, group, wanted)


def unit_job(path, group, wanted, launcher=""):
    status, listing, _ = sandbox.run(f"'{path}' --gtest_list_tests", sandbox.ROOT, path, merge=True)
    if status:
        return group, [group], lambda _update: [(group, listing)]
    cases, suite = [], ""
    for line in listing.splitlines():
        word = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = word if word.endswith(".") else ""
        elif suite:
            cases.append(suite + word)
    cases = [case for case in cases if wanted(f"{group}/{case}")]

    def run(_update):
        pattern = "'" + ":".join(cases) + "'"
        for _ in range(2):
            status, out, _ = sandbox.run(f"{launcher}'{path}' --gtest_color=no --gtest_filter={pattern}", sandbox.ROOT,
                                         path, merge=True, timeout=900)
            if not status or LEAK_SEARCH_FAILED not in out:
                break
        results, current, start = {}, None, 0
        for line in GTEST_LINE.finditer(out):
            kind, case = line[1], line[2]
            if kind == "RUN":
                current, start = case, line.end()
            elif case == current:
                text = out[start:line.start()].strip()
                results[case] = {"OK": None, "SKIPPED": Skipped(text or "by itself")}.get(kind, text or "failed")
                current, start = None, line.end()
        if current:  # it never ended: crashed, or ran out of time
            results[current] = f"exit status {status}\n{out[start:].strip()}"
        elif status and not any(type(r) is str for r in results.values()):
            results["exit status"] = f"exit status {status}\n{out[start:].strip()}"
        for case in cases:
            missed = Skipped("disabled") if "DISABLED_" in case else "not run: an earlier case stopped the executable"
            results.setdefault(case, missed)
        return [(f"{group}/{case}", failure) for case, failure in results.items()]

    return group, [f"{group}/{case}" for case in cases], run


def example_jobs(binary):
    """One job per script in tests/scripts, tests/examples, tests/sam and, where the runtime for MPI is built, in tests/mpi; each prints
    `ok NAME` or `FAIL NAME: reason` for every check."""
    has_mpi = (binary.parent.parent / "cyclotron-mpi/cyclotron-mpi").exists()
    for folder in ["scripts", "examples", "sam"] + ["mpi"] * has_mpi:
        for path in sorted((sandbox.ROOT / "tests" / folder).glob("*.py")):
            yield example_job(path, f"{folder}/{path.stem}", binary)


def example_job(path, group, binary):
    def run(_update):
        status, out, err = sandbox.run(f"/usr/bin/python3 '{path}' --cyclotron '{binary}'", sandbox.ROOT, binary,
                                       timeout=900)
        results, others = [], []
        for line in out.splitlines():
            word, _, rest = line.partition(" ")
            if word == "ok":
                results.append((f"{group}/{rest}", None))
            elif word == "FAIL":
                name, _, reason = rest.partition(":")
                results.append((f"{group}/{name}", reason.strip() or "failed"))
            elif results and type(results[-1][1]) is str:  # a reason may go on for some lines
                results[-1] = (results[-1][0], results[-1][1] + "\n" + line)
            else:
                others.append(line)
        if not results or (status and all(failure is None for _, failure in results)):
            results.append((group, "\n".join([f"exit status {status}", *others, err])))
        return results

    return group, [group], run


def failure_text(name, failure):
    return f"FAIL {name}\n" + "".join(f"    {line}\n" for line in failure.rstrip().splitlines())


def run_all(jobs, wanted, update):
    """Runs the jobs on all cores, prints a line per group as it ends, and returns the counts."""
    left = collections.Counter(group for group, _, _ in jobs)
    tally = collections.defaultdict(collections.Counter)
    seconds = collections.Counter()
    progress = Progress(sum(wanted(name) for _, names, _ in jobs for name in names), sys.stdout)

    def timed(job):
        start = time.monotonic()
        progress.begin(job[0])
        try:
            results = job[2](update)
        except Exception as error:  # a broken test script is one failed test, not the end of the run
            results = [(job[1][0] if job[1] else job[0], f"{type(error).__name__}: {error}")]
        progress.end(job[0])
        return job, results, time.monotonic() - start

    with concurrent.futures.ThreadPoolExecutor(max(2, len(os.sched_getaffinity(0)))) as pool:
        for future in concurrent.futures.as_completed([pool.submit(timed, job) for job in jobs]):
            (group, _, _), results, elapsed = future.result()
            for name, failure in results:
                if failure is None and not wanted(name):
                    continue  # a page of documentation or an example script runs as a whole
                kind = "passed" if failure is None else "skipped" if isinstance(failure, Skipped) else "failed"
                tally[group][kind] += 1
                if kind == "failed":
                    progress.say(failure_text(name, failure))
                elif kind == "skipped":
                    progress.say(f"skip {name}: {failure.splitlines()[-1]}")
                progress.add(kind == "failed")
            left[group] -= 1
            seconds[group] += elapsed
            if not left[group]:
                counts = ", ".join(f"{tally[group][k]} {k}" for k in ("passed", "failed", "skipped") if tally[group][k])
                progress.say(f"{group:<32} {counts:<28} {seconds[group]:6.1f} s")
    progress.erase()
    return sum(tally.values(), collections.Counter())


def main():
    parser = argparse.ArgumentParser("./test", description="Run the tests.")
    parser.add_argument("names", nargs="*", help="regular expressions: only tests whose name matches one")
    parser.add_argument("--list", action="store_true", help="print the names of the tests")
    parser.add_argument("--update", action="store_true", help="rewrite the expected output of goldens and docs")
    parser.add_argument("--cyclotron", default=sandbox.BINARY, type=type(sandbox.BINARY), help="the binary to test")
    options = parser.parse_args()
    patterns = [re.compile(name) for name in options.names]

    def wanted(name):
        return not patterns or any(pattern.search(name) for pattern in patterns)

    start = time.monotonic()
    binary = options.cyclotron.resolve()
    jobs = [*unit_jobs(binary, wanted), *example_jobs(binary), *golden.jobs(binary), *doctest.jobs(binary),
            *lint.jobs()]
    jobs = [(group, names, run) for group, names, run in jobs
            if any(map(wanted, names)) or any(name.startswith(group + "/") for name in options.names)]
    if options.list:
        print("\n".join(name for job in jobs for name in job[1] if wanted(name)))
        return 0
    counts = run_all(jobs, wanted, options.update)
    if patterns and not sum(counts.values()):
        print(f"no test matches {' '.join(options.names)}; ./test --list shows their names")
        counts["failed"] = 1
    for note in lint.notes:
        print(f"note: {note}")
    print(f"{time.monotonic() - start:.1f} s")
    print(f"{counts['passed']} passed, {counts['failed']} failed"
          + (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
