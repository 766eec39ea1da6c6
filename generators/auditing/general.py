"""Audit a benchmark of any format: near-duplicates, items in few-shot examples, layout shortcuts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from polbias.aliases import Document, Json
from polbias.errors import InputError, replace_surrogates
from polbias.generators.auditing.items import FINDINGS
from polbias.generators.auditing.near_duplicates import Comparable, near_duplicates
from polbias.generators.auditing.shortcuts import (
    ALPHA,
    Adjustment,
    GuessItem,
    Shortcut,
    adjust_shortcuts,
    find_shortcuts,
    hidden_texts,
)
from polbias.generators.language.similarity import normalize_text
from polbias.generators.table_files import ColumnRole, UserTable, cell_text, read_tables, resolve_columns
from polbias.limits import MAX_ITEMS

_TEXT_ROLE = ColumnRole(
    "text", ("question", "prompt", "input", "sentence", "statement", "claim"), required=True
)
_PAIR_ROLES = (
    ColumnRole(
        "premise", ("sentence1", "premises", "passage", "context", "article", "evidence"), required=True
    ),
    ColumnRole("hypothesis", ("sentence2", "question", "statement", "claim"), required=True),
)
_OPTIONAL_ROLES = (
    ColumnRole("gold", ("label", "answer", "target", "answer_key")),
    ColumnRole("choices", ("options",)),
    ColumnRole("id", ("item_id", "question_id")),
    ColumnRole("examples", ("exemplars", "few_shot")),
    ColumnRole("side", ("leaning", "tilt")),
    ColumnRole("group", ("cluster_id", "cluster", "topic", "content_id")),
    ColumnRole("pair", ("pair_id",)),
    ColumnRole("mask", ("masked",)),
)
_SURFACE = ("malformed-row", "duplicate-id", "duplicate-item", "conflicting-labels", "exemplar-leakage")
CODES: Mapping[str, str] = {
    **{code: FINDINGS[code] for code in _SURFACE},
    "near-duplicate": "it shares four fifths of its character 5-grams with an earlier item, and their "
    "differing sentences are similar",
    "gold-not-a-choice": "the gold label is neither a choice nor the number or letter of a choice",
    "never-right": "none of at least three models gives the gold label",
}
_MIN_CHARACTERS = 20  # of an item to search for in examples
_MAX_DISTANCE = 200  # in characters, between a premise and its hypothesis in examples
_MIN_EQUAL_SHARE, _MIN_RESPONSES = 0.98, 20  # share of equal responses, number of responses
_UNSOUND_CODES = {"malformed-row", "duplicate-item", "conflicting-labels", "exemplar-leakage"}


@dataclass
class _TableItem:
    """Row of a table with its findings; `parts` are a text, or a premise and a hypothesis."""

    line: int
    row: Document
    parts: Mapping[str, str] = field(default_factory=dict)
    gold: str | None = None
    choices: tuple[str, ...] = ()
    id: str = ""
    examples: str = ""
    side: str | None = None
    group: str | None = None
    pair: str | None = None
    masked: Sequence[str] = ()
    findings: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All parts joined by line breaks; empty if a part is missing."""
        return "\n".join(self.parts.values()) if all(self.parts.values()) else ""

    @property
    def label(self) -> str | None:
        """The right choice if the gold label names a choice, else the gold label."""
        return self.gold if self.gold_position is None else self.choices[self.gold_position]

    @property
    def gold_position(self) -> int | None:
        """Position of the right choice; None without one."""
        if self.gold is None:
            return None
        if self.gold in self.choices:
            return self.choices.index(self.gold)
        letter = self.gold.upper()  # two letters for "ß"
        number = ord(letter) - ord("A") if len(letter) == 1 and letter.isalpha() else -1
        number = int(letter) if letter.isdecimal() else number
        return number if 0 <= number < len(self.choices) else None


