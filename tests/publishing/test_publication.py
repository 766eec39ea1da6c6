"""A dataset whose publication, card and column meanings come from another package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pyarrow.parquet as pq
import pytest

from polbias import registry
from polbias.errors import TemplateError
from polbias.generators.engine import Constant, DatasetSpec
from polbias.generators.engine.publication import Publication
from polbias.generators.engine.table_columns import Factors, make_dataset_spec, table
from polbias.publishing.card import build
from polbias.yaml_models import Identity
from tests.support.process import run_python

_TOY = Identity(name="toy", version="1.0.0", canary="toy-canary")
_COLUMNS = "toy:\n  shade: how light it is\n  colour: what it is like\n"
_CARD = """{% set pretty_name = title %}{% set license = "mit" %}
{%- include "_partials/metadata.md.jinja" %}
{{ said }}
load_dataset("{{ namespace }}/toy")
{% include "_partials/columns.md.jinja" %}
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publication:
    cards = tmp_path / "cards"
    cards.mkdir()
    (cards / "columns.yaml").write_text(_COLUMNS)
    (cards / "toy.md.jinja").write_text(_CARD)

    def specify(templates: Path | None = None) -> DatasetSpec:
        over = Factors({"colour": ("red", "blue")}).lookup
        columns = {
            "colour": over("colour", str),
            "shade": Constant(value="light"),
            "id": over("colour", lambda name: f"plain/{name}"),
            "prompt": over("colour", lambda name: f"Is {name} a colour?"),
            "proof": Constant(value="annotated"),
        }
        return make_dataset_spec(
            _TOY, [table(_TOY, "plain", {"colour": ("red", "blue")}, columns, cards=cards)]
        )

    made = Publication("Toys", specify, lambda *_: {"languages": ["en"], "said": "Of toys."}, cards=cards)
    monkeypatch.setattr(registry, "publication", lambda name: made)
    return made


def test_its_columns_stand_in_the_order_of_its_own_file_and_its_card_is_its_own(
    toy: Publication, tmp_path: Path
) -> None:
    built = build("toy", tmp_path)
    names = pq.read_schema(next(built.folder.rglob("*.parquet"))).names
    assert names[:2] == ["id", "dataset"]
    assert names[-4:] == ["source", "shade", "colour", "canary"]
    row = pq.read_table(next(built.folder.rglob("*.parquet"))).to_pylist()[1]
    assert (row["id"], row["dataset"], row["gold"], row["messages"]) == ("plain/blue", "toy", None, None)
    card = (built.folder / "README.md").read_text("utf-8")
    assert "pretty_name: Toys" in card
    assert "Of toys." in card
    assert "| `colour` | string | what it is like |" in card
    assert "| `gold` | string | the right label |" in card


def test_card_loads_from_the_namespace_of_the_user(
    toy: Publication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POLBIAS_NAMESPACE", raising=False)
    assert 'load_dataset("polbias/toy")' in (build("toy", tmp_path).folder / "README.md").read_text("utf-8")
    monkeypatch.setenv("POLBIAS_NAMESPACE", "alice")
    rebuilt = build("toy", tmp_path)
    assert (rebuilt.changed, rebuilt.n_written) == (True, 0)
    assert 'load_dataset("alice/toy")' in (rebuilt.folder / "README.md").read_text("utf-8")


def test_a_column_without_a_meaning_is_named_with_the_file(toy: Publication, tmp_path: Path) -> None:
    (tmp_path / "cards" / "columns.yaml").write_text("toy:\n  shade: how light it is\n")
    with pytest.raises(
        TemplateError, match=r"cards/columns.yaml: found no meaning for the columns \['colour'\]"
    ):
        toy.build_spec()


def test_publications_do_not_import_what_proves_their_builds() -> None:
    code = """
        import sys
        from polbias import registry
        made = [registry.publication(name) for name in registry.dataset_names()]
        proofs = [each.verify_gold for each in made if each.verify_gold]
        provers = ("partisan.reader", "partisan.gold_verification", "normative.reading", "normative.gold_verification")
        names = tuple(f"polbias.generators.{name}" for name in provers)
        assert [name for name in sys.modules if name.startswith(names)] == []
        assert len(proofs) == 4 and all(map(callable, proofs))
    """
    run_python(["-c", dedent(code)])


def test_what_was_made_of_the_same_inputs_is_neither_read_nor_proved_again(
    toy: Publication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path | None] = []

    def specify(templates: Path | None = None) -> DatasetSpec:
        asked.append(templates)
        return toy.build_spec(templates)

    made = replace(toy, build_spec=specify)
    monkeypatch.setattr(registry, "publication", lambda name: made)
    first = build("toy", tmp_path)
    again = build("toy", tmp_path)
    assert (len(asked), again.changed, again.manifest) == (1, False, first.manifest)

    def reasons() -> Iterator[Path]:
        yield tmp_path / "cards" / "toy.md.jinja"
        yield first.folder / "README.md"
        yield next(first.folder.rglob("*.parquet"))

    for number, path in enumerate(reasons(), 2):
        path.write_bytes(path.read_bytes() + b"\n")
        build("toy", tmp_path)
        assert len(asked) == number
        build("toy", tmp_path)
        assert len(asked) == number


def test_a_dataset_without_a_template_can_be_loaded_and_cited(
    toy: Publication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cards" / "toy.md.jinja").unlink()
    monkeypatch.setenv("POLBIAS_NAMESPACE", "alice")
    card = (build("toy", tmp_path).folder / "README.md").read_text("utf-8")
    assert 'load_dataset("alice/toy", "plain", revision="v1.0.0"' in card
    [bibtex] = re.findall(r"(?s)```bibtex\n(.*?)```", card)
    assert re.findall(r"@\w+\{(\w+),", bibtex) == ["polbias"]
    assert bibtex.count("{") == bibtex.count("}")
    assert "annotations_creators" not in card
