"""Any benchmark: near-duplicates, items among examples, gold labels that a layout gives away."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from polbias.aliases import Document, Json
from polbias.errors import InputError, replace_surrogates
from polbias.generators.auditing.items import FINDINGS
from polbias.generators.auditing.near_duplicates import Comparable, near_duplicates
from polbias.generators.language.similarity import normalize_text
from polbias.generators.table_files import ColumnRole, UserTable, cell_text, read_tables, resolve_columns
from polbias.limits import MAX_ITEMS

_TEXT = ColumnRole("text", ("question", "prompt", "input", "sentence", "statement", "claim"), required=True)
_PAIR = (
    ColumnRole(
        "premise", ("sentence1", "premises", "passage", "context", "article", "evidence"), required=True
    ),
    ColumnRole("hypothesis", ("sentence2", "question", "statement", "claim"), required=True),
)
_OTHERS = (
    ColumnRole("gold", ("label", "answer", "target", "answer_key")),
    ColumnRole("choices", ("options",)),
    ColumnRole("id", ("item_id", "question_id")),
    ColumnRole("examples", ("exemplars", "few_shot")),
)
_SURFACE = ("malformed-row", "duplicate-id", "duplicate-item", "conflicting-labels", "exemplar-leakage")
CODES: Mapping[str, str] = {
    **{code: FINDINGS[code] for code in _SURFACE},
    "near-duplicate": "four fifths of its character 5-grams are an earlier item's, and what differs is alike",
    "gold-not-a-choice": "the gold label is neither one of the choices nor the number or letter of one",
    "never-right": "no model of at least three answers it as the gold label says",
}
_SHORTEST = 20  # characters of an item that is looked for in examples
_APART = 200  # characters between a premise and its hypothesis in examples
_FOLDS, _BINS, _LEVEL = 5, 10, 0.05
_ALIKE, _FEWEST = 0.98, 20  # share of equal responses, of how many at least
_MOST_LABELS = 20
_SPOILED = {"malformed-row", "duplicate-item", "conflicting-labels", "exemplar-leakage"}


@dataclass
class _TableItem:
    """A row: where it stands, what it has in its roles, and what is wrong with it.

    Its parts are a text, or a premise and a hypothesis.
    """

    line: int
    row: Document
    parts: Mapping[str, str] = field(default_factory=dict)
    gold: str | None = None
    choices: tuple[str, ...] = ()
    id: str = ""
    examples: str = ""
    findings: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The parts, one after the other; empty if one is missing."""
        return "\n".join(self.parts.values()) if all(self.parts.values()) else ""

    @property
    def label(self) -> str | None:
        """The gold label, or the choice that it names."""
        return self.gold if self.gold_position is None else self.choices[self.gold_position]

    @property
    def gold_position(self) -> int | None:
        """Position of the right choice."""
        if self.gold is None:
            return None
        if self.gold in self.choices:
            return self.choices.index(self.gold)
        letter = self.gold.upper()  # of two letters for "ß"
        number = ord(letter) - ord("A") if len(letter) == 1 and letter.isalpha() else -1
        number = int(letter) if letter.isdecimal() else number
        return number if 0 <= number < len(self.choices) else None


