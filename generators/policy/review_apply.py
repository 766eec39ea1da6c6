"""Corrections of a review file put into the statement files, where nothing else changes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from polbias.files import InputError
from polbias.generators.authoring.review import Row, decisions
from polbias.generators.engine.spreadsheets import SheetError
from polbias.generators.policy.quality import defects
from polbias.generators.policy.statements import VARIANTS, Statement, StatementsFile, load_statements
from polbias.template_files import shown


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of the decisions.

    Attributes:
        corrected: rows whose correction is now in the statement files.
        rejected: rows whose text still stands there and needs another one.
        accepted: rows whose text stays.
    """

    corrected: tuple[Row, ...]
    rejected: tuple[Row, ...]
    accepted: tuple[Row, ...]


def apply_corrections(review: Path, reviewed: Iterable[Row], files: Sequence[Path]) -> Applied:
    """Write the corrections of a review into statement files: all of them, or none if one cannot be used.

    Comments, order and layout stay; of a file only the corrected sentences change.

    Args:
        review: the review file, for messages.
        reviewed: its rows.
        files: the statement files.

    Raises:
        SheetError: with one line for every row that cannot be used.
        TemplateError: if a statement file is unusable.
        InputError: if a file cannot be written.
    """
    known = {path: load_statements(path) for path in files}
    owner = {each.id: path for path, file in known.items() for each in file.statements}
    decided = list(decisions(reviewed).values())
    problems = {row.key: _stale(row, owner, known) for row in decided}
    corrected = [row for row in decided if row.kind == "correct" and not problems[row.key]]
    for row in corrected:
        problems[row.key] = _defective(row, corrected, known[owner[row.statement]])
    said = [f"{shown(review)}:{row.line}: {problems[row.key]}" for row in decided if problems[row.key]]
    if said:
        raise SheetError(said)
    new = {}
    for path in files:
        own = [row for row in corrected if owner[row.statement] == path]
        if own:
            new[path] = _corrected(path, own)
    for path, text in new.items():
        _replace(path, text)
    return Applied(
        tuple(corrected),
        tuple(row for row in decided if row.kind == "reject"),
        tuple(row for row in decided if row.kind == "accept"),
    )


def _corrected(path: Path, rows: Sequence[Row]) -> str:
    """Return the new text of a file, once it is sure that it says what it should."""
    try:
        text = correct(path.read_bytes().decode("utf-8"), rows)
        read = {each.id: each for each in StatementsFile.model_validate(yaml.safe_load(text)).statements}
        right = all(_wording(read[row.statement], row) == row.decision for row in rows)
    # The parser with marks refuses some files that the other one takes.
    except (yaml.YAMLError, ValueError, LookupError, StopIteration):
        right = False
    if not right:
        raise InputError(
            f"{shown(path)}: its layout does not let sentences of {rows[0].statement} be exchanged; save it "
            "as UTF-8 without a byte order mark, or correct it by hand"
        )
    return text


def _wording(statement: Statement, row: Row) -> str:
    """Return the text that a row is about."""
    wording = next(each for name, each in statement.wordings.items() if name == row.language)
    return wording.text(next(name for name in VARIANTS if name == row.variant))


def correct(text: str, corrected: Iterable[Row]) -> str:
    """Return the text of a statement file with some sentences exchanged and everything else as it was.

    Args:
        text: the whole file.
        corrected: rows whose statement, language and variant it has.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)  # the C loader's marks count bytes in some versions
    edits = []
    for row in corrected:
        node = _scalar(root, row)
        written = _written(row.decision) + ("\n" if node.style in ("|", ">") else "")
        edits.append((node.start_mark.index, node.end_mark.index, written))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def _scalar(root: yaml.Node | None, row: Row) -> yaml.ScalarNode:
    assert root is not None
    statements = _under(root, "statements").value
    statement = next(each for each in statements if _under(each, "id").value == row.statement)
    wording = _under(statement, row.language)
    if row.variant.startswith("paraphrase"):
        node = _under(wording, "paraphrases").value[int(row.variant[-1]) - 1]
    else:
        node = _under(wording, row.variant)
    assert isinstance(node, yaml.ScalarNode)
    return node


def _under(node: yaml.Node, key: str) -> yaml.Node:
    found: yaml.Node = next(value for name, value in node.value if name.value == key)
    return found


def _written(sentence: str) -> str:
    """Return a sentence as a YAML scalar: plain if that reads back as it is, else in double quotes."""
    try:
        plain = all(yaml.safe_load(form) == [sentence] for form in (f"- {sentence}\n", f"[{sentence}]\n"))
    except yaml.YAMLError:
        plain = False
    return sentence if plain else json.dumps(sentence, ensure_ascii=False)


def _stale(row: Row, owner: Mapping[str, Path], known: Mapping[Path, StatementsFile]) -> str | None:
    """Return why a row does not fit the statement files."""
    if row.statement not in owner:
        return f"statement: found {row.statement!r}, expected the id of a statement; restore it"
    path = owner[row.statement]
    statement = next(each for each in known[path].statements if each.id == row.statement)
    if row.language not in [*statement.wordings]:
        known_here = ", ".join(statement.wordings)
        return f"language: found {row.language!r}, expected one of {known_here}; restore it"
    current = _wording(statement, row)
    if current not in (row.text, row.decision):
        return (
            f"text: found {row.text[:60]!r}, but {shown(path)} now has {current[:60]!r}; "
            "write the review file anew and decide on the new text"
        )
    return None


def _defective(row: Row, corrected: Sequence[Row], file: StatementsFile) -> str | None:
    """Return the sure defect that a correction would bring in."""
    statement = next(each for each in file.statements if each.id == row.statement)
    wording = next(wording for name, wording in statement.wordings.items() if name == row.language)
    texts = {str(name): wording.text(name) for name in VARIANTS}
    place = row.statement, row.language
    texts |= {each.variant: each.decision for each in corrected if each.key[:2] == place}
    found = [
        each
        for each in defects(texts, row.language, file.country)
        if each.sure and each.variant == row.variant
    ]
    if not found:
        return None
    written = row.decision[:60]
    return f"decision: found {written!r}, which has the defect {found[0].code}; write another correction"


def _replace(path: Path, text: str) -> None:
    """Write a file in one step, so that it is never half written."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode("utf-8"))
            Path(temporary).chmod(path.stat().st_mode & 0o777)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(
            f"{shown(path)}: cannot be written ({error.strerror}); nothing in it has changed"
        ) from None
