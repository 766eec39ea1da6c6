"""A console on which no text can control the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rich.console
from rich.segment import Segment
from rich.text import Text

from polbias.safe_text import make_displayable


class Console(rich.console.Console):
    """Rich console that escapes control characters of texts and hides the secrets of this run.

    Colours and cursor movements of rich itself are unchanged.
    """

    def render_str(self, text: str, **kwargs: Any) -> Text:
        """Render a string, escaped before it is measured, as escapes are wider."""
        return super().render_str(make_displayable(text), **kwargs)

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of a renderable, with safe texts."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(make_displayable(text), style)
