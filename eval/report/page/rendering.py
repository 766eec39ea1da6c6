"""From a report to the text of its page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jinja2
from markupsafe import Markup

from polbias.eval.report.document import Comparison, Notice, Report
from polbias.eval.report.labels import Paragraphs
from polbias.eval.report.page.frame import Frame, frame
from polbias.eval.report.page.grids import Grid
from polbias.eval.report.page.notices import Said, said
from polbias.eval.report.page.page import profile, profile_table
from polbias.eval.report.page.parts import part
from polbias.eval.report.page.tables import comparisons_table, respondents_table, sources_table
from polbias.eval.report.page.theme import declarations
from polbias.eval.report.words import Words
from polbias.eval.report.words import words as words_of
from polbias.locations import package_file

_LONG = 16  # letters beyond which a name may be broken
_BREAK = re.compile(r"(?<=[/_])(?=\w)")


def page(report: Report, paragraphs: Paragraphs, words: Callable[[str], Words] = words_of) -> str:
    """Render the page of a report; the same report gives the same bytes.

    Args:
        report: what it says.
        paragraphs: the same in sentences, for those who read no tables.
        words: of an instrument, by its name.

    Returns:
        HTML that opens from a file, needs no network, and works without scripts.

    Raises:
        TemplateError: if the words of an instrument lack a measure, a table or a figure.
    """
    own = frame()
    shared, others = profile(report, words, own)
    first, further = _comparisons(report, words, own)
    context: dict[str, Any] = {
        "report": report,
        "paragraphs": paragraphs,
        "frame": own,
        "notices_all": _notices(report, words),
        "shared": shared,
        "others": others,
        "profile": profile_table(report, words, own),
        "parts": [
            part(section, tuple(paragraphs.by_section.get(section.instrument, ())), words, own)
            for section in report.sections
        ],
        "comparisons": first,
        "other_comparisons": further,
        "respondents": respondents_table(report, own),
        "simulated": any(respondent.simulated for respondent in report.respondents),
        "sources": sources_table(report, own),
        "answers": sum(respondent.answers for respondent in report.respondents),
    }
    return _template().render(context)


def _notices(report: Report, words: Callable[[str], Words]) -> list[Said]:
    """Return what stands at the top: all that concerns the input, and what is serious in any part."""
    of_parts = {notice for section in report.sections for notice in section.notices}
    serious = [
        Notice(f"{words(section.instrument).title}: {notice.where}", notice.found, notice.done, serious=True)
        for section in report.sections
        for notice in section.notices
        if notice.serious
    ]
    return said([*(notice for notice in report.notices if notice not in of_parts), *serious])


def _comparisons(
    report: Report, words: Callable[[str], Words], own: Frame
) -> tuple[Grid | None, Grid | None]:
    """Return comparisons of what stands for an instrument, and those of its parts."""
    whole = {(f.instrument, f.measure, f.key) for f in report.findings if f.headline}

    def grid(id: str, chosen: list[Comparison], key: str) -> Grid | None:
        about = (own.captions[key], own.notes[key])
        return comparisons_table(id, chosen, words, own, about) if chosen else None

    first = [c for c in report.comparisons if (c.instrument, c.measure, c.key) in whole]
    rest = [c for c in report.comparisons if (c.instrument, c.measure, c.key) not in whole]
    return (
        grid("comparisons-table", first, "comparisons"),
        grid("comparisons-of-parts", rest, "other_comparisons"),
    )


@lru_cache(maxsize=1)
def _template() -> jinja2.Template:
    """Return the template with style and script in it, and the policy that lets only these two act."""
    folder = package_file("templates/report/page")
    script = (folder / "page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "style": Markup(declarations() + (folder / "style.css").read_text("utf-8")),
        "script": Markup(script),
        # figures carry style attributes, which no hash can allow
        "policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        f"form-action 'none'; script-src 'sha256-{digest}'",
    }
    environment.filters |= {"drawing": Markup, "breakable": _breakable}
    return environment.get_template("page.html.jinja")


def _breakable(text: str) -> Markup:
    """Return text, escaped; long names of models and tasks may be broken after slashes and low lines."""
    return Markup("<wbr>").join(_BREAK.split(text) if len(text) > _LONG else [text])