def audit_table(
    path: Path,
    columns: Mapping[str, str],
    adjust: Callable[[Sequence[float]], Sequence[float]],
    exemplars: Sequence[Path],
    right: Mapping[str, Sequence[bool]],
    said: Mapping[str, Counter[str]],
) -> Json:
    """Audit a table.

    Args:
        path: TSV, CSV, JSONL or Parquet, or a folder of Parquet files.
        columns: role to column.
        adjust: Holm's correction.
        exemplars: tables of few-shot examples, with the same columns.
        right: item id to whether each model's answer is right, from logged samples.
        said: model to how often it gives which response.
    """
    tables = read_tables(path)
    items = _items(path, tables, columns)
    _repeated(items)
    shown = [
        normalize_text(item.text)
        for each in exemplars
        for item in _items(each, read_tables(each), columns)
        if item.text
    ]
    _leaked(items, {*shown})
    for item in items:
        if item.choices and item.gold is not None and item.gold_position is None:
            item.findings.append("gold-not-a-choice")
        own = right.get(item.id, ())
        if len(own) > 2 and not any(own):
            item.findings.append("never-right")
    given_away = _given_away([item for item in items if not _SPOILED & {*item.findings}], adjust)
    for model, responses in said.items():
        (most, count), total = responses.most_common(1)[0], responses.total()
        if total >= _FEWEST and count >= _ALIKE * total:
            given_away.append(
                f"{model} gives one response, {most[:_SHORTEST]!r}, to {count / total:.1%} of the items"
            )
    counts = Counter(code for item in items for code in item.findings)
    summary = {
        "items": len(items),
        "with_findings": sum(bool(item.findings) for item in items),
        "findings": {code: counts[code] for code in CODES},
        "meaning": dict(CODES),
        "differences": given_away,
    }
    found = [{"id": item.id, "line": item.line, "findings": item.findings} for item in items if item.findings]
    return {"format": "any", "file": path.name, "sha256": _digest(tables), "summary": summary, "items": found}


def sound_rows(path: Path, columns: Mapping[str, str], report: Json) -> str:
    """Return the sound rows as JSON Lines, each with the file, its hash and the line that it is from."""
    spoiled = {each["line"] for each in report["items"] if _SPOILED & {*each["findings"]}}
    source = {"file": report["file"], "sha256": report["sha256"]}
    kept = [item for item in _items(path, read_tables(path), columns) if item.line not in spoiled]
    lines = ({**item.row, "polbias_audit": {**source, "line": item.line}} for item in kept)
    return "".join(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines)


def maintainer_report(report: Json) -> str:
    """Return a text for the maintainers of a benchmark: what was found, by id, without the items' texts."""
    summary = report["summary"]
    parts = [f"# Findings in {report.get('file', report['format'])}", ""]
    counts = f"{summary['with_findings']:,} of {summary['items']:,} items"
    parts += [f"`polbias audit` found something in {counts}."]
    if "sha256" in report:
        parts += [f"SHA-256 of what was read: `{report['sha256']}`."]
    if summary["differences"]:
        parts += ["", "## The set as a whole", "", *(f"- {each}" for each in summary["differences"])]
    parts += ["", "| finding | items | meaning |", "|---|---:|---|"]
    parts += [
        f"| `{code}` | {n:,} | {summary['meaning'][code]} |" for code, n in summary["findings"].items() if n
    ]
    by_code: dict[str, list[str]] = defaultdict(list)
    for item in report["items"]:
        for code in item["findings"]:
            by_code[code].append(str(item["id"] or f"line {item['line']}"))
    for code, ids in by_code.items():
        named = ", ".join(f"`{each}`" for each in ids)
        parts += ["", f"## {code}: {len(ids):,}", "", named]
    return "\n".join(parts) + "\n"


def _digest(tables: Sequence[UserTable]) -> str:
    whole_of = hashlib.sha256()
    for table in tables:
        with table.path.open("rb") as file:
            while part := file.read(1 << 20):
                whole_of.update(part)
    return whole_of.hexdigest()


def _items(path: Path, tables: Sequence[UserTable], chosen: Mapping[str, str]) -> list[_TableItem]:
    items: list[_TableItem] = []
    for table in tables:
        roles = _roles(table.columns, chosen, path)
        parts = [role for role in (_TEXT.name, *(role.name for role in _PAIR)) if role in roles]
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
            own = {role: item.row[name] for role, name in roles.items()}
            item.parts, item.gold = {role: _text(own[role]) or "" for role in parts}, _text(own.get("gold"))
            item.id, item.examples = _text(own.get("id")) or str(item.line), _text(own.get("examples")) or ""
            item.choices = _choices(own.get("choices"))
            if not item.text:
                item.findings.append("malformed-row")
    if not any(item.text for item in items):
        raise InputError(f"{path}: found no item with a text; say which column it is with --column text=NAME")
    return items


