# SPDX-License-Identifier: MIT
"""Makes text from a store safe to print on a terminal."""

import unicodedata

# Categories of characters that a terminal acts upon or that change the order of the text: controls, formats such as
# bidirectional overrides, surrogates (bytes that are no UTF-8), private use, separators of lines and paragraphs.
ACTIVE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def shown(text):
    """Returns `text` with escapes such as \\x1b instead of characters that are not shown as they are."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(each) if unicodedata.category(each) in ACTIVE else each for each in text)


def _escape(character):
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
