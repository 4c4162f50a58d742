# SPDX-License-Identifier: MIT
"""Runs processes that write concurrently. They are forked from the test, so that all start at one time."""

import os
import select
import signal
import sys
import time
import traceback


SECONDS = 120  # maximum run time of a process in seconds
# True if tests can measure the memory of a process. AddressSanitizer multiplies this memory.
MEASURES = "asan" not in os.environ.get("LD_PRELOAD", "")
OWN_THREADS = len(os.listdir("/proc/self/task"))  # number of threads of the test process before its first test


def let_idle_threads_end():
    """Under AddressSanitizer, waits up to 1.5 s until the driver's idle threads have ended. If a thread held a
    lock of the sanitizer's allocator during a fork, the child could never take this lock."""
    deadline = time.monotonic() + 1.5 * ("asan" in os.environ.get("LD_PRELOAD", ""))
    while time.monotonic() < deadline and len(os.listdir("/proc/self/task")) > OWN_THREADS:
        time.sleep(0.05)


class Process:
    """Runs `work(report, *arguments)` in a forked process. `report` sends a short text without line breaks
    to the test. The text arrives even if the process is killed immediately afterwards."""

    def __init__(self, work, *arguments):
        let_idle_threads_end()
        sys.stdout.flush()
        sys.stderr.flush()
        self._read, write = os.pipe()
        self.status = None
        self._data = b""
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._read)
            _run(write, work, arguments)
        os.close(write)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        return self.finish()

    def finish(self):
        """Waits at most SECONDS until the process ends, and returns its reports."""
        deadline = time.monotonic() + SECONDS
        while True:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise AssertionError(f"a process still runs after {SECONDS} s: {self._data!r}")
            piece = os.read(self._read, 65536)
            if not piece:
                break
            self._data += piece
        os.close(self._read)
        _, self.status = os.waitpid(self.pid, 0)
        return self._data.decode().split("\n")[:-1]  # omits an incomplete last line

    def succeed(self):
        """Waits until the process ends, and asserts that the work succeeded. Returns the reports."""
        lines = self.finish()
        assert self.status == 0, f"a process failed ({self.status}):\n" + "\n".join(lines)
        return lines

    def next(self):
        """Waits until the process has reported something. Returns its latest report."""
        while b"\n" not in self._data:
            self._read_more("anything")
        return self._data.decode().split("\n")[-2]

    def _read_more(self, wanted):
        ready, _, _ = select.select([self._read], [], [], SECONDS)
        piece = os.read(self._read, 65536) if ready else b""
        assert piece, f"ended or stuck before it reported {wanted!r}: {self._data!r}"
        self._data += piece

    def wait_for_word(self, word):
        """Waits until the process has reported a line that begins with `word`."""
        while not any(line.startswith(word) for line in self._data.decode().split("\n")[:-1]):
            self._read_more(word)

    def wait_for(self, line):
        """Waits until the process has reported exactly the text `line`."""
        while line not in self._data.decode().split("\n")[:-1]:
            self._read_more(line)


def _run(pipe, work, arguments):
    """Runs `work` in the child, and ends the child, which must never return into the test."""
    code = 1
    try:
        work(lambda text: os.write(pipe, (str(text) + "\n").encode()), *arguments)
        code = 0
    except BaseException:
        os.write(pipe, traceback.format_exc().encode())
    finally:
        os._exit(code)


def run_at_once(jobs):
    """Runs each of `jobs`, (work, *arguments), in a process of its own. All processes start together, and all
    must succeed. Returns the reports of each."""
    gate, opener = os.pipe()

    def wait_and_work(report, work, *arguments):
        os.close(opener)
        os.read(gate, 1)  # blocks until the test closes the other end of the pipe
        work(report, *arguments)

    processes = [Process(wait_and_work, *job) for job in jobs]
    os.close(gate)
    os.close(opener)
    return [process.succeed() for process in processes]
