"""A console on which no text commands the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rich.console
from rich.segment import Segment
from rich.text import Text

from polbias.safe_text import showable


class Console(rich.console.Console):
    """A console of rich that shows the control characters of texts, and hides the secrets of this run.

    Colours and movements of the cursor are those of rich.
    """

    def render_str(self, text: str, **kwargs: Any) -> Text:
        """Render a string before it is measured, as what is escaped is wider."""
        return super().render_str(showable(text), **kwargs)

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render anything."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(showable(text), style)
