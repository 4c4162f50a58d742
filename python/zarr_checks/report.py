# SPDX-License-Identifier: MIT
"""Findings about a store, such as faults, and their output as text or JSON."""

import dataclasses
import json

from zarr_checks.shown import shown

SEVERITIES = ("error", "warning", "note")


@dataclasses.dataclass(frozen=True)
class Finding:
    code: str  # kind of finding; later releases do not rename it
    severity: str  # one of SEVERITIES
    node: str  # path of an array or group in the store, such as /red
    message: str
    mend: str  # command or change that corrects the fault


class Report:
    """Collects the findings about a store, and its properties."""

    def __init__(self, name):
        self.name = name
        self.findings = []
        self.facts = {}

    def add(self, severity, code, node, message, mend):
        assert severity in SEVERITIES
        finding = Finding(code, severity, "/" + node.strip("/"), message, mend)
        if finding not in self.findings:
            self.findings.append(finding)

    def error(self, *words):
        self.add("error", *words)

    def warning(self, *words):
        self.add("warning", *words)

    def note(self, *words):
        self.add("note", *words)

    def count(self, severity):
        return sum(finding.severity == severity for finding in self.findings)

    def exit_code(self, strict=False):
        if self.count("error"):
            return 2
        return 1 if strict and self.count("warning") else 0

    def sorted(self):
        return sorted(self.findings, key=lambda found: SEVERITIES.index(found.severity))

    def as_json(self):
        status = "errors" if self.count("error") else "warnings" if self.count("warning") else "valid"
        text = json.dumps({"store": self.name, "status": status,
                           "findings": [dataclasses.asdict(found) for found in self.sorted()],
                           "facts": self.facts}, indent=2)  # fmt: skip
        return text.replace("\x7f", "\\u007f")  # the only control character that JSON allows in a string

    def as_text(self):
        lines = []
        for found in self.sorted():
            lines += [f"{found.severity} {found.node}: {found.message} [{found.code}]",
                      f"    to mend: {found.mend}"]  # fmt: skip
        for path, array in self.facts.get("arrays", {}).items():
            lines.append(f"{path}: " + ", ".join(f"{name} {_brief(value)}" for name, value in array.items()))
        opened = self.facts.get("open_requests")
        if opened is not None:
            lines.append(f"opening takes {len(opened)} requests over HTTP: {', '.join(opened)}")
        counts = [f"{self.count(kind)} {kind}{'s' * (self.count(kind) > 1)}" for kind in SEVERITIES if self.count(kind)]
        return "\n".join(map(shown, [*lines, f"{self.name}: " + (", ".join(counts) or "valid")]))


def _brief(value):
    return " x ".join(str(number) for number in value) if isinstance(value, list) else str(value)
