"""The prompt grid and the tables: rows, order of labels, pairs, columns, bad templates."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from polbias.errors import TemplateError
from polbias.generators.engine import TableRows
from polbias.generators.engine.table_columns import column_meanings
from polbias.generators.policy.prompts import PromptGrid
from polbias.generators.policy.tables import dataset
from polbias.generators.policy.templates import VARIANTS, load_family
from polbias.jinja_texts import TemplateRenderer
from polbias.paths import package_file

NATIVE = {
    "de_native": "de",
    "at_native": "de",
    "ch_native": "de",
    "fr_native": "fr",
    "it_native": "it",
    "es_native": "es",
}


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    found = {}
    for spec in dataset().tables:
        rows = TableRows(spec)
        found[spec.config] = pa.Table.from_batches(rows.batches(0, len(rows)), rows.schema)
    return found


def test_rows(tables: dict[str, pa.Table]) -> None:
    countries = dict.fromkeys(("de", "at", "ch", "fr", "it", "es", "pl", "nl"), 30 * 6 * 12)
    native = dict.fromkeys(NATIVE, 30 * 6 * 12)
    texts = 240 * 6 + 180 * 6
    assert {name: table.num_rows for name, table in tables.items()} == {
        "all": 17280,
        **countries,
        **native,
        "statements": texts,
    }


def test_all_is_the_countries_in_order(tables: dict[str, pa.Table]) -> None:
    countries = [name for name in tables if name not in ("all", "statements", *NATIVE)]
    prompts = [prompt for name in countries for prompt in tables[name]["prompt"].to_pylist()]
    assert tables["all"]["prompt"].to_pylist() == prompts


@pytest.mark.parametrize("config", ["all", *NATIVE])
def test_both_labels_stand_in_every_prompt_in_their_order(tables: dict[str, pa.Table], config: str) -> None:
    for row in tables[config].slice(0, 2160).to_pylist():
        agree, disagree = row["label_agree"], row["label_disagree"]
        instruction = row["messages"][0]["content"]
        # "d'accord" stands in "pas d'accord", too
        places = [re.search(rf"(?<!\w)(?<!pas ){label}(?!\w)", instruction) for label in (agree, disagree)]
        assert all(places), instruction
        assert (places[0].start() < places[1].start()) == (row["label_order"] == "as-printed")
        assert row["messages"][1] == {"role": "user", "content": row["statement"]}
        assert row["prompt"] == f"{instruction}\n\n{row['statement']}"


def test_pairs_differ_in_the_order_of_labels_only(tables: dict[str, pa.Table]) -> None:
    rows = tables["nl"].to_pylist()
    assert set(Counter(row["pair_id"] for row in rows).values()) == {2}
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert first["pair_id"] == second["pair_id"]
        assert {first["label_order"], second["label_order"]} == {"as-printed", "inverted"}
        assert first["statement"] == second["statement"]


def test_the_first_rows_have_all_variants(tables: dict[str, pa.Table]) -> None:
    assert [row["variant"] for row in tables["all"].slice(0, 12).to_pylist()][::2] == list(VARIANTS)


def test_columns_are_documented(tables: dict[str, pa.Table]) -> None:
    names = {name for table in tables.values() for name in table.column_names}
    assert names == {*column_meanings("policy-statements", ())}


def test_configs_have_the_same_columns_in_the_same_order_and_none_is_always_null(
    tables: dict[str, pa.Table],
) -> None:
    first, *others = (table.schema for table in tables.values())
    assert all(schema.equals(first) for schema in others)
    filled = {
        name
        for table in tables.values()
        for name in table.column_names
        if table[name].null_count < len(table)
    }
    assert filled == {*first.names}


def test_the_side_is_of_the_text_and_turns_with_its_claim(tables: dict[str, pa.Table]) -> None:
    side_of = {each.id: each.side for file in load_family().countries.values() for each in file.statements}
    turned = {"left": "right", "right": "left", None: None}
    for config in ("all", "statements"):
        for row in tables[config].to_pylist():
            side = side_of[row["statement_id"]]
            assert row["side"] == (turned[side] if row["variant"] in ("negation", "opposite") else side)


def test_ids_are_unique_and_texts_stand_once(tables: dict[str, pa.Table]) -> None:
    for table in tables.values():
        assert len(set(table["id"].to_pylist())) == table.num_rows
    texts = Counter(
        zip(
            tables["statements"]["language"].to_pylist(),
            tables["statements"]["statement"].to_pylist(),
            strict=True,
        )
    )
    assert texts.most_common(1)[0][1] == 1


@pytest.mark.parametrize(("config", "language"), NATIVE.items())
def test_a_native_config_is_the_english_one_in_another_language(
    tables: dict[str, pa.Table], config: str, language: str
) -> None:
    english = tables[config.removesuffix("_native")]
    native = tables[config]
    translated = {
        "config",
        "id",
        "prompt",
        "messages",
        "pair_id",
        "language",
        "statement",
        "label_agree",
        "label_disagree",
        "source",
    }
    for name in {*native.column_names} - translated:
        assert native[name].equals(english[name]), name
    assert {*native["language"].to_pylist()} == {language}
    assert {*native["prompt"].to_pylist()}.isdisjoint(english["prompt"].to_pylist())
    statements = tables["statements"].to_pylist()
    text = {
        (row["statement_id"], row["variant"]): row["statement"]
        for row in statements
        if row["language"] == language
    }
    for row in native.to_pylist():
        assert row["statement"] == text[row["statement_id"], row["variant"]]


def test_a_label_means_the_same_side_in_every_instruction_of_a_language(tables: dict[str, pa.Table]) -> None:
    for config in NATIVE:
        labels = {name: {*tables[config][f"label_{name}"].to_pylist()} for name in ("agree", "disagree")}
        assert [len(names) for names in labels.values()] == [3, 3]
        assert labels["agree"].isdisjoint(labels["disagree"])


def test_swiss_statements_get_no_sharp_s(tables: dict[str, pa.Table]) -> None:
    assert not any("ß" in prompt for prompt in tables["ch_native"]["prompt"].to_pylist())


def test_the_wrapper_of_the_paper() -> None:
    family = load_family()
    slots = {"instruction": PromptGrid(family).instruction("p1-agree", "inverted"), "statement": "S."}
    prompt = TemplateRenderer(family.folder / "instructions.yaml", {}).render(
        "paper", family.instructions.paper, slots
    )
    assert prompt.startswith("<s>[INST] <<SYS>>Do you disagree or agree with the opinion")
    assert prompt.endswith(" <</SYS>>S. [/INST]")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "instructions.yaml",
            "{{ first }} or {{ second }}",
            "agree or {{ second }}",
            "instructions.0.text: expected '{{ first }}' once",
        ),
        (
            "instructions.yaml",
            "inverted: [disagree, agree]",
            "inverted: [agree, disagree]",
            "orders: expected both orders",
        ),
        ("instructions.yaml", "\\n\\n{{ statement }}", "", "prompt: expected one place"),
        ("instructions.yaml", "disagree: harmful", "disagree: beneficial", "instructions.1.disagree"),
        (
            "instructions.native.yaml",
            "disagree: nuisible",
            "disagree: bénéfique",
            "fr.p2-beneficial.disagree",
        ),
        (
            "instructions.native.yaml",
            "oder „{{ second }}“?",
            "?",
            "de.p1-agree.text: expected '{{ second }}' once",
        ),
        (
            "instructions.native.yaml",
            "    p1-agree:\n      agree: stimme zu",
            "    p9-agree:\n      agree: stimme zu",
            "languages.de: found p9-agree, p2-beneficial",
        ),
        (
            "instructions.native.yaml",
            "  es:\n",
            "  en:\n",
            "languages: found de, fr, it, en, expected es as well",
        ),
        ("dataset.yaml", "  it: it\n", "  it: fr\n", "native.it: found 'fr', expected it"),
        ("dataset.yaml", "  it: it\n", "  pl: it\n", "native.pl: found 'it', expected no entry"),
        (
            "dataset.yaml",
            "  it: it\n",
            "  uk: it\n",
            "native.uk: found 'uk', expected one of the countries de,",
        ),
        ("content_rules.yaml", "law_and_order: 1", "law_and_order: 2", "law_and_order"),
        (
            "statements/nl.yaml",
            "demands: eu-majority-decisions",
            "rejects: decisions",
            "rejects: found 'decisions'",
        ),
        ("statements/nl.yaml", "demands:", "issues: {}\n    demands:", "expected one of demands"),
        ("statements/nl.yaml", "type: contrary", "type: contrarian", "opposite.type"),
        ("statements/nl.yaml", "id: nl-02", "id: pl-02", "statements"),
        (
            "statements/nl.yaml",
            "side: left",
            "side: right",
            "side: found 'right', expected 'left' or no side by ",
        ),
        (
            "statements/nl.yaml",
            "demands: asylum-seekers-at-work",
            "demands: asylum-seekers-at-work\n    side: right",
            "side: found 'right', expected no side by restrictive_migration_policy -1",
        ),
    ],
)
def test_bad_templates_end_in_one_message(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    folder = Path(shutil.copytree(package_file("templates/policy"), tmp_path / "policy"))
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    if old.startswith("id: nl-02"):
        first = re.search(r"id: (pl-02\S*)", (folder / "statements/pl.yaml").read_text("utf-8"))[1]
        path.write_text(re.sub(r"id: nl-02\S*", f"id: {first}", text, count=1), "utf-8")
    else:
        path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(TemplateError, match=re.escape(message)) as caught:
        dataset(folder)
    assert Path(file).name in str(caught.value)
