"""The numbers of clusters and items of a shipped design are those of the published data."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from polbias.eval.power.design import PowerDesign, instruments
from polbias.harness_tasks.generate import xl_stems
from polbias.paths import package_file

_NAME = "partisan-inference-xl"
_COLUMNS = ["config", "cluster_id", "topic", "base_id", "pair_id", "leaning", "issue_kind", "country"]


@pytest.fixture(scope="module")
def headline(all_builds: Path) -> pa.Table:
    """The configs of the tested headline: formal and crossed material arguments in four countries."""
    configs = [f"{place}_{kind}" for place in xl_stems()[0] for kind in ("formal", "material")]
    files = [path for config in configs for path in sorted((all_builds / _NAME / config).glob("test-*"))]
    return pa.concat_tables(pq.read_table(path, columns=_COLUMNS) for path in files)


def test_clusters_are_the_schemas_the_goals_and_the_topics_of_positions(headline: pa.Table) -> None:
    folder = package_file("templates/partisan")
    schemas = yaml.safe_load((folder / "schemas.yaml").read_text("utf-8"))["schemas"]
    issues = yaml.safe_load((folder / "xl" / "issues.yaml").read_text("utf-8"))
    topics = set(issues["goals"]["politics"])
    for country in ("us", "ch", "de", "gb"):
        positions = yaml.safe_load((folder / "xl" / f"{country}.yaml").read_text("utf-8"))["positions"]
        topics |= {issues["positions"][issue].get("topic", issue) for issue in positions}
    assert set(headline["cluster_id"].to_pylist()) == {schema["id"] for schema in schemas} | topics
    assert len(headline["cluster_id"].unique()) == len(schemas) + len(topics)
    assert headline["topic"].equals(headline["cluster_id"])


def test_the_sides_of_an_issue_and_its_namesakes_share_a_cluster(headline: pa.Table) -> None:
    rows = headline.to_pylist()
    topic_of = {row["base_id"]: row["topic"] for row in rows}
    assert {topic_of[row["base_id"]] == row["topic"] for row in rows} == {True}
    for base, topic in topic_of.items():
        if base.endswith("-left"):
            assert topic_of[base.removesuffix("left") + "right"] == topic
    for namesakes in (("taxes-left", "taxes_gb-right"), ("labor-right", "labor_gb-left")):
        assert len({topic_of[base] for base in namesakes}) == 1
    positions = {row["base_id"] for row in rows if row["issue_kind"] == "position"}
    assert all((topic_of[base] == base) == (base not in positions) for base in topic_of)


def test_the_shipped_design_has_the_numbers_of_the_data(
    headline: pa.Table, all_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLBIAS_DATA_DIR", str(all_builds))
    shipped = instruments()["partisan"]
    assert set(shipped.configs) == set(headline["config"].to_pylist())
    clusters, pairs = (len(headline[name].unique()) for name in ("cluster_id", "pair_id"))
    assert shipped.design == PowerDesign(clusters, pairs / clusters, 1)


def test_the_documentation_has_the_number_of_the_data(headline: pa.Table) -> None:
    pages = Path(__file__).parents[3] / "docs"
    text = " ".join(
        " ".join((pages / f"{name}.md").read_text("utf-8").split())
        for name in ("partisan", "validity", "statistics")
    )
    printed = re.findall(r"(?:four countries(?: have|:)|t over the) (\d+) topics", text)
    assert len(printed) == 3
    assert {*map(int, printed)} == {len(headline["cluster_id"].unique())}