def _roles(columns: Sequence[str], chosen: Mapping[str, str], path: Path) -> Mapping[str, str]:
    """Find the columns of a table of texts, or of premises with hypotheses.

    A column that could be either, such as ``question``, is a hypothesis if there is a premise as well.
    """
    known = resolve_columns(
        columns, [replace(role, required=False) for role in (_TEXT, *_PAIR, *_OTHERS)], chosen, path
    )
    premise, hypothesis = (role.name for role in _PAIR)
    is_pair = premise in chosen or hypothesis in chosen
    if is_pair and _TEXT.name in chosen:
        raise InputError(
            f"--column {_TEXT.name}={chosen[_TEXT.name]}: found a {premise} or a {hypothesis} too; expected "
            f"{_TEXT.name}, or {premise} and {hypothesis}: leave one out"
        )
    if not is_pair and _TEXT.name not in chosen and {premise, hypothesis} <= known.keys():
        is_pair = known.get(_TEXT.name) in (None, known[premise], known[hypothesis])
    return resolve_columns(columns, [*(_PAIR if is_pair else [_TEXT]), *_OTHERS], chosen, path)


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return replace_surrogates(cell_text(value))


def _choices(value: Any) -> tuple[str, ...]:
    """Return the choices of an item: a list, a list in JSON, or a mapping with the key ``text``."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    if isinstance(value, dict):
        value = value.get("text")
    return tuple(_text(each) or "" for each in value) if isinstance(value, list) else ()


# Items that repeat each other, or stand among examples.


def _repeated(items: Sequence[_TableItem]) -> None:
    sound = [item for item in items if item.text]
    ids, texts = Counter[str](), defaultdict(list)
    for item in sound:
        ids[item.id] += 1
        if ids[item.id] > 1:
            item.findings.append("duplicate-id")
        texts[normalize_text(item.text), tuple(sorted(item.choices))].append(item)
    for same in texts.values():
        for item in same[1:]:
            item.findings.append("duplicate-item")
        if len({item.label for item in same}) > 1:
            for item in same:
                item.findings.append("conflicting-labels")
    distinct = [same[0] for same in texts.values()]
    compared = [Comparable(item.text, item.choices, item.label) for item in distinct]
    for item, is_near in zip(distinct, near_duplicates(compared), strict=True):
        if is_near:
            item.findings.append("near-duplicate")


def _leaked(items: Sequence[_TableItem], shown: set[str]) -> None:
    contexts = "\n".join({normalize_text(item.examples) for item in items if item.examples})
    for item in items:
        text = normalize_text(item.text)
        if text in shown or (len(text) >= _SHORTEST and _stands_in(contexts, item)):
            item.findings.append("exemplar-leakage")


def _stands_in(contexts: str, item: _TableItem) -> bool:
    """Whether examples hold an item: its text, or its premise with its hypothesis near it."""
    first, *others = map(normalize_text, item.parts.values())
    start = contexts.find(first)
    while start >= 0:
        end = start + len(first)
        if all(
            other in contexts[max(0, start - _APART - len(other)) : start]
            or other in contexts[end : end + _APART + len(other)]
            for other in others
        ):
            return True
        start = contexts.find(first, end)
    return False


# What gives the gold label away: a guess from one feature, against the best guess without.


def _given_away(
    items: Sequence[_TableItem], adjust: Callable[[Sequence[float]], Sequence[float]]
) -> list[str]:
    tests: list[tuple[float, str]] = []
    chosen = [item for item in items if item.gold_position is not None]
    if chosen:
        tests += _by_choice(chosen)
    labelled = [item for item in items if item.gold is not None and not item.choices]
    if 1 < len({item.gold for item in labelled}) <= _MOST_LABELS:
        tests += _by_label(labelled)
    tests.sort()
    adjusted = zip(adjust([p for p, _ in tests]), tests, strict=True)
    return [f"{line} (p = {p:.2g}, Holm)" for p, (_, line) in adjusted if p < _LEVEL]


def _more(hits: int, items: int, chance: float) -> float:
    """Return how likely so many hits or more are by chance."""
    from scipy.stats import binomtest

    return float(binomtest(hits, items, chance, "greater").pvalue)


def _by_choice(items: Sequence[_TableItem]) -> list[tuple[float, str]]:
    chance = float(np.mean([1 / len(item.choices) for item in items]))
    places = Counter(item.gold_position for item in items)
    most, best = places.most_common(1)[0]
    share = best / len(items)
    # The largest of k shares: each could have been.
    p = min(1.0, len(places) * _more(best, len(items), chance))
    said = f"gold is choice number {(most or 0) + 1} in {share:.1%} of {len(items):,} items"
    tests = [(p, f"{said}; chance {chance:.1%}")]
    for name, pick in (("longest", max), ("shortest", min)):
        alone = [item for item in items if [*map(len, item.choices)].count(pick(map(len, item.choices))) == 1]
        if alone:
            hits = sum(
                len(item.choices[item.gold_position or 0]) == pick(map(len, item.choices)) for item in alone
            )
            even = float(np.mean([1 / len(item.choices) for item in alone]))
            said = f"gold is the {name} choice in {hits / len(alone):.1%} of {len(alone):,} items"
            tests.append((_more(hits, len(alone), even), f"{said}; chance {even:.1%}"))
    return tests


def _layout(texts: Sequence[str]) -> Mapping[str, Sequence[object]]:
    lengths = np.array([*map(len, texts)])
    ranks = np.searchsorted(np.quantile(lengths, np.linspace(0, 1, _BINS + 1)[1:-1]), lengths)
    return {
        "length": ranks.tolist(),
        "number of lines": [text.count("\n") for text in texts],
        "first word": [(re.findall(r"\w+", text.casefold()) or [""])[0] for text in texts],
        "last character": [text[-1:] for text in texts],
    }


def _by_label(items: Sequence[_TableItem]) -> list[tuple[float, str]]:
    """Guess each fifth from the others; McNemar's exact test against guessing the commonest label."""
    golds = np.unique([str(item.gold) for item in items], return_inverse=True)[1]
    n_items, parts = len(items), [*items[0].parts]
    columns: dict[str, Sequence[object]] = {
        "place in the file": [(number * _BINS // n_items, number % 2) for number in range(n_items)]
    }
    for part in parts:
        layout = _layout([item.parts[part] for item in items])
        columns |= {f"{name} of the {part}" if len(parts) > 1 else name: layout[name] for name in layout}
    fold = np.random.default_rng(0).permutation(len(items)) % _FOLDS
    tests = []
    for name, column in columns.items():
        codes: dict[object, int] = {}
        values = np.array([codes.setdefault(each, len(codes)) for each in column])
        guess, plain = np.zeros_like(golds), np.zeros_like(golds)
        for own in range(_FOLDS):
            rest, here = fold != own, fold == own
            counts = np.zeros((len(codes), golds.max() + 1), np.intp)
            np.add.at(counts, (values[rest], golds[rest]), 1)
            common = counts.sum(0).argmax()
            plain[here] = common
            guess[here] = np.where(counts.sum(1) > 0, counts.argmax(1), common)[values[here]]
        better = int(((guess == golds) & (plain != golds)).sum())
        worse = int(((guess != golds) & (plain == golds)).sum())
        if better + worse:
            right, blind = np.mean(guess == golds), np.mean(plain == golds)
            said = f"gold is guessed from the {name} in {right:.1%}, without in {blind:.1%}"
            tests.append((_more(better, better + worse, 0.5), said))
    return tests