def audit_table(
    path: Path,
    columns: Mapping[str, str],
    adjust: Adjustment,
    exemplars: Sequence[Path],
    correct_by_id: Mapping[str, Sequence[bool]],
    response_counts: Mapping[str, Counter[str]],
) -> Json:
    """Audit a table and return the report.

    Args:
        path: TSV, CSV, JSONL or Parquet, or a folder of Parquet files.
        columns: role to column.
        adjust: Holm's correction of p values.
        exemplars: tables of few-shot examples, with the same columns.
        correct_by_id: item id to whether each model's response is right, from logged samples.
        response_counts: model to the count of each of its responses.
    """
    tables = read_tables(path)
    items = _read_items(path, tables, columns)
    _flag_repeats(items)
    exemplar_texts = [
        normalize_text(item.text)
        for exemplar_path in exemplars
        for item in _read_items(exemplar_path, read_tables(exemplar_path), columns)
        if item.text
    ]
    _flag_leaks(items, {*exemplar_texts})
    for item in items:
        if item.choices and item.gold is not None and item.gold_position is None:
            item.findings.append("gold-not-a-choice")
        is_correct = correct_by_id.get(item.id, ())
        if len(is_correct) > 2 and not any(is_correct):
            item.findings.append("never-right")
    sound_items = [item for item in items if not _UNSOUND_CODES & {*item.findings}]
    differences = _find_differences(sound_items, columns, adjust)
    for model, responses in response_counts.items():
        (response, count), total = responses.most_common(1)[0], responses.total()
        if total >= _MIN_RESPONSES and count >= _MIN_EQUAL_SHARE * total:
            differences.append(
                f"{model} gives one response, {response[:_MIN_CHARACTERS]!r}, "
                f"to {count / total:.1%} of the items"
            )
    counts = Counter(code for item in items for code in item.findings)
    summary = {
        "items": len(items),
        "with_findings": sum(bool(item.findings) for item in items),
        "findings": {code: counts[code] for code in CODES},
        "meaning": dict(CODES),
        "differences": differences,
    }
    flagged = [
        {"id": item.id, "line": item.line, "findings": item.findings} for item in items if item.findings
    ]
    return {
        "format": "any",
        "file": path.name,
        "sha256": _digest(tables),
        "summary": summary,
        "items": flagged,
    }


def sound_rows(path: Path, columns: Mapping[str, str], report: Json) -> str:
    """Return the sound rows as JSON Lines, each with its file, the file's hash and its line."""
    unsound_lines = {item["line"] for item in report["items"] if _UNSOUND_CODES & {*item["findings"]}}
    source = {"file": report["file"], "sha256": report["sha256"]}
    sound_items = [
        item for item in _read_items(path, read_tables(path), columns) if item.line not in unsound_lines
    ]
    lines = ({**item.row, "polbias_audit": {**source, "line": item.line}} for item in sound_items)
    return "".join(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines)


def maintainer_report(report: Json) -> str:
    """Return the findings as Markdown for the maintainers of a benchmark: ids, without the items' texts."""
    summary = report["summary"]
    parts = [f"# Findings in {report.get('file', report['format'])}", ""]
    counts = f"{summary['with_findings']:,} of {summary['items']:,} items"
    parts += [f"`polbias audit` has findings for {counts}."]
    if "sha256" in report:
        parts += [f"SHA-256 of the audited files: `{report['sha256']}`."]
    if summary["differences"]:
        parts += [
            "",
            "## The set as a whole",
            "",
            *(f"- {difference}" for difference in summary["differences"]),
        ]
    parts += ["", "| finding | items | meaning |", "|---|---:|---|"]
    parts += [
        f"| `{code}` | {n:,} | {summary['meaning'][code]} |" for code, n in summary["findings"].items() if n
    ]
    by_code: dict[str, list[str]] = defaultdict(list)
    for item in report["items"]:
        for code in item["findings"]:
            by_code[code].append(str(item["id"] or f"line {item['line']}"))
    for code, ids in by_code.items():
        id_list = ", ".join(f"`{item_id}`" for item_id in ids)
        parts += ["", f"## {code}: {len(ids):,}", "", id_list]
    return "\n".join(parts) + "\n"


