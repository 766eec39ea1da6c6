"""Texts with placeholders, rendered in Jinja's sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.sandbox

from polbias.aliases import Document
from polbias.errors import TemplateError
from polbias.yaml_models import display_path, error_text, shorten


class TemplateRenderer:
    """Jinja texts of one template file, rendered in a sandbox; unknown names are errors.

    Args:
        path: the file the texts come from, for messages.
        functions: what the texts may call.
    """

    def __init__(self, path: Path, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.path = path
        self._environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
        # As variables rather than globals: Jinja copies its globals for every render.
        self._environment.globals = {}
        self._functions = dict(functions)
        self._compile = cache(self._environment.from_string)

    def render(self, field: str, text: str, slots: Document) -> str:
        """Render one text."""
        try:
            return self._compile(text).render(self._functions | dict(slots))
        except jinja2.exceptions.SecurityError as error:
            raise TemplateError(
                f"{display_path(self.path)}: {field}: not allowed in a template ({error})"
            ) from None
        except Exception as error:  # a text can make Jinja and our functions raise anything
            known = ", ".join(sorted({*slots, *self._functions}))
            raise TemplateError(
                f"{display_path(self.path)}: {field}: cannot be rendered ({error_text(error)}) in "
                f"{shorten(text)}; it may use: {known}"
            ) from None
