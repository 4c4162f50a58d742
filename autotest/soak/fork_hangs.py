#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Counts the children of fork() that hang while four threads of their parent open and read a
dataset: locks of GDAL that a thread held at that moment stay locked in the child for ever.

    fork_hangs.py DATASET [FORKS]

With a GeoTIFF and GDAL_DRIVER_PATH=disable it shows that of GDAL alone."""

import os
import signal
import sys
import threading
import time

from osgeo import gdal

SECONDS = 10  # that a child may take


def read(name):
    dataset = gdal.Open(name)
    dataset.ReadAsArray()


def keep_reading(name):
    while True:
        read(name)


def hangs(name):
    pid = os.fork()
    if pid == 0:
        read(name)
        os._exit(0)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return False
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def main():
    name = sys.argv[1]
    forks = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    gdal.UseExceptions()
    for _ in range(4):
        threading.Thread(target=keep_reading, args=(name,), daemon=True).start()
    found = sum(hangs(name) for _ in range(forks))
    print(f"{found} of {forks} children hung", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
