# SPDX-License-Identifier: MIT
"""The loop of a program that zarr_tools.Program starts. Packages that take seconds to import are
imported once. Each request runs in a forked process, so that no request affects the next one."""

import json
import os
import sys
import traceback


def serve(execute):
    """Reads lines of JSON. Calls execute(request) in a forked process for each, and prints the exit status."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _run(execute, json.loads(line))
        print(os.waitpid(child, 0)[1], flush=True)


def _run(execute, request):
    """Runs in the forked process, and ends it."""
    code = 1
    try:
        os.dup2(2, 1)  # text on standard output would be taken for an answer
        execute(request)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
