"""Auditing normative items: from a file to verdicts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.measure import Line, Measured, Stopwatch, at_least, medians

_COPIES = 5  # of all problems, so that reading the file and judging are what is measured


def run() -> list[Line]:
    """Audit all problems of our own several times, each in a process of its own."""
    found = medians(audit)
    return [
        Line("items in the file", found["items"], "items"),
        at_least("audit of the file, after imports", found["first"], "items/s", 2000),
        Line("the same again, all sentences known", found["again"], "items/s"),
        Line("peak memory", found["peak_mb"], "MB"),
    ]


def audit() -> Measured:
    """Write the problems of the normative dataset to a TSV file and audit it twice."""
    from itertools import product

    from polbias.generators.auditing.audit import Audit
    from polbias.generators.auditing.items import Source
    from polbias.generators.auditing.normative import make
    from polbias.generators.normative.family import DOMAINS, TASKS, load_family
    from polbias.generators.normative.problems import problems

    family, form = load_family(), make(None)
    rows = [
        (problem.premises, problem.hypothesis, problem.known.gold, problem.pattern.id, domain)
        for domain, task in product(DOMAINS, TASKS)
        for problem in problems(family, domain, task)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.tsv"
        lines = ["ID\tpremise_en\thypothesis_en\tgold\tinference-pattern\tmodal"]
        for number, (premises, hypothesis, gold, pattern, domain) in enumerate(rows * _COPIES):
            texts = (" ".join(said.text for said in premises), hypothesis.text)
            lines.append("\t".join((str(number), *texts, gold, pattern, domain)))
        path.write_text("\n".join(lines) + "\n", "utf-8")
        speeds = []
        for _ in range(2):
            with Stopwatch() as watch:
                items = sum(1 for _ in Audit(Source(path, form.layout, {}), form, []))
            speeds.append(items / watch.seconds)
    return {"items": items, "first": speeds[0], "again": speeds[1]}
