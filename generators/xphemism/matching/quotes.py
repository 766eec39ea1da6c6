"""Where quotations begin and end: „...“, "...", »...«, «...», ‚...‘, “...” and their mixtures."""

from __future__ import annotations

import re

# What closes a quotation, by what opened it; German, Swiss, French, English and typewriter.
_CLOSING = {
    "„": '“”"',
    "‚": "‘’'",
    "“": '”"',
    "‘": "’",
    "»": "«",
    "«": "»",
    "›": "‹",
    "‹": "›",
    '"': '"”“',
    "'": "'",
}
_MARK = re.compile("[" + "".join(_CLOSING) + "”’]")
# These can be nothing but an opening mark; a quotation that they begin and nothing ends lasts to the end.
_ONLY_OPENING = "„‚"
_APOSTROPHES = "'’‘"


def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """Return where quotations stand.

    Args:
        text: of any length.

    Returns:
        Begin and end of each without its marks, in their order; of quotations inside others the outer one. A
        quotation that „ or ‚ opens and nothing closes lasts to the end of the text; other marks without a
        partner are no quotation.
    """
    open_marks: list[tuple[str, int]] = []
    found: list[tuple[int, int]] = []
    for match in _MARK.finditer(text):
        place, mark = match.start(), match.group()
        before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 2]
        if mark in _APOSTROPHES and before.isalnum() and after.isalnum():
            continue
        closes = next(
            (i for i in reversed(range(len(open_marks))) if mark in _CLOSING[open_marks[i][0]]), None
        )
        if closes is not None and _can_close(mark, before, after):
            found.append((open_marks[closes][1], place))
            del open_marks[closes:]
        elif mark in _CLOSING and _can_open(mark, before, after):
            open_marks.append((mark, place + 1))
    unclosed = next((start for mark, start in open_marks if mark in _ONLY_OPENING), None)
    if unclosed is not None:
        found.append((unclosed, len(text)))
    return _outer(found)


def _outer(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    outer: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda each: (each[0], -each[1])):
        if not outer or end > outer[-1][1]:
            outer.append((start, end))
    return tuple(outer)


def _can_open(mark: str, before: str, after: str) -> bool:
    if mark in _ONLY_OPENING:
        return True
    return not before.isalnum() and bool(after) and not after.isspace()


def _can_close(mark: str, before: str, after: str) -> bool:
    if mark in "»«›‹\"'" and (not before or before.isspace()) and after and not after.isspace():
        return False
    return mark not in _APOSTROPHES or not after.isalnum()
