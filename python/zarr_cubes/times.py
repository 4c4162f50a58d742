# SPDX-License-Identifier: MIT
"""Values along a dimension: numbers, or times in ISO 8601, as the driver's creation option BAND_DIM_VALUES has them.
FILENAME:pattern takes the time from a file's name (driver/create/file_name_time.h has the same rules)."""

import datetime
import functools
import re

import numpy as np

from zarr_cubes.model import Refused

DIGITS = {"Y": 4, "j": 3, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2}
USUAL = ("%Y%m%dT%H%M%S", "%Y%m%d_%H%M%S", "%Y%m%d%H%M%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d", "%Y_%m_%d", "%Y%m%d", "%Y%j")
ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?Z?")
EPOCH = datetime.datetime(1970, 1, 1)
UNITS = (("days", 86400 * 10**6), ("seconds", 10**6), ("milliseconds", 10**3), ("microseconds", 1))


@functools.lru_cache(maxsize=64)
def expression(pattern):
    """Returns a regular expression for a pattern; None if it is none."""
    text, used = "", set()
    for part in re.findall(r"%.?|[^%]+", pattern):
        if part == "%%":
            text += "%"
        elif part[0] != "%":
            text += re.escape(part)
        elif part[1:] not in DIGITS or part in used:
            return None
        else:
            used.add(part)
            text += f"(?P<{part[1]}>[0-9]{{{DIGITS[part[1]]}}})"
    return text if "%Y" in used else None


def in_name(name, pattern, guesses=False):
    """Returns the time that `pattern` finds in the name of a file, as ISO 8601; None if there is none. A match without
    digits directly before or after it is preferred, and the only one if the pattern is a guess."""
    text = expression(pattern)
    name = name.rstrip("/").rpartition("/")[2]
    forms = [rf"(?<![0-9])(?={text}(?![0-9]))", f"(?={text})"]
    for form in forms[:1] if guesses else forms:
        for found in re.finditer(form, name):
            time = time_of(found.groupdict())
            if time:
                return time
    return None


def time_of(numbers):
    got = {letter: int(digits) for letter, digits in numbers.items() if digits is not None}
    try:
        time = datetime.datetime(got["Y"], got.get("m", 1), got.get("d", 1), got.get("H", 0), got.get("M", 0), got.get("S", 0))
        if "j" in got:
            time += datetime.timedelta(days=got["j"] - 1 - (time - time.replace(month=1, day=1)).days)
            if time.year != got["Y"] or got["j"] < 1:
                return None
    except ValueError:
        return None
    return time.isoformat() if got.keys() & set("HMS") else time.date().isoformat()


def as_value(text):
    """Returns (microseconds since 1970, True if it is a date alone) for a time, and a number for a number."""
    found = ISO.fullmatch(text.strip())
    compact = re.fullmatch(r"[12]\d{7}", text.strip())
    try:
        if compact:
            found = ISO.fullmatch(f"{text.strip()[:4]}-{text.strip()[4:6]}-{text.strip()[6:]}")
        if found:
            year, month, day, hour, minute, second, fraction = found.groups()
            time = datetime.datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0))
            time += datetime.timedelta(microseconds=int((fraction or "0").ljust(6, "0")))
            return (time - EPOCH) // datetime.timedelta(microseconds=1), hour is None
        return float(text) if re.search(r"[.eEnN]", text) else int(text)
    except ValueError:
        raise Refused(f"{text}: no time in ISO 8601 and no number") from None


def coordinates(texts, dimension):
    """Returns (NumPy values, attributes) of the coordinate with these texts."""
    values = [as_value(text) for text in texts]
    times = [value for value in values if isinstance(value, tuple)]
    if not times:
        return np.array(values, "<f8" if any(isinstance(v, float) for v in values) else "<i8"), {}
    if len(times) != len(values):
        raise Refused(f"the values along {dimension} are times and numbers")
    steps = [step for name, step in UNITS if name != "days" or all(is_date for _, is_date in times)]
    step = next(step for step in steps if all(time % step == 0 for time, _ in times))
    unit = next(name for name, size in UNITS if size == step)
    attrs = {"calendar": "proleptic_gregorian", "standard_name": "time", "units": f"{unit} since 1970-01-01"}
    return np.array([time // step for time, _ in times], "<i8"), attrs


def texts_of(sources, listed, values, dimension):
    """Returns the text of each source's value along the dimension; None for all if nothing states them.

    `listed` are values in a list of files. `values` is the option: FILENAME:pattern, or values with commas between."""
    names = [source.name for source in sources]
    if values and values.upper().startswith("FILENAME:"):
        pattern = values[len("FILENAME:") :]
        if expression(pattern) is None:
            raise Refused(f"--values {values}: expected FILENAME: and a pattern with %Y, and with %m, %d, %H, %M, %S, %j or "
                          "%% at most once each")  # fmt: skip
        found = [in_name(name, pattern) for name in names]
        for name, text in zip(names, found):
            if text is None:
                raise Refused(f"{name}: its name has no time of the form {pattern}; --values FILENAME:... takes another")
        return found
    if values:
        found = [text.strip() for text in values.split(",")]
        if len(found) != len(names):
            raise Refused(f"--values has {len(found)} values for {len(names)} files")
        return found
    if all(text is not None for text in listed):
        return list(listed)
    if any(text is not None for text in listed):
        raise Refused(f"{names[list(listed).index(None)]}: the list has values for other files, and none for this one")
    return found_times(sources, names) if dimension in ("time", "t") else None


def found_times(sources, names):
    """Times in all names of files, by a usual pattern; else the times in the headers, TIFFTAG_DATETIME."""
    for pattern in USUAL:
        found = []
        for name in names:
            time = in_name(name, pattern, guesses=True)
            if time is None:
                break
            found.append(time)
        if len(found) == len(names):
            return found
    found = [source.notes.get("time") for source in sources]
    return found if all(found) else None