def _digest(tables: Sequence[UserTable]) -> str:
    digest = hashlib.sha256()
    for table in tables:
        with table.path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _read_items(path: Path, tables: Sequence[UserTable], user_columns: Mapping[str, str]) -> list[_TableItem]:
    items: list[_TableItem] = []
    for table in tables:
        roles = _resolve_roles(table.columns, user_columns, path)
        parts = [role for role in (_TEXT_ROLE.name, *(role.name for role in _PAIR_ROLES)) if role in roles]
        names = list(table.columns)
        for line, values, problem in table.rows(names):
            item = _TableItem(len(items) + 1 if path.is_dir() else line, {})
            items.append(item)
            if len(items) > MAX_ITEMS:
                raise InputError(f"{path}: found more than {MAX_ITEMS:,} rows, expected fewer; audit a part")
            if problem:
                item.findings.append("malformed-row")
                continue
            item.row = dict(zip(names, values, strict=True))
            cells = {role: item.row[name] for role, name in roles.items()}
            item.parts, item.gold = (
                {role: _to_text(_join_sentences(cells[role])) or "" for role in parts},
                _to_text(cells.get("gold")),
            )
            item.id, item.examples = (
                _to_text(cells.get("id")) or str(item.line),
                _to_text(cells.get("examples")) or "",
            )
            item.choices = _parse_choices(cells.get("choices"))
            item.side, item.group, item.pair = (
                _to_text(cells.get(role)) for role in ("side", "group", "pair")
            )
            item.masked = _parse_masked(cells.get("mask"))
            if not item.text:
                item.findings.append("malformed-row")
    if not any(item.text for item in items):
        raise InputError(f"{path}: found no item with a text, expected at least one; use --column text=NAME")
    return items


def _resolve_roles(columns: Sequence[str], user_columns: Mapping[str, str], path: Path) -> Mapping[str, str]:
    """Map roles to columns; a column ``question`` is a hypothesis if there is a premise, else a text."""
    column_by_role = resolve_columns(
        columns,
        [replace(role, required=False) for role in (_TEXT_ROLE, *_PAIR_ROLES, *_OPTIONAL_ROLES)],
        user_columns,
        path,
    )
    premise, hypothesis = (role.name for role in _PAIR_ROLES)
    is_pair = premise in user_columns or hypothesis in user_columns
    if is_pair and _TEXT_ROLE.name in user_columns:
        raise InputError(
            f"--column {_TEXT_ROLE.name}={user_columns[_TEXT_ROLE.name]}: found a {premise} or a "
            f"{hypothesis} too, expected {_TEXT_ROLE.name}, or {premise} and {hypothesis}; remove one"
        )
    if not is_pair and _TEXT_ROLE.name not in user_columns and {premise, hypothesis} <= column_by_role.keys():
        is_pair = column_by_role.get(_TEXT_ROLE.name) in (
            None,
            column_by_role[premise],
            column_by_role[hypothesis],
        )
    return resolve_columns(
        columns, [*(_PAIR_ROLES if is_pair else [_TEXT_ROLE]), *_OPTIONAL_ROLES], user_columns, path
    )


def _to_text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return replace_surrogates(cell_text(value))


def _join_sentences(value: Any) -> Any:
    """Join a list of sentences; return other values as they are."""
    is_list = isinstance(value, list) and all(isinstance(sentence, str) for sentence in value)
    return " ".join(value) if is_list else value


def _parse_masked(value: Any) -> list[str]:
    """Parse names to hide: a text, a list, a mapping, or JSON of these."""
    if isinstance(value, str) and value.startswith(("[", "{")):
        try:
            value = json.loads(value)
        except ValueError:
            return [value]
    return hidden_texts(value)


def _parse_choices(value: Any) -> tuple[str, ...]:
    """Parse the choices of an item: a list, a JSON list, or a mapping with the key ``text``."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    if isinstance(value, dict):
        value = value.get("text")
    return tuple(_to_text(choice) or "" for choice in value) if isinstance(value, list) else ()


# Repeated items, and items in few-shot examples.


def _flag_repeats(items: Sequence[_TableItem]) -> None:
    sound = [item for item in items if item.text]
    ids, items_by_text = Counter[str](), defaultdict(list)
    for item in sound:
        ids[item.id] += 1
        if ids[item.id] > 1:
            item.findings.append("duplicate-id")
        items_by_text[normalize_text(item.text), tuple(sorted(item.choices))].append(item)
    for repeats in items_by_text.values():
        for item in repeats[1:]:
            item.findings.append("duplicate-item")
        if len({item.label for item in repeats}) > 1:
            for item in repeats:
                item.findings.append("conflicting-labels")
    distinct = [repeats[0] for repeats in items_by_text.values()]
    comparables = [Comparable(item.text, item.choices, item.label) for item in distinct]
    for item, is_near in zip(distinct, near_duplicates(comparables), strict=True):
        if is_near:
            item.findings.append("near-duplicate")


def _flag_leaks(items: Sequence[_TableItem], exemplar_texts: set[str]) -> None:
    contexts = "\n".join({normalize_text(item.examples) for item in items if item.examples})
    for item in items:
        text = normalize_text(item.text)
        if text in exemplar_texts or (len(text) >= _MIN_CHARACTERS and _is_in_examples(contexts, item)):
            item.findings.append("exemplar-leakage")


def _is_in_examples(contexts: str, item: _TableItem) -> bool:
    """Whether examples contain the item's text, or its premise with its hypothesis nearby."""
    first_part, *remaining_parts = map(normalize_text, item.parts.values())
    start = contexts.find(first_part)
    while start >= 0:
        end = start + len(first_part)
        if all(
            part in contexts[max(0, start - _MAX_DISTANCE - len(part)) : start]
            or part in contexts[end : end + _MAX_DISTANCE + len(part)]
            for part in remaining_parts
        ):
            return True
        start = contexts.find(first_part, end)
    return False


