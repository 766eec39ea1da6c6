"""Columns find their roles under the names that published files give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polbias.errors import InputError
from polbias.generators.table_files import ColumnRole, resolve_columns

ROLES = (
    ColumnRole("premise", ("premise_en", "premises"), required=True),
    ColumnRole("gold", ("label",), required=True),
    ColumnRole("content_type", ("content-type",)),
)
PATH = Path("items.tsv")


def test_names_of_published_files_are_known() -> None:
    found = resolve_columns(["ID", "Premise_EN", "LABEL", "content type"], ROLES, {}, PATH)
    assert found == {"premise": "Premise_EN", "gold": "LABEL", "content_type": "content type"}


def test_the_likelier_name_wins() -> None:
    assert resolve_columns(["premises", "premise_en", "gold"], ROLES, {}, PATH)["premise"] == "premise_en"


def test_the_user_decides() -> None:
    found = resolve_columns(["premise", "text_a", "gold"], ROLES, {"premise": "text_a"}, PATH)
    assert found == {"premise": "text_a", "gold": "gold"}


def test_optional_columns_may_be_missing() -> None:
    assert resolve_columns(["premise", "gold"], ROLES, {}, PATH) == {"premise": "premise", "gold": "gold"}


@pytest.mark.parametrize(
    ("columns", "chosen", "told"),
    [
        (
            ["text", "gold"],
            {},
            "found the columns 'text', 'gold', expected also premise (premise, premise_en, ",
        ),
        (["text", "gold"], {}, "name the column with --column premise=NAME"),
        (
            ["premise", "gold"],
            {"premise": "text"},
            "--column premise=text: no such column; found the columns",
        ),
        (
            ["premise", "gold"],
            {"premises": "premise"},
            "no role 'premises'; there are: premise, gold, content",
        ),
        (["premise", "gold", "GOLD"], {}, "found the columns 'gold' and 'GOLD', expected one of them"),
        (["premise", "gold", "gold"], {"gold": "gold"}, "found the columns 'gold' and 'gold'"),
    ],
)
def test_what_does_not_fit_is_named(columns: list[str], chosen: dict[str, str], told: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve_columns(columns, ROLES, chosen, PATH)
    assert told in str(caught.value)


def test_a_chosen_column_need_not_be_the_only_one_of_its_name() -> None:
    assert resolve_columns(["premise", "gold", "GOLD"], ROLES, {"gold": "GOLD"}, PATH)["gold"] == "GOLD"
