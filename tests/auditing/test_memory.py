"""Memory is a small multiple of the file's size, whatever its lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.process import run_python

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
_LIMIT = 150 << 20  # bytes; the interpreter with all that is imported needs about 110 MB
_AUDIT = r"""
    import json, re, sys
    from pathlib import Path
    from polbias.generators.auditing.audit import Audit
    from polbias.generators.auditing.items import ItemVerdict
    from polbias.generators.auditing.report import FlaggedItems
    from polbias.generators.auditing.items import ItemSource
    from polbias.generators.auditing.report import Summary
    from polbias.generators.auditing.report import ReportFiles
    from tests.auditing.support import LAYOUT, Notation

    class Quick(Notation):
        def judge(self, item, neighbours=()):
            return ItemVerdict("contradicted", reading=item.sentences[0], findings=("other-pattern",))

    path = Path(sys.argv[1])
    source, summary, gallery = ItemSource(path, LAYOUT, {}), Summary(LAYOUT), FlaggedItems()
    with ReportFiles([path.with_name("out.json")], source.files, Quick()) as reports:
        for item in Audit(source, Quick()):
            summary.add(item)
            gallery.add(item)
            reports.add(item)
        reports.finish(path, summary)
    # Not ru_maxrss: it begins with that of the process that started this one.
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) << 10
    print(json.dumps({"items": summary.items, "peak": peak, "findings": summary.findings}))
"""


def _audited(path: Path) -> dict[str, object]:
    done = run_python(["-c", __import__("textwrap").dedent(_AUDIT), str(path)])
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("kind", ["tsv", "parquet"])
def test_a_large_file(tmp_path: Path, kind: str) -> None:
    rows, repeats = {"tsv": (2_100, 600), "parquet": (30_000, 40)}[kind]
    filler = "the quick brown fox jumps over the lazy dog and " * repeats
    path = tmp_path / f"large.{kind}"
    if kind == "tsv":
        with path.open("w", encoding="utf-8") as file:
            file.write("id\tpremise\thypothesis\tgold\tpattern\n")
            for number in range(rows):
                file.write(f"{number}\t{filler}{number // 2}\tnothing\tentailment\tp\n")
        assert path.stat().st_size > 55 << 20
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {
            "id": [str(number) for number in range(rows)],
            "premise": [f"{filler}{number // 2}" for number in range(rows)],
            "hypothesis": ["nothing"] * rows,
            "gold": ["entailment"] * rows,
        }
        # One row group, without compression or dictionary: the worst case.
        pq.write_table(pa.table(columns), path, row_group_size=rows, use_dictionary=False, compression="none")
    found = _audited(path)
    assert found["items"] == rows
    assert found["findings"]["duplicate-item"] == rows // 2  # type: ignore[index]
    limit = _LIMIT + {"tsv": 1, "parquet": 3}[kind] * path.stat().st_size
    assert found["peak"] < limit, f"{found['peak']:,} bytes"  # type: ignore[operator]


def test_a_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "line.tsv"
    with path.open("w", encoding="utf-8") as file:
        file.write("id\tpremise\thypothesis\tgold\n1\tA\tB\tentailment\n2\t")
        for _ in range(100):
            file.write("ü" * (1 << 19))
        file.write("\n3\tA\tC\tentailment\n")
    assert path.stat().st_size > 100 << 20
    found = _audited(path)
    assert (found["items"], found["findings"]) == (3, {"other-pattern": 2, "malformed-row": 1})
    assert found["peak"] < _LIMIT, f"{found['peak']:,} bytes"  # type: ignore[operator]
