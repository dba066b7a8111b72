#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A dozen plain checks of the tree; each is a function that yields (path, line, message), and one test of ./test.

usage: scripts/lint.py [--functions | --update]

--functions lists the functions that are longer than we aim for; --update takes out of scripts/long_functions.txt what
is no longer too long, and lowers the numbers of what became shorter.
"""
import re
import shutil
import subprocess
import sys

from function_lengths import LongFunctions
from link_graph import Graph
from sandbox import ROOT, Skipped

WARN_LINES, MOST_LINES = 400, 600
AIMED_FUNCTION, MOST_FUNCTION = 40, 60  # lines
BANNED = re.compile(r"(utils?|common|misc|helpers?|impl|manager|new_.*)", re.I)
MACHINE_PATH = re.compile(r"/(home|root|work|tmp/bash)/")
TEXT = {".cpp", ".hpp", ".py", ".sh", ".md", ".txt", ".cmake", ".json", ".cyc", ""}
FOLDERS = ["src", "include", "tools", "tests", "scripts", "examples", "docs", "cmake", "benchmarks", ".ci"]
notes = []  # what deserves a look, but fails nothing


def files(*suffixes):
    """All files of ours, or those with one of these suffixes."""
    found = [p for p in ROOT.iterdir() if p.is_file() and p.name != ".git"]  # which is a file in a worktree
    for folder in FOLDERS:
        found += [p for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return sorted(p for p in found if (p.suffix in suffixes if suffixes else p.suffix in TEXT))


def lines(path):
    return enumerate(path.read_text(errors="replace").splitlines(), 1)


def sizes():
    for path in files(".cpp", ".hpp", ".py"):
        count = len(path.read_text().splitlines())
        if count > MOST_LINES:
            yield path, count, f"{count} lines; at most {MOST_LINES}"
        elif count > WARN_LINES:
            notes.append(f"{path.relative_to(ROOT)}: {count} lines; aim for {WARN_LINES}")


def names():
    for path in files():
        for word in (path.stem, *path.relative_to(ROOT).parts[:-1]):
            if BANNED.fullmatch(word):
                yield path, 1, f"`{word}` says nothing about what is in it"


def source_lists():
    """Every .cpp is listed in the CMakeLists.txt of its folder, and everything listed exists; lists are sorted."""
    for cmake in files(".txt"):
        if cmake.name != "CMakeLists.txt" or cmake.parent == ROOT:
            continue
        text = re.sub(r"#.*", "", cmake.read_text())
        listed = re.findall(r"[\w/]+\.cpp\b", text)
        for name in listed:
            if not (cmake.parent / name).exists():
                yield cmake, 1, f"lists {name}, which does not exist"
        for call in re.findall(r"add_(?:library|executable)\(([^)]*)\)", text):
            if (sources := re.findall(r"[\w/]+\.cpp\b", call)) != sorted(sources):
                yield cmake, 1, "sources are not sorted: " + " ".join(sources)
    for path in files(".cpp"):
        near = [p / "CMakeLists.txt" for p in path.parents if (p / "CMakeLists.txt").exists()]
        name = str(path.relative_to(near[0].parent))
        if not re.search(rf"(?<![\w/]){re.escape(name)}\b", near[0].read_text()):
            yield path, 1, f"is not listed in {near[0].relative_to(ROOT)}"


def license_lines():
    for path in files(".cpp", ".hpp", ".py", ".sh"):
        if "SPDX-License-Identifier: MIT" not in "\n".join(path.read_text().splitlines()[:2]):
            yield path, 1, "does not open with its SPDX line"


def pragma_once():
    for path in files(".hpp"):
        if not re.search(r"^#pragma once$", path.read_text(), re.M):
            yield path, 1, "no #pragma once"


def todo_form():
    for path in files(".cpp", ".hpp", ".py", ".sh"):
        for number, line in lines(path):
            if re.search(r"(#|//).*\b(TOD[O]|FIXM[E]|XX[X])\b", line) and not re.search(r"TOD[O]\(\w+\): \S", line):
                yield path, number, "write it as TODO(name): what"


def blanks():
    for path in files():
        literal = path.suffix == ".cyc" and path.is_relative_to(ROOT / "tests")  # goldens hold output as it is
        for number, line in lines(path):
            if "\t" in line or line != line.rstrip():
                if not literal:
                    yield path, number, "tab or trailing blank"
        if (text := path.read_text()) and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end"


def examples():
    """Every example opens with three lines of comment (what, why, how to run) and is in the list of examples."""
    index = ROOT / "examples/README.md"
    for path in sorted((ROOT / "examples").glob("*.cyc")):
        if not all(line.startswith("#") for line in (path.read_text().splitlines() + [""] * 3)[:3]):
            yield path, 1, "should open with three comment lines: what, why, how to run"
        if index.exists() and path.name not in index.read_text():
            yield path, 1, "is not in examples/README.md"


def source_map():
    index = ROOT / "src/README.md"
    for folder in sorted(p for p in (ROOT / "src").iterdir() if p.is_dir()):
        if not index.exists() or not re.search(rf"^\|.*\b{folder.name}\b/?", index.read_text(), re.M):
            yield index, 1, f"no row for src/{folder.name}"


def layers():
    """What is included is linked; and each folder links only those above it in the table of src/README.md."""
    graph = Graph(ROOT)
    yield from graph.wrong_includes()
    rows = re.findall(r"^\| `([\w/]+)/`", (ROOT / "src/README.md").read_text(), re.M)
    for target, library in graph.wrong_order(rows):
        yield graph.folder[target] / "CMakeLists.txt", 1, f"{target} links {library}, which is below it in src/README.md"


def function_lengths(update=False):
    long_ones = LongFunctions(ROOT, ROOT / "scripts/long_functions.txt", MOST_FUNCTION)
    found = long_ones.measure(files(".cpp", ".hpp", ".py"))
    if update:
        long_ones.shrink(found)
        long_ones = LongFunctions(ROOT, long_ones.list, MOST_FUNCTION)
    between = [key for key, (lines, _) in found.items() if AIMED_FUNCTION < lines <= MOST_FUNCTION]
    notes.append(f"{len(between)} functions have {AIMED_FUNCTION + 1} to {MOST_FUNCTION} lines, {len(long_ones.known)} more; "
                 f"aim for {AIMED_FUNCTION}: scripts/lint.py --functions lists them")
    yield from long_ones.failures(found)


def list_functions():
    found = LongFunctions(ROOT, ROOT / "scripts/long_functions.txt", MOST_FUNCTION).measure(files(".cpp", ".hpp", ".py"))
    for (path, name), (lines, line) in sorted(found.items(), key=lambda item: (-item[1][0], item[0])):
        if lines > AIMED_FUNCTION:
            print(f"{lines:4} {path}:{line} {name}")


def public_headers():
    """What is installed needs nothing but itself and the standard library."""
    for path in files(".hpp"):
        for number, line in lines(path):
            if path.is_relative_to(ROOT / "include") and line.startswith("#include"):
                if not re.fullmatch(r'#include ("cyclotron/\w+\.hpp"|<\w+>)', line):
                    yield path, number, "a public header may include only cyclotron/ and the standard library"


def machine_paths():
    for path in files():
        for number, line in lines(path):
            if MACHINE_PATH.search(line):
                yield path, number, "a path of one machine"


def formatted():
    tool = shutil.which("clang-format")
    if not tool or " version 14." not in subprocess.run([tool, "--version"], capture_output=True, text=True).stdout:
        raise NotImplementedError("needs clang-format 14")
    sources = [str(p) for p in files(".cpp", ".hpp")]
    if sources:
        check = subprocess.run([tool, "--dry-run", *sources], capture_output=True, text=True)
        places = re.findall(r"^(.*?):(\d+):\d+: warning: code should be clang-formatted", check.stderr, re.M)
        for name, line in dict(reversed(places)).items():  # the first of each file
            yield ROOT / name, int(line), "clang-format would change this"


CHECKS = [sizes, names, source_lists, license_lines, pragma_once, todo_form, blanks, examples, source_map, layers,
          function_lengths, public_headers, machine_paths, formatted]


def failure_of(check, update=False):
    try:
        places = check(update) if check is function_lengths else check()
        found = [f"{path.relative_to(ROOT)}:{line}: {message}" for path, line, message in places]
    except NotImplementedError as reason:
        return Skipped(reason)
    more = [f"and {len(found) - 30} more"] if len(found) > 30 else []
    return "\n".join(found[:30] + more) or None


def jobs():
    """For run_tests.py: (group, names, function that runs them) for each check."""
    def job(check):
        name = f"lint/{check.__name__}"
        return "lint", [name], lambda update: [(name, failure_of(check, update))]
    return [job(check) for check in CHECKS]


def main():
    if "--functions" in sys.argv:
        return list_functions()
    failures = [failure for _, _, run in jobs() for _, failure in run("--update" in sys.argv) if failure]
    print("\n".join(failures + notes))
    sys.exit(any(not isinstance(failure, Skipped) for failure in failures))


if __name__ == "__main__":
    main()
