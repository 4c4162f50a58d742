# SPDX-License-Identifier: MIT
"""Main loop of a program that zarr_tools.Program starts. The program imports slow packages once. Each
request runs in a forked process, so that no request affects the next one."""

import json
import os
import sys
import traceback


def serve(execute):
    """Reads requests as lines of JSON from standard input. Calls execute(request) in a forked process for
    each request, and prints the exit status of that process."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _run(execute, json.loads(line))
        print(os.waitpid(child, 0)[1], flush=True)


def _run(execute, request):
    """Calls execute(request) in the forked process, and ends this process."""
    code = 1
    try:
        os.dup2(2, 1)  # prints of execute() go to standard error, as standard output has the answers
        execute(request)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
