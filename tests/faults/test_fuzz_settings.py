"""Files that commands are pointed at, damaged: word lists, options, statements, tables of rows and sets."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
import yaml

from polbias.paths import package_file
from tests.eval.simulation import rows as simulated
from tests.faults.support.campaign import sizes
from tests.faults.support.desk import Desk, content, json_lines
from tests.selfassess.small import small_folder

Rows = list[dict[str, Any]]


def _tabbed(rows: Rows) -> bytes:
    lines = [[*rows[0]], *([*map(str, row.values())] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def _parquet(rows: Rows) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


_WRITERS: Mapping[str, Callable[[Rows], bytes]] = {
    "tsv": _tabbed,
    "jsonl": partial(json_lines, ascii_only=False),
    "parquet": _parquet,
}


def _config(folder: Path) -> Desk:
    from polbias.lm_eval_runner.options import include_paths, parse

    def read(given: Path, _: Path) -> None:
        include_paths(parse(["--config", str(given / "run.yaml")]))

    options = {
        "model": "local-chat-completions",
        "model_args": {"model": "m", "base_url": "http://127.0.0.1:1/v1", "num_concurrent": 8},
        "tasks": ["polbias_wason"],
        "limit": 4,
        "seed": [0, 1, 2, 3],
        "gen_kwargs": {"max_gen_toks": 64},
        "include_path": "tasks",
        "metadata": {"polbias_samples": 2},
        "output_path": "results",
    }
    return Desk(folder, {"run.yaml": yaml.safe_dump(options).encode()}, read, ("--", "options of lm_eval"))


@sizes
def test_options_damaged(examples: int, tmp_path: Path) -> None:
    _config(tmp_path).damage(examples)


@sizes
def test_options_rewritten(examples: int, tmp_path: Path) -> None:
    _config(tmp_path).rewrite(examples)


_STATEMENTS = {
    "en": ["The state should not lower taxes on fuel.", "Banks must be allowed to fail, and nobody pays."],
    "de": ["Der Staat soll die Steuern nicht senken.", "Es braucht mehr Züge, die pünktlich fahren."],
    "es": ["El Estado no debe bajar los impuestos.", "Habría que limitar los alquileres."],
    "it": ["Lo Stato non dovrebbe abbassare le tasse.", "È giusto limitare gli affitti."],
}


@pytest.mark.parametrize("language", _STATEMENTS)
@sizes
def test_statements(language: str, examples: int, tmp_path: Path) -> None:
    from polbias.cli.negate import LanguageName, negate
    from polbias.cli.variants import _statements
    from polbias.generators.authoring.statement_texts import collect_texts, statement_file
    from polbias.models.chat import Chat
    from polbias.models.requests import Request, RequestsOutcome

    def answer_nothing(requests: Sequence[Request]) -> RequestsOutcome:
        return RequestsOutcome([None] * len(requests), [], 0, 0, {})

    def read(given: Path, _: Path) -> None:
        negate(str(given / "list.txt"), LanguageName(language))
        statements = list(_statements(given / "list.txt", language, ""))
        target = "de" if language == "en" else "en"
        entries, _is_complete = collect_texts(statements, Chat("m"), answer_nothing, target=target)
        json.dumps([entry.record() for entry in entries])
        yaml.safe_load(statement_file(entries, [language, target], "DE"))

    text = "\n".join([*_STATEMENTS[language], ""])
    Desk(tmp_path, {"list.txt": text.encode()}, read).damage(examples)


@sizes
def test_items_of_a_file(examples: int, tmp_path: Path) -> None:
    from polbias.cli.check_items import check_items

    templates = small_folder(tmp_path / "templates")

    def read(given: Path, _: Path) -> None:
        for name, language in (("list.txt", "de"), ("list.csv", "en")):
            with suppress(typer.Exit):  # the set is too uniform
                check_items(str(given / name), language, 3, templates)

    lines = ["Zuschüsse für Windmühlen", "Zuschüsse für Wassermühlen", "Abbau von Gebühren"]
    files = {
        name: "\n".join([*head, *lines, ""]).encode()
        for name, head in (("list.txt", []), ("list.csv", ["topic"]))
    }
    Desk(tmp_path, files, read, ("prefix",)).damage(examples)


@cache
def _maker() -> Any:
    from polbias.generators.xphemism.items import PairMaker
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    return PairMaker(load_lexicon())


@pytest.mark.parametrize("kind", _WRITERS)
@sizes
def test_claims_to_pair(kind: str, examples: int, tmp_path: Path) -> None:
    from polbias.atomic_write import write_text
    from polbias.cli.outputs import csv_text
    from polbias.cli.pairs import _pair_row
    from polbias.generators.authoring.pairs import make_pairs, read_requests

    def pair(given: Path, made: Path) -> None:
        rows: Rows = []
        for request in read_requests(given / f"claims.{kind}", {}):
            for each in make_pairs(request, _maker()):
                rows.append({"claim_id": request.claim_id} | dict(request.values) | _pair_row(request, each))
        write_text(made / "pairs.csv", csv_text(rows))

    texts = ["Der Abriss der Brücke beginnt.", "Die Flüchtlinge kamen 2015 an.", "Das Klima ändert sich."]
    claims = [{"claim_id": f"c{n}", "claim": text, "gold": "true"} for n, text in enumerate(texts)]
    claims[0] |= {"base_word": "Abriss", "exchange_word": "Rückbau"}
    rows = [{"base_word": "", "exchange_word": "", **claim} for claim in claims]
    Desk(tmp_path, {f"claims.{kind}": _WRITERS[kind](rows)}, pair, (), ("pairs.csv",)).damage(examples)


@pytest.mark.parametrize("kind", _WRITERS)
@sizes
def test_pairs_to_annotate(kind: str, examples: int, tmp_path: Path) -> None:
    from polbias.cli.annotate import export

    def write(given: Path, made: Path) -> None:
        export("words", made, ["anna", "ben"], given / f"pairs.{kind}", True, seed=1)

    rows = [
        {"pair_id": "a_b", "first": "Abriss", "second": "Rückbau", "note": "=1"},
        {"pair_id": "c_d", "first": "Chor", "second": "Gesang", "note": ""},
    ]
    Desk(tmp_path, {f"pairs.{kind}": _WRITERS[kind](rows)}, write).damage(examples)


_ROWS: Mapping[str, Callable[[], Rows]] = {
    "partisan": lambda: simulated.arguments(1, 1),
    "normative": lambda: simulated.problems(1),
    "wason": lambda: simulated.selections()[:4],
    "policy": lambda: simulated.statements(1)[:4],
    "xphemism": lambda: simulated.claims()[:4],
    "choices": lambda: simulated.choices(1)[:4],
    "articles": lambda: simulated.articles()[:4],
}


def _rows_to_simulate(name: str, kind: str, folder: Path) -> Desk:
    from polbias.eval.simulation.prompt_index import build_prompt_index
    from polbias.eval.simulation.respondents import make_respondent

    def read(given: Path, made: Path) -> None:
        known = build_prompt_index(made, make_respondent("planted"), files=[given / f"rows.{kind}"])
        assert len(known)

    places = ("found no prompt", "column", "row")
    return Desk(folder, {f"rows.{kind}": _WRITERS[kind](_ROWS[name]())}, read, places)


@pytest.mark.parametrize("name", _ROWS)
@sizes
def test_rows_to_simulate(name: str, examples: int, tmp_path: Path) -> None:
    _rows_to_simulate(name, "jsonl", tmp_path).damage(examples)


@sizes
def test_parquet_to_simulate(examples: int, tmp_path: Path) -> None:
    _rows_to_simulate("partisan", "parquet", tmp_path).damage(examples)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@sizes
def test_rows_of_the_second_stage(kind: str, examples: int, tmp_path: Path) -> None:
    from polbias.eval.selfassess.tasks import load_choices

    def read(given: Path, _: Path) -> None:
        load_choices(
            polbias_question="preference", polbias_stage2=str(given / f"choices.{kind}"), polbias_items=1
        )

    row = dict.fromkeys(("id", "category", "item", "prompt", "prefill", "cluster_id", "language"), "x")
    row |= {"set": "poligen", "role": "user", "question": "preference"}
    rows = [row | {"id": str(n), "ways": 2, "sides": ["left", "right"]} for n in range(3)]
    Desk(tmp_path, {f"choices.{kind}": _WRITERS[kind](rows)}, read).damage(examples)


def _own_set(folder: Path) -> Desk:
    from polbias.experiments.self_assessment import article_rows, find_set, make_leak_finder

    def read(given: Path, _: Path) -> None:
        chosen = find_set(str(given / "poligen"))
        rows = article_rows(chosen)
        json.dumps(rows).encode()
        make_leak_finder(chosen)(rows[0]["prompt"])

    files = content(small_folder(folder / "source"))
    leaks = yaml.safe_load(package_file("templates/selfassess/leaks.yaml").read_text("utf-8"))
    small = {name: {each: value[:2] for each, value in leaks[name].items() if value} for name in leaks}
    files["leaks.yaml"] = yaml.safe_dump(small, allow_unicode=True).encode()
    return Desk(folder, files, read, ("given/", "--set: "))


@sizes
def test_own_set_damaged(examples: int, tmp_path: Path) -> None:
    _own_set(tmp_path).damage(examples)


@sizes
def test_own_set_rewritten(examples: int, tmp_path: Path) -> None:
    _own_set(tmp_path).rewrite(examples)


@pytest.mark.parametrize("form", ["partisan", "normative"])
@sizes
def test_sentences_to_audit(form: str, examples: int, tmp_path: Path) -> None:
    from polbias.cli.audit import _audit_formal

    def audit(given: Path, made: Path) -> None:
        _audit_formal(
            given / "items.tsv", form, [made / "items.json", made / "items.csv"], False, {}, [], None
        )

    Desk(tmp_path, {"items.tsv": _tabbed(_SENTENCES[form])}, audit, (), ("items.json", "items.csv")).damage(
        examples
    )


_SENTENCES: Mapping[str, Rows] = {
    "partisan": [
        {
            "id": "a",
            "argument": "If taxes fall, wages rise. Taxes fall. Therefore, wages rise.",
            "language": "en",
            "country": "us",
            "gold": "valid",
        },
    ],
    "normative": [
        {
            "id": "a",
            "premise": "It is obligatory that Ann goes.",
            "hypothesis": "Ann may go.",
            "gold": "entailment",
        },
        {
            "id": "b",
            "premise": "Ann must not go.",
            "hypothesis": "It is forbidden for Ann to go.",
            "gold": "entailment",
        },
    ],
}
