#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes time_table.txt: times as cftime and NumPy read them. Every run writes the same table.

A line "[units|calendar]" or "[numpy unit]" starts a section. Below it, each line is "value text"; a value is an
integer or a hexadecimal double. Texts have the form of core/conventions/cf/time.h, so those of cftime are changed:
years are counted with a year 0, fractions have groups of three digits, and the name of a calendar follows if the
calendar is not a real one.
"""

import pathlib
import random
import re
import sys
import warnings
from fractions import Fraction

import cftime
import numpy as np

SUFFIXES = {"standard": "Z", "gregorian": "Z", "proleptic_gregorian": "Z", "julian": " (julian)",
            "noleap": " (noleap)", "365_day": " (noleap)", "all_leap": " (all_leap)",
            "366_day": " (all_leap)", "360_day": " (360_day)"}  # fmt: skip
DATES = [
    "2000-01-01", "1970-1-1", "1-1-1", "1582-10-15", "1582-10-04 18:00", "1850-02-28T23:59:59Z",
    "1900-01-01 00:00:0.0", "2020-12-30 12:00:00.5 +01:00", "12345-06-07", "-44-03-15 UTC",
    "1968-05-23 00:00:00 GMT", "0400-02-28", "2100-02-28 1:2:3.456789", "2020-01-01 -05:30",
]  # fmt: skip
MICROSECONDS = {
    "microseconds": 1, "microsecs": 1, "milliseconds": 10**3, "msec": 10**3, "seconds": 10**6,
    "s": 10**6, "sec": 10**6, "minutes": 60 * 10**6, "min": 60 * 10**6, "hours": 3600 * 10**6,
    "h": 3600 * 10**6, "hr": 3600 * 10**6, "Hours": 3600 * 10**6, "days": 86400 * 10**6,
    "d": 86400 * 10**6, "DAY": 86400 * 10**6,
}  # fmt: skip
# Largest distances from the reference time, in microseconds.
SPANS = [10**7, 10**12, 4 * 10**15, 10**18, 9 * 10**18]


def year_text(year):
    return f"{year:04d}" if 0 <= year <= 9999 else f"{'-' if year < 0 else '+'}{abs(year):06d}"


def fraction_text(digits):
    digits = digits.ljust(-(-len(digits) // 3) * 3, "0")
    while digits.endswith("000"):
        digits = digits[:-3]
    return "." + digits if digits else ""


def cftime_text(value, units, calendar):
    """Returns cftime's text for a time, or None if cftime reports an error."""
    try:
        date = cftime.num2date(value, units, calendar, only_use_cftime_datetimes=True)
    except (OverflowError, ValueError):
        return None
    year = date.year + 1 if not date.has_year_zero and date.year < 0 else date.year
    clock = f"{date.hour:02d}:{date.minute:02d}:{date.second:02d}"
    fraction = fraction_text(f"{date.microsecond:06d}")
    return f"{year_text(year)}-{date.month:02d}-{date.day:02d}T{clock}{fraction}{SUFFIXES[calendar]}"


def numpy_text(ticks, unit):
    text = np.datetime_as_string(np.datetime64(ticks, unit))
    year, month, day, clock, fraction = re.fullmatch(
        r"(-?\d+)(?:-(\d\d))?(?:-(\d\d))?(?:T([\d:]+))?(?:\.(\d+))?", text
    ).groups()  # fmt: skip
    clock = ((clock or "00") + ":00:00")[:8]
    date = f"{year_text(int(year))}-{month or '01'}-{day or '01'}"
    return f"{date}T{clock}{fraction_text(fraction or '')}Z"


def cftime_value(draw, size):
    """Returns a random number of time units: an integer, a double, or a multiple of 1/8. A unit has `size`
    microseconds."""
    value = draw.choice([-1, 1]) * draw.random() * draw.choice(SPANS) / size
    return draw.choice([round, float, lambda v: round(v * 8) / 8])(value)


def cftime_rounds_twice(value, size):
    """Returns True if cftime may round `value` twice. `size` is the number of microseconds in a unit.

    cftime computes value * size with a precision of 64 bits. If the product is near to half a microsecond, cftime may
    round it to the half first, and then to a whole microsecond.
    """
    exact = abs(Fraction(value) * size)
    return exact > 2**50 and abs(exact % 1 - Fraction(1, 2)) <= exact / 2**62


def cftime_sections(draw):
    for calendar in SUFFIXES:
        units = [*draw.sample(sorted(MICROSECONDS), 10), *["months"] * (calendar == "360_day")]
        for unit in units:
            reference = f"{unit} since {draw.choice(DATES)}"
            size = MICROSECONDS.get(unit, 30 * 86400 * 10**6)
            lines = []
            while len(lines) < 9:
                value = cftime_value(draw, size)
                text = cftime_text(value, reference, calendar)
                # cftime counts microseconds in a 64-bit integer
                usable = text is not None and abs(value * size) < 9e18
                if usable and not cftime_rounds_twice(value, size):
                    shown = value.hex() if isinstance(value, float) else str(value)
                    lines.append(f"{shown} {text}")
            yield f"{reference}|{calendar}", lines


def numpy_sections(draw):
    # For each unit, the number of bits of the largest number that NumPy converts without an overflow.
    bits = {"Y": 20, "M": 24, "W": 52, "D": 54, "h": 58, "m": 62}
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"):
        for multiple in (1, draw.choice([2, 7, 25, 100])):
            name = f"{multiple if multiple > 1 else ''}{unit}"
            lines = []
            for _ in range(7):
                size = max(1, draw.randint(1, bits.get(unit, 63)) - (7 if multiple > 1 else 0))
                ticks = draw.randint(-(2**size) + 1, 2**size - 1)
                lines.append(f"{ticks} {numpy_text(ticks, name)}")
            yield name, lines


def main():
    warnings.simplefilter("ignore")  # cftime warns about years before 1
    draw = random.Random(20200102)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    with open(folder / "time_table.txt", "w", encoding="ascii", newline="\n") as file:
        for source in (cftime_sections, numpy_sections):
            for title, lines in source(draw):
                file.write("\n".join([f"[{title}]", *lines]) + "\n")


if __name__ == "__main__":
    main()
