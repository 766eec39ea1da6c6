"""The check of names and phrases finds each kind, with its line, and accepts idioms, code and quotations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lint import wording as check
from lint.prose import Name, Passage
from lint.wording import Finding, Findings, FunctionPattern, Pattern, Wording, main, read_wording

WORDING = read_wording()


def find(text: str, name: str = "module.py") -> list[Finding]:
    findings = Findings()
    findings.check_file(Path(name), text, WORDING)
    return [*findings.names, *findings.phrases]


@pytest.mark.parametrize(
    "source",
    [
        "found = rows()",
        "_FOUND = 3",
        "found: int = 3",
        "for each in rows: pass",
        "rows, rest = split()",
        "print(found := rows())",
        "def count(found): pass",
        "def count(*, found=None): pass",
        "count = lambda found: found",
        "def told(): pass",
        "async def told(): pass",
        "class Found: pass",
        "class Row:\n  kept: int",
        "class Row:\n  def __init__(self):\n    self._kept = 1",
        "class Row:\n  def __init__(self):\n    self.kept: int = 1",
    ],
)
def test_a_vague_word_is_found_as_the_name_of_anything(source: str) -> None:
    (finding,) = find(source)
    assert finding.line == source.count("\n") + 1
    assert "is vague; say " in finding.message


@pytest.mark.parametrize(
    "source",
    [
        "first, *rest = rows",
        "found = False\nfound = True",
        "found_rows = rows()",
        "n_found = 3",
        "row.found = 1",
        "rows(found=3)",
        "print(found)",
        "def embed(): pass",
        "def nested(): pass",
        "def __abs__(self): pass",
        "def price_of(row): pass",
        "checked = rows()",
    ],
)
def test_idioms_uses_and_longer_names_are_accepted(source: str) -> None:
    assert find(source) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("_checked", "is a participle"),
        ("of_units", "begins with a preposition"),
        ("units_within", "ends in a preposition"),
        ("some_of", "ends in a preposition"),
    ],
)
def test_a_function_is_no_participle_or_preposition(name: str, problem: str) -> None:
    assert [finding.message.split(";")[0] for finding in find(f"def {name}(): pass")] == [
        f"function {name!r} {problem}"
    ]


def test_a_finding_names_path_line_and_suggestion() -> None:
    first, second = find('"""Module.\n\nRows are\nleft out.\n"""\n\nfound = rows()\n', "a/b.py")
    assert str(first).startswith("a/b.py:7: name 'found' is vague; say matches (search), estimate ")
    assert str(second) == "a/b.py:4: phrase 'left out' is unclear; say excluded, dropped"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('"""Drop rows left out."""', 1),
        ('class A:\n    """Rows left out."""', 2),
        ('def f():\n    """Return rows.\n\n    Args:\n        n: Rows that are left out.\n    """', 5),
        ("a = 1\nb = 2  # rows left out", 2),
        ("# rows are left\n# out here", 1),
        ("# rows\n# are left out", 2),
        ('option(\n    help="print rows left out")', 2),
        ('option(help="print rows "\n    "left out")', 1),
        ('raise E("row 1: left out")', 1),
        ('raise E(f"row {n}: left {kind} left out") from None', 1),
        ("raise E(\n    'a',\n    'row: left out')", 3),
    ],
)
def test_docstrings_comments_help_and_errors_are_read(source: str, line: int) -> None:
    assert [(finding.line, "left out" in finding.message) for finding in find(source)] == [(line, True)]


@pytest.mark.parametrize(
    "source",
    [
        '"""Return `left out`, ``left out`` and "left out"."""',
        '"""Return `left\nout`."""',
        '"""Return rows.\n\n>>> left out\n"""',
        "# noqa: left out",
        'text = "left out"',
        'option(name="left out")',
        "# rows left\na = 1\n# out here",
        'raise E(f"left {n} out")',
    ],
)
def test_code_quotations_and_data_are_not_read(source: str) -> None:
    assert find(source) == []


def test_prose_of_a_page_is_read_without_code_links_and_headings() -> None:
    page = (
        "# Rows left out\n\n```\nleft out\n```\n<!-- left\nout -->\n\n"
        "A `left out` and “left out” in [a page](left out).\n\n- first\n- rows [left\n  out](x)\n"
    )
    assert [finding.line for finding in find(page, "page.md")] == [12]
    assert Passage("Rows [left out](x) of `a b`", 1).without_code() == "Rows [left out] of CODE"


def test_a_question_may_begin_with_what() -> None:
    assert find("# What is the label of a row?") == []
    assert len(find("# What a server sends.")) == 1
    assert len(find("One.\n\n- What a server sends.", "page.md")) == 1


PATTERNS: list[Pattern] = [*WORDING.functions, *WORDING.phrases]


@pytest.mark.parametrize("rule", PATTERNS, ids=lambda rule: rule.caught)
def test_every_pattern_matches_its_example_only(rule: Pattern) -> None:
    assert [*rule.finditer(rule.caught)]
    assert not [*rule.finditer(rule.allowed)]


@pytest.mark.parametrize("rule", WORDING.phrases, ids=lambda rule: rule.allowed)
def test_allowed_examples_pass_all_patterns(rule: Pattern) -> None:
    assert [*WORDING.check_prose(rule.allowed)] == []


@pytest.mark.parametrize("rule", WORDING.functions, ids=lambda rule: rule.problem)
def test_every_exception_would_be_caught(rule: FunctionPattern) -> None:
    assert [name for name in rule.exceptions if not rule.pattern.search(name)] == []
    assert not [name for name in rule.exceptions if WORDING.check_name(Name(name, 1, True))]


def test_every_word_that_excuses_a_phrase_excuses_its_example() -> None:
    for rule in WORDING.phrases:
        for word in rule.not_after:
            (match,) = rule.finditer(rule.caught)
            assert not [*rule.finditer(f"{word} {match[0]}")], word
            assert [*rule.finditer(f"no{word} {match[0]}")], word


def test_no_word_has_two_suggestions() -> None:
    words = [word for group in WORDING.names for word in group.words]
    assert len(words) == len({*words})
    assert all(word == word.lower().strip("_") for word in words)


def test_a_misspelled_key_of_the_word_list_is_an_error() -> None:
    content = {"max_vague_names": 0, "max_phrases": 0, "names": [], "functions": [], "phrases": []}
    Wording.model_validate(content)
    with pytest.raises(ValueError, match="phrase"):
        Wording.model_validate(content | {"phrase": []})


def run(
    monkeypatch: pytest.MonkeyPatch, folder: Path, text: str, limits: dict[str, float], *arguments: str
) -> int:
    (folder / "module.py").write_text(text, "utf-8")
    monkeypatch.setattr(check, "_ROOT", folder)
    monkeypatch.setattr(check, "_iter_tracked_files", lambda: iter([Path("module.py")]))
    monkeypatch.setattr(check, "read_wording", lambda: WORDING.model_copy(update=limits))
    return main(arguments)


def test_the_check_fails_only_over_a_limit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    text = (
        "found = rows()\nrows = 2\n# one two left out\n"  # half of the names, 2,500 phrases per 10,000 words
    )
    at_limits: dict[str, float] = {"max_vague_names": 0.5, "max_phrases": 2_500}
    assert run(monkeypatch, tmp_path, text, at_limits) == 0
    totals = capsys.readouterr().out.splitlines()
    assert totals == [
        "vague names: 1 of 2 = 50.00%, expected at most 50.00%",
        "unclear phrases: 1 in 4 words = 2500 per 10,000, expected at most 2500",
    ]
    assert run(monkeypatch, tmp_path, text, at_limits, "--all") == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert run(monkeypatch, tmp_path, text, at_limits | {"max_vague_names": 0.4}) == 1
    assert [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()] == [
        "module.py:1:",
        "vague",
        "unclear",
    ]
    assert run(monkeypatch, tmp_path, text, at_limits | {"max_phrases": 2_499}) == 1
    assert "module.py:3: phrase 'left out'" in capsys.readouterr().out


def test_many_findings_are_cut_unless_all_are_requested(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    no_limits: dict[str, float] = {"max_vague_names": 0, "max_phrases": 0}
    assert run(monkeypatch, tmp_path, "found = rows()\n" * 23, no_limits) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 20 + 1 + 2
    assert lines[20] == "... and 3 more: python -m lint.wording --all"
    assert run(monkeypatch, tmp_path, "found = rows()\n" * 23, no_limits, "--all") == 1
    assert len(capsys.readouterr().out.splitlines()) == 23 + 2


def test_code_and_pages_are_checked_and_tests_are_not() -> None:
    paths = {path.as_posix() for path in check._iter_tracked_files()}
    assert {
        "README.md",
        "CONTRIBUTING.md",
        "docs/statistics.md",
        "docs/tables/glossary.csv",
        "eval/statistics.py",
    } <= paths
    assert {"polbias/registry.py", "setup.py"} <= paths
    assert not [path for path in paths if "tests/" in path or path.startswith("polbias/eval")]
