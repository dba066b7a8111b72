# SPDX-License-Identifier: MIT
"""Shows how far the tests are: on a terminal one line that moves, elsewhere a line every half minute at most."""
import threading
import time


class Progress:
    """`add`, `begin` and `end` are told what happens; `say` prints a line that stays."""

    def __init__(self, expected, out, seconds=30):
        self.expected, self.out, self.seconds = expected, out, seconds
        self.moving = out.isatty()
        self.done = self.failed = 0
        self.running = []
        self.last = time.monotonic()
        self.lock = threading.Lock()

    def text(self):
        """An example script says only at its end how many tests it holds, so there may be more than expected."""
        failed = f", {self.failed} failed" if self.failed else ""
        now = f", now: {self.running[0]}" if self.running else ""  # what has been running longest
        return f"tests {self.done} of about {max(self.done, self.expected)}{failed}{now}"

    def show(self):
        if self.moving:  # without the automatic line break, so that a narrow terminal cuts the line off
            self.out.write(f"\r\033[K\033[?7l{self.text()}\033[?7h")
        elif time.monotonic() - self.last >= self.seconds:
            self.last = time.monotonic()
            self.out.write(self.text() + "\n")
        self.out.flush()

    def begin(self, group):
        with self.lock:
            self.running.append(group)
            self.show()

    def end(self, group):
        with self.lock:
            self.running.remove(group)

    def add(self, failed):
        with self.lock:
            self.done += 1
            self.failed += failed
            self.show()

    def say(self, text):
        with self.lock:
            self.erase()
            self.out.write(text + "\n")
            self.out.flush()
            self.last = time.monotonic()

    def erase(self):
        if self.moving:
            self.out.write("\r\033[K")
            self.out.flush()
