"""Claims from files of every kind, sound and damaged; the draw per keyword."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polbias.errors import InputError
from polbias.generators.authoring.claims import (
    Claim,
    Claims,
    Label,
    limit_per_keyword,
    read_claims,
    read_hub_claims,
)
from polbias.generators.xphemism.matching import Matcher
from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

ROWS = [("a", "Der Streik begann im Mai.", "true"), ("b", "Die Steuern sinken über Nacht.", "false")]


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def read(
    path: Path,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, Label] | None = None,
) -> Claims:
    return read_claims(path, columns or {}, labels or {})


def csv_text(separator: str = ",") -> str:
    return "\n".join(separator.join(row) for row in [("claim_id", "claim", "gold"), *ROWS]) + "\n"


def problems(claims: Claims) -> list[tuple[int, str | None]]:
    """Return line and field of every problem."""
    return [
        (int(each.location.rpartition(":")[2]), each.code.removeprefix("field ").strip("'") or None)
        for each in claims.problems
    ]


def check(claims: Claims) -> None:
    assert [(claim.claim_id, claim.text, claim.gold) for claim in claims.claims] == ROWS
    assert claims.problems == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize(("name", "separator"), [("c.csv", ","), ("c.csv", ";"), ("c.tsv", "\t")])
def test_delimited(tmp_path: Path, name: str, separator: str, encoding: str) -> None:
    check(read(write(tmp_path / name, csv_text(separator), encoding)))
    check(read(write(tmp_path / name, csv_text(separator).replace("\n", "\r\n"), encoding)))


def test_json_lines_and_parquet(tmp_path: Path) -> None:
    objects = [{"claim_id": name, "claim": text, "gold": gold == "true"} for name, text, gold in ROWS]
    check(read(write(tmp_path / "c.jsonl", "\n".join(map(json.dumps, objects)))))
    pq.write_table(pa.Table.from_pylist(objects), tmp_path / "c.parquet")
    check(read(tmp_path / "c.parquet"))


def test_hub_dataset_with_label_names(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["wahr", "falsch"])}
    )
    texts = [*(text for _, text, _ in ROWS), "Ohne Urteil.", "Nichts.", None]
    data = datasets.Dataset.from_dict({"text": texts, "label": [0, 1, -1, None, 0]}, features=features)
    data.to_parquet(tmp_path / "train.parquet")
    claims = read_hub_claims(str(tmp_path), None, "train", {}, {})
    assert [
        (each.location.rpartition(":")[2], each.detail.partition(",")[0]) for each in claims.problems
    ] == [
        ("3", "found -1"),
        ("4", "found None"),
        ("5", "found None"),
    ]
    assert [(claim.text, claim.gold, claim.row) for claim in claims.claims] == [
        (ROWS[0][1], "true", 1),
        (ROWS[1][1], "false", 2),
    ]
    with pytest.raises(InputError, match="cannot be loaded"):
        read_hub_claims(str(tmp_path), None, "nowhere", {}, {})


@pytest.mark.parametrize(("encoding", "line"), [("utf-16", 1), ("cp1252", 3)])
def test_a_wrong_encoding_is_refused_by_file_and_line(tmp_path: Path, encoding: str, line: int) -> None:
    path = write(tmp_path / "c.csv", csv_text(), encoding)
    with pytest.raises(InputError, match=rf"{path}:{line}: .*save it as UTF-8, e\.g\. `iconv"):
        read(path)


def test_a_lost_character_is_a_problem_of_its_row(tmp_path: Path) -> None:
    text = csv_text().encode("cp1252").decode("utf-8", "replace")
    claims = read(write(tmp_path / "c.csv", text))
    assert [claim.claim_id for claim in claims.claims] == ["a"]
    assert problems(claims) == [(3, "claim")]
    assert str(claims.problems[0]).startswith(
        "c.csv:3: field 'claim': found a lost character at position 20, expected"
    )


def test_misread_letters(tmp_path: Path) -> None:
    text = csv_text().encode().decode("cp1252")
    assert problems(read(write(tmp_path / "c.csv", text))) == [(3, "claim")]


def test_own_columns_and_labels(tmp_path: Path) -> None:
    text = "Nr;Satz;Urteil\n1;Der Streik begann.;eher wahr\n2;Die Steuern sinken.;Pinocchio\n3;Es regnet.;offen\n4;Es schneit.;?\n"
    path = write(tmp_path / "c.csv", text)
    claims = read(
        path,
        columns={"claim": "Satz", "gold": "Urteil", "claim_id": "Nr"},
        labels={"Eher wahr": "true", "pinocchio": "false", "offen": "skip"},
    )
    assert [(claim.claim_id, claim.gold) for claim in claims.claims] == [("1", "true"), ("2", "false")]
    assert problems(claims) == [(5, "Urteil")]
    with pytest.raises(InputError, match="no such column"):
        read(path, columns={"claim": "Text", "gold": "Urteil"})
    with pytest.raises(InputError, match="expected also claim"):
        read(path)
    with pytest.raises(InputError, match="labels: found 'maybe'"):
        read(path, columns={"claim": "Satz", "gold": "Urteil"}, labels={"offen": "maybe"})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("gold", "spellings"),
    [
        (
            "true",
            [
                "true",
                "TRUE",
                "True ",
                "t",
                "1",
                "1.0",
                "yes",
                "wahr",
                "Wahr",
                "WAHR.",
                "richtig",
                "ja",
                "stimmt",
            ],
        ),
        ("false", ["false", "False", "f", "0", "0.0", "no", "falsch", "FALSCH!", "unwahr", "nein", "fake"]),
    ],
)
def test_spellings_of_labels(tmp_path: Path, gold: str, spellings: list[str]) -> None:
    rows = "".join(f"Satz Nummer {i}.,{spelling}\n" for i, spelling in enumerate(spellings))
    claims = read(write(tmp_path / "c.csv", "claim,gold\n" + rows))
    assert {claim.gold for claim in claims.claims} == {gold}
    assert len(claims.claims) == len(spellings)


def test_damaged_rows_leave_the_rest(tmp_path: Path) -> None:
    rows = [
        "claim_id,claim,gold",
        "a,Gut.,true",
        "b,zu kurz",
        "c,zu,lang,true",
        "d,,true",
        "e,Kein Urteil.,",
        "f,Seltsames Urteil.,vielleicht",
        "",
        f"g,{'Wort ' * 101},true",
        f"h,{'x' * (1 << 21)},true",
        "a,Schon da.,true",
        "i,Gut.,true",
        "j,Halb wahr.,true",
        "k,halb  WAHR.,false",
        f"l,{'Wort ' * 100},false",
    ]
    claims = read(write(tmp_path / "c.csv", "\n".join(rows)))
    assert [claim.claim_id for claim in claims.claims] == ["a", "l"]
    expected = [(3, None), (4, None), (5, "claim"), (6, "gold"), (7, "gold"), (9, "claim"), (10, None)]
    expected += [(11, "claim_id"), (12, "claim"), (13, "gold"), (14, "gold")]
    assert problems(claims) == expected
    assert all(
        any(said in problem.detail for said in ("expected", "more than", "excluded"))
        for problem in claims.problems
    )


def test_a_claim_of_one_endless_word_or_half_a_character_is_left_out(tmp_path: Path) -> None:
    claims = [{"claim": text, "gold": "true"} for text in ("x" * 10_001, "Halb \ud83d.", "Gut.")]
    path = write(tmp_path / "c.jsonl", "".join(json.dumps(claim) + "\n" for claim in claims))
    found = read(path)
    assert [claim.text for claim in found.claims] == ["Gut."]
    assert [problem.detail for problem in found.problems] == [
        "found 10,001 characters, expected at most 10,000",
        "found a lost character at position 6, expected text in UTF-8",
    ]


def test_ids_are_made_from_the_text(tmp_path: Path) -> None:
    first = read(write(tmp_path / "c.csv", "claim,gold\nEins.,1\nZwei.,0\n")).claims
    second = read(write(tmp_path / "c.csv", "gold,claim\n0,Zwei.\n1,Eins.\n")).claims
    assert {claim.claim_id: claim.text for claim in first} == {claim.claim_id: claim.text for claim in second}
    assert len({claim.claim_id for claim in first}) == 2


@pytest.mark.parametrize("text", ["", "\n\n", "claim\n", '{"claim": 1}\n'])
def test_unusable_files(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read(write(tmp_path / "c.csv", text))
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "none.csv")


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "c.csv"
    path.write_bytes(b"claim,gold\n" + data)
    try:
        claims = read(path)
    except InputError:
        return
    assert all(claim.text.strip() and "\ufffd" not in claim.text for claim in claims.claims)


def many() -> list[Claim]:
    golds = ("true", "false")
    return [
        Claim(f"c{number:03}", f"Im Jahr {1900 + number} gab es {word}.", golds[number % 2], "c.csv", number)  # type: ignore[arg-type]
        for number, word in enumerate(["einen Streik", "keine Steuern", "nichts", "„Streik“"] * 20)
    ]


def test_limit_per_keyword() -> None:
    matcher = Matcher(load_lexicon(), ["Streik", "Steuer"])
    drawn = limit_per_keyword(many(), matcher, 1, 5)
    assert not any("„" in claim.text for _, claim in drawn)
    assert Counter((word, claim.gold) for word, claim in drawn) == {
        ("Streik", "true"): 5,
        ("Steuer", "false"): 5,
    }


def test_the_draw_depends_on_seed_and_not_on_order() -> None:
    matcher = Matcher(load_lexicon(), ["Streik", "Steuer"])
    shuffled = many()
    random.Random(3).shuffle(shuffled)
    first = limit_per_keyword(many(), matcher, 1, 5)
    assert limit_per_keyword(shuffled, matcher, 1, 5) == first
    assert limit_per_keyword(many(), matcher, 2, 5) != first
    two = limit_per_keyword(many(), matcher, 1, 2)
    assert two == [each for each in first if each in two]
