# SPDX-License-Identifier: MIT
"""Every example has an independent answer, runs as its comment says, and but for four finds a schedule for an array by
itself; every mistake is refused."""
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


# An array cannot run these without a schedule, and says why; every other example finds one by itself.
NEED_A_SCHEDULE = {"conjugate_gradient", "conv2d_sbm", "flash_attention", "game_of_life"}


def simulates(run, what):
    done = run.process("--no-check", verb="simulate")
    if run.program.stem in NEED_A_SCHEDULE:
        if done.returncode == 0:
            raise Failure("it runs on an array by itself now: take it out of NEED_A_SCHEDULE")
        if "hint:" not in done.stderr:
            raise Failure(f"it is refused without a hint\n{done.stderr}")
    elif done.returncode != 0:
        raise Failure(f"exit status {done.returncode}\n{done.stderr}")


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
        answers(name, ("simulates",))(simulates)

main()
