# SPDX-License-Identifier: MIT
"""Every example has an independent answer and runs as its comment says; every mistake is refused."""
import pathlib
import re

from cyclotron_runner import EXAMPLES, Failure, answers, main

SCRIPTS = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("*.py"))
EXIT_REFUSED = 1


def is_compared(run, what):
    if f'@answers("{run.program.stem}"' not in SCRIPTS:
        raise Failure("no script in tests/examples compares it with an independent answer")


def command_lines(program):
    """The arguments of each `./run examples/NAME.cyc …` in the comments, less those that name files."""
    for words in re.findall(rf"^# +\./run examples/{program.name}(.*)$", program.read_text(), re.MULTILINE):
        if not re.search(r"\.(npy|mtx|tns)\b", words):
            yield words.split()


def runs_as_it_says(run, what):
    lines = list(command_lines(run.program))
    if [] not in lines:
        raise Failure("its comment does not show how to run it without arguments")
    for arguments in lines:
        done = run.process(*arguments)
        if done.returncode != 0:
            raise Failure(f"with the arguments {arguments}: exit status {done.returncode}\n{done.stderr}")


def is_refused(run, what):
    done = run.process()
    if done.returncode != EXIT_REFUSED or "error" not in done.stderr:
        raise Failure(f"expected an error and exit status {EXIT_REFUSED}, got {done.returncode}\n{done.stderr}")


for name in sorted(path.stem for path in EXAMPLES.glob("*.cyc")):
    if name.startswith("mistake_"):
        answers(name, ("is refused",))(is_refused)
    else:
        answers(name, ("is compared",))(is_compared)
        answers(name, ("runs as it says",))(runs_as_it_says)

main()
