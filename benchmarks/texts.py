"""Reading and writing of texts, and what is counted from them: each beside something of the same run."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from benchmarks.measure import Line, Measured, Stopwatch, at_least, at_most, medians

_SHORT, _LONG = 100_000, 1_000_000  # characters of an answer; ten times as many may take ten times as long
_ROWS = 20_000
_PIECES = (
    "is , not , valid , ",
    "premises do not entail the conclusion ",
    "die Prämissen die Konklusion ",
    "ich nicht ",
    "I can't I don't ",
    "\\boxed{",
    "<think>",
    "wait, valid. ",
    "[ ] ",
)
_SCHEMAS = (
    "¬O A ⊢ P¬A",
    "P A ⊢ O A",
    "P(A ∨ B) ⊢ P A",
    "(A → O B); A ⊢ O B",
    "(A → P¬B); ¬P¬B ⊢ ¬A",
)
_AMBIGUOUS = "that tax cuts harm "


def run() -> list[Line]:
    """Measure every part several times, each in a process of its own on one core."""
    parts = (answers, negations, schemas, summaries)
    found = {name: figure for part in parts for name, figure in medians(part, cores=1).items()}
    return [
        at_most(
            "reading ten times as long an answer, the worst of nine", found["answer growth"], "times", 20
        ),
        at_least("English statements negated / their tokens by spaCy", found["en"], "times", 0.05),
        at_least("German statements negated / their tokens by spaCy", found["de"], "times", 0.05),
        at_most("negating five times as many ambiguous words", found["negation growth"], "times", 25),
        at_least("inferences compared with a schema / proofs of schemas", found["schemas"], "times", 20),
        at_most("summary of 20,000 answers / reading them into a table", found["summary"], "times", 0.5),
    ]


def answers() -> Measured:
    """Read long answers that are hard to read, and the same ten times as long."""
    from polbias.eval.answers import extract_validity

    def seconds(piece: str, length: int) -> float:
        text = piece * (length // len(piece))
        return min(
            _seconds(lambda: [extract_validity(text, "en"), extract_validity(text, "de")]) for _ in "12"
        )

    seconds(_PIECES[0], _SHORT)  # compiles what it looks for
    times = [(seconds(piece, _SHORT), seconds(piece, _LONG)) for piece in _PIECES]
    return {"answer growth": max(long / short for short, long in times)}


def negations() -> Measured:
    """Negate statements of both languages, and take their tokens by spaCy."""
    from polbias.generators.authoring.negation import negate

    spacy = importlib.import_module("spacy")
    years = range(1000, 1500)
    statements = {
        "en": [
            f"In {year}, the city should {what}."
            for year, what in product(years, ("raise the toll", "build new roads", "open the park to all"))
        ],
        "de": [
            f"Die Stadt soll im Jahr {year} {what}."
            for year, what in product(years, ("die Maut erhöhen", "Wege bauen", "auf Werbung verzichten"))
        ],
    }
    found: dict[str, float] = {}
    for language, texts in statements.items():
        tokens = spacy.blank(language)
        negate(texts[0], language)  # reads the dictionary
        tokens(texts[0])
        ours = _seconds(partial(_each, partial(negate, language=language), texts))
        theirs = _seconds(partial(_each, tokens, texts))
        found[language] = theirs / ours
    negate(_AMBIGUOUS, "en")
    short, long = (min(_seconds(partial(negate, _AMBIGUOUS * n, "en")) for _ in range(3)) for n in (10, 50))
    return found | {"negation growth": long / short}


def schemas() -> Measured:
    """Compare schemas with each other, and prove each of them."""
    from polbias.generators.auditing.shapes import instantiates
    from polbias.generators.logic.formula import MODAL_LOGICS
    from polbias.generators.logic.prover import prove
    from polbias.generators.logic.syntax import parse_inference

    forms = [parse_inference(text) for text in _SCHEMAS]
    pairs = [*product(forms, forms)] * 5
    compared = _seconds(lambda: [instantiates(one, other, strict=False) for one, other in pairs])
    proved = _seconds(lambda: [prove(form, logic) for form in forms for logic in MODAL_LOGICS])
    return {"schemas": (len(pairs) / compared) / (len(forms) * len(MODAL_LOGICS) / proved)}


def summaries() -> Measured:
    """Read the answers of a table, and summarise them."""
    import numpy as np

    from polbias.eval.partisan.analysis import partisan_summary
    from polbias.eval.partisan.schema import Outcomes

    rng = np.random.default_rng(0)
    columns = {
        "leaning": np.tile(["left", "right"], _ROWS // 2).tolist(),
        "gold": np.tile(["valid", "valid", "invalid", "invalid"], _ROWS // 4).tolist(),
        "label": rng.choice(["valid", "invalid", "refusal"], _ROWS).tolist(),
        "cluster_id": (np.arange(_ROWS) // 2 % 6).tolist(),
    }
    table = Outcomes.of(columns)
    partisan_summary(table)
    ratios = [
        _seconds(lambda: partisan_summary(table)) / _seconds(lambda: Outcomes.of(columns)) for _ in range(5)
    ]
    return {"summary": min(ratios)}


def _each(action: Callable[[str], object], texts: Sequence[str]) -> None:
    for text in texts:
        action(text)


def _seconds(action: Callable[[], object]) -> float:
    with Stopwatch() as watch:
        action()
    return watch.processor
