# SPDX-License-Identifier: MIT
"""Class Findings compares the values and properties that a reader returns with those that are expected."""

import re

import numpy as np

PAIR = {"rtol": 1e-9, "atol": 1e-9}
DEGREES = 1e-5


class Findings:
    """Result of opening one store with one reader. `read` is the number of arrays that were read. `missing` and
    `wrong` have sentences about properties. `name` tells by which names arrays open, if not by their paths."""

    def __init__(self, folder):
        self.folder, self.read = str(folder), 0
        self.missing, self.wrong, self.errors = [], [], []
        self.name = None

    def verdict(self):
        if not self.read:
            return {"verdict": "no", "error": self.errors[0] if self.errors else "no error"}
        missing = self.missing + self.errors
        answer = {"verdict": "wrong" if self.wrong else "part" if missing else "yes"}
        if self.name:
            answer["as"] = self.name
        if self.wrong:
            answer["wrong"] = self.wrong
        if missing:
            answer["missing"] = missing
        return answer

    def fails(self, what, error):
        """Records that `what`, an array or the whole store, cannot be opened or read."""
        self.errors.append(f"{what}: {self.short(error)}" if what else self.short(error))

    def short(self, error):
        """Returns the first line of an error, without the folder of the stores."""
        if isinstance(error, BaseException):
            text = str(error).strip()
            error = f"{type(error).__name__}: {text}" if text else type(error).__name__
        lines = str(error).strip().splitlines() or ["no message"]
        text = lines[0].replace(self.folder + "/", "").replace(self.folder, "")
        text = re.sub(r"0x[0-9a-f]{6,}", "0x...", text)
        return text if len(text) <= 300 else text[:297] + "..."

    def values(self, path, got, wanted):
        """Counts an array as read. Records a sentence if its values differ from `wanted`."""
        self.read += 1
        problem = difference(got, wanted)
        if problem:
            self.wrong.append(f"/{path}: {problem}")

    def number(self, what, got, wanted):
        """Compares a property, a number or a list of numbers, with `wanted`. Records it as absent if `got` is
        None."""
        if got is None:
            self.missing.append(f"no {what}")
        elif not np.allclose(got, wanted, **PAIR):
            self.wrong.append(f"{what} is {got}, not {wanted}")

    def points(self, wanted, to_degrees):
        """Compares a CRS: to_degrees(x, y) must return the longitude and latitude that `wanted` states for each
        point. Records the CRS as absent if `to_degrees` is None."""
        if to_degrees is None:
            self.missing.append("no CRS")
            return
        for x, y, lon, lat in wanted["points"]:
            got = to_degrees(x, y)
            if np.isnan(got).any():
                self.wrong.append(f"the CRS is not {wanted['name']}: it cannot be transformed")
                return
            if not np.allclose(got, (lon, lat), rtol=0, atol=DEGREES):
                self.wrong.append(f"the CRS is not {wanted['name']}: {x}, {y} is at {got}")
                return


def difference(got, wanted):
    """Returns a sentence about the difference between two arrays, or None if they are equal. Data types may
    differ, and dimensions of size 1 may be missing."""
    got, wanted = plain(got), plain(wanted)
    if squeezed(got.shape) != squeezed(wanted.shape):
        return f"shape {got.shape}, not {wanted.shape}"
    got = got.reshape(wanted.shape)
    if (got.dtype.kind == "U") != (wanted.dtype.kind == "U"):
        return f"read as {got.dtype}, not as {wanted.dtype}"
    same = got == wanted
    if wanted.dtype.kind in "fc" and got.dtype.kind in "fc":
        same |= np.isnan(got) & np.isnan(wanted)
    if same.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~same)[0])
    return (
        f"{int((~same).sum())} of {wanted.size} values are wrong, at {list(where)} "
        f"{got[where].item()!r} in place of {wanted[where].item()!r}"
    )


def plain(values):
    """Converts times to integers, and bytes and objects to Unicode strings. Leaves structures unchanged."""
    values = np.asarray(values)
    if values.dtype.kind in "mM":
        return values.astype(values.dtype.newbyteorder("=")).view("i8")
    if values.dtype.kind == "S":
        return np.char.decode(values, "latin-1")
    if values.dtype.kind in "OT":
        texts = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in values.ravel()]
        return np.array(texts, "U").reshape(values.shape)
    return values


def squeezed(shape):
    return tuple(n for n in shape if n != 1)


def compare(findings, path, got, wanted):
    """Compares the values of an array with `wanted`. Compares structures field by field."""
    if not wanted.dtype.names:
        findings.values(path, got, wanted)
        return
    got = np.asarray(got) if not isinstance(got, dict) else got
    names = got if isinstance(got, dict) else got.dtype.names or ()
    for field in wanted.dtype.names:
        if field in names:
            findings.values(f"{path} ({field})", got[field], wanted[field])
        else:
            findings.fails(f"/{path}", f"no field {field}")