# Differences between gold labels, by which they are guessed.


def _find_differences(
    items: Sequence[_TableItem], user_columns: Mapping[str, str], adjust: Adjustment
) -> list[str]:
    multiple_choice = [item for item in items if item.gold_position is not None]
    choice_tests = _test_choices(multiple_choice) if multiple_choice else []
    guesses = _guess_labels(items, user_columns)
    p_values = adjust([*(p for p, _ in choice_tests), *(test.guess.p for test in guesses)])
    lines = [
        (p, f"{line} (p = {p:.2g}, Holm)")
        for p, (_, line) in zip(p_values, choice_tests, strict=False)
        if p < ALPHA
    ]
    for test, p in zip(guesses, p_values[len(choice_tests) :], strict=True):
        adjusted = replace(test, adjusted_p=p)
        if adjusted.is_leak:
            lines.append((p, str(adjusted)))
    return [line for _, line in sorted(lines)]


def _guess_labels(items: Sequence[_TableItem], user_columns: Mapping[str, str]) -> list[Shortcut]:
    """Guess the labels of items; of items with choices the gold label is none of a class."""
    guess_items = [
        GuessItem(
            parts=item.parts,
            gold=None if item.choices else item.gold,
            side=item.side,
            group=item.group,
            block=item.pair,
            masked=item.masked,
            position=number,
        )
        for number, item in enumerate(items)
    ]
    return find_shortcuts(guess_items, are_groups_certain="group" in user_columns)


def table_shortcuts(path: Path, columns: Mapping[str, str], adjust: Adjustment) -> list[Shortcut]:
    """Return the tests of all shortcuts of a table, adjusted.

    Args:
        path: TSV, CSV, JSONL or Parquet, or a folder of Parquet files.
        columns: role to column.
        adjust: Holm's correction of p values.
    """
    items = [item for item in _read_items(path, read_tables(path), columns) if item.text]
    return adjust_shortcuts(_guess_labels(items, columns), adjust)


def _binomial_p_value(hits: int, items: int, chance: float) -> float:
    """Return the one-sided p value of the hits."""
    from scipy.stats import binomtest

    return float(binomtest(hits, items, chance, "greater").pvalue)


def _test_choices(items: Sequence[_TableItem]) -> list[tuple[float, str]]:
    chance = float(np.mean([1 / len(item.choices) for item in items]))
    position_counts = Counter(item.gold_position for item in items)
    position, n_hits = position_counts.most_common(1)[0]
    share = n_hits / len(items)
    # Bonferroni: any of the k positions could have the largest share.
    p = min(1.0, len(position_counts) * _binomial_p_value(n_hits, len(items), chance))
    text = f"gold is choice number {(position or 0) + 1} in {share:.1%} of {len(items):,} items"
    tests = [(p, f"{text}; chance {chance:.1%}")]
    for name, pick in (("longest", max), ("shortest", min)):
        untied = [
            item for item in items if [*map(len, item.choices)].count(pick(map(len, item.choices))) == 1
        ]
        if untied:
            n_untied_hits = sum(
                len(item.choices[item.gold_position or 0]) == pick(map(len, item.choices)) for item in untied
            )
            untied_chance = float(np.mean([1 / len(item.choices) for item in untied]))
            text = f"gold is the {name} choice in {n_untied_hits / len(untied):.1%} of {len(untied):,} items"
            tests.append(
                (
                    _binomial_p_value(n_untied_hits, len(untied), untied_chance),
                    f"{text}; chance {untied_chance:.1%}",
                )
            )
    return tests
