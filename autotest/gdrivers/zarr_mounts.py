# SPDX-License-Identifier: MIT
"""Mounts that only the calling process and its children see, on a machine and in a chroot. The process must be in a
mount namespace of its own."""

import ctypes
import errno
import os
import pathlib

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
BIND, RECURSIVE, PRIVATE = 1 << 12, 1 << 14, 1 << 18

_libc = ctypes.CDLL(None, use_errno=True)


def _call(function, *arguments):
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function.__name__}: {os.strerror(number)}")


def unshare():
    """Moves this process to a mount namespace of its own."""
    _call(_libc.unshare, NEW_MOUNTS if os.geteuid() == 0 else NEW_MOUNTS | NEW_USER)


def mount(source, target, kind=None, flags=0, options=None):
    """Mounts `source` on `target`. Raises OSError if that fails, or if others would see the mount."""
    try:
        _call(_libc.mount, b"none", b"/", None, PRIVATE | RECURSIVE, None)
    except OSError as error:
        # The root of a chroot need not be a mount point. Whoever entered the chroot has made its mounts private.
        if error.errno != errno.EINVAL:
            raise
    source, target, kind, options = (
        os.fsencode(text) if text is not None else None for text in (source, target, kind, options)
    )
    _call(_libc.mount, source, target, kind, flags, options)
    if _is_shared(os.path.realpath(target)):
        _call(_libc.umount, target)
        raise OSError(errno.EINVAL, f"mount: other namespaces would see {os.fsdecode(target)}")


def _is_shared(target):
    """A mount is shared if the mount below it is."""
    lines = pathlib.Path("/proc/self/mountinfo").read_bytes().splitlines()
    fields = [line.partition(b" - ")[0].split() for line in lines]
    found = [each for each in fields if each[4] == target]
    assert found, f"{os.fsdecode(target)} is no mount point"
    return any(field.startswith(b"shared:") for field in found[-1][6:])
