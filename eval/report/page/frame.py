"""Words that all reports share (``templates/report/page.yaml``)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from polbias.eval.report.page.numbers import count
from polbias.files import TemplateError
from polbias.locations import package_file


class _Words(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(_Words):
    """An entry of the guide.

    Attributes:
        term: what is explained.
        text: paragraphs.
    """

    term: str
    text: tuple[str, ...]


class Frame(_Words):
    """The words of the page itself, by id.

    Attributes:
        headings: of the parts of the page.
        captions: of the page's own tables and figures.
        notes: sentences below headings, tables and figures.
        labels: of controls and small things.
        counts: of what an estimate rests on, with ``{n}``.
        plurals: one and many, with ``{n}``.
        columns: headings that tables share, by the name of the column.
        guide: how to read the page.
    """

    headings: Mapping[str, str]
    captions: Mapping[str, str]
    notes: Mapping[str, str]
    labels: Mapping[str, str]
    counts: Mapping[str, str]
    plurals: Mapping[str, tuple[str, str]]
    columns: Mapping[str, str]
    guide: Mapping[str, Entry]

    def plural(self, id: str, number: int) -> str:
        """Return a number with what it counts, such as ``3 respondents``.

        Args:
            id: of the pair of words.
            number: how many.
        """
        return self.plurals[id][number != 1].format(n=count(number))


@lru_cache(maxsize=1)
def frame() -> Frame:
    """Return the words of the page.

    Raises:
        TemplateError: if the file is not there or not as it must be.
    """
    path = package_file("templates/report/page.yaml")
    try:
        return Frame.model_validate(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValidationError) as error:
        raise TemplateError(f"{path}: {error}") from None
