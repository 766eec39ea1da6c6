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
    """Renderer of the Jinja texts of one template file, in a sandbox; unknown names are errors.

    Args:
        path: file of the texts, for messages.
        functions: functions that the texts may call, by name.
    """

    def __init__(self, path: Path, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.path = path
        self._environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
        # Functions are variables, not globals: Jinja copies its globals for every render.
        self._environment.globals = {}
        self._functions = dict(functions)
        self._compile = cache(self._environment.from_string)

    def render(self, field: str, text: str, values: Document) -> str:
        """Render the text of a field with values for its placeholders."""
        try:
            return self._compile(text).render(self._functions | dict(values))
        except jinja2.exceptions.SecurityError as error:
            raise TemplateError(
                f"{display_path(self.path)}: {field}: not allowed in a template ({error})"
            ) from None
        except Exception as error:  # a text can make Jinja and our functions raise anything
            names = ", ".join(sorted({*values, *self._functions}))
            raise TemplateError(
                f"{display_path(self.path)}: {field}: cannot be rendered ({error_text(error)}) in "
                f"{shorten(text)}; it may use: {names}"
            ) from None
