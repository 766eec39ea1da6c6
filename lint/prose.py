"""Names and prose of Python and Markdown files, with their line numbers."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

_SKIPPED_MARKDOWN = re.compile(r"```.*?```|<!--.*?-->|^#+ .*?$", re.DOTALL | re.MULTILINE)
"""Code, comments, and headings: a heading may be a question."""
_DOCTEST = re.compile(r"^[ \t]*(>>>|\.\.\.) .*$", re.MULTILINE)
_CODE_OR_QUOTE = re.compile(r'``.+?``|`[^`]+`|\]\([^)\n]*\)|"[^"]{1,60}"|“[^”]{1,60}”', re.DOTALL)
_DIRECTIVE = re.compile(r"type:|noqa|pragma|SPDX|ruff|fmt|mypy|pylint")
_PASSAGE_BREAK = re.compile(r"\n\s*\n|\n\s*(?:[-*|]|\d+\.|\*{0,2}\w+:)\s")
"""Separator of paragraphs, list items, table rows and entries of an Args section."""


class Name(NamedTuple):
    """A name that a Python file defines, with its line number."""

    text: str
    line: int
    is_function: bool


class Passage(NamedTuple):
    """A paragraph, list item, comment or message, with the number of its first line."""

    text: str
    line: int

    def without_code(self) -> str:
        """Return the text with code, links and quotations replaced by placeholders; line breaks are kept."""
        text = re.sub(r"[ \t]*\n[ \t]*", "\n", self.text)
        return _CODE_OR_QUOTE.sub(
            lambda match: ("]" if match[0][0] == "]" else "CODE") + _keep_line_breaks(match), text
        )


def iter_names(tree: ast.AST) -> Iterator[Name]:
    """Yield the names of variables, arguments, fields, classes and functions.

    Starred targets (`*rest`) and variables that are assigned True or False are idioms and skipped.
    """
    skipped: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Starred(value=target):
                skipped.add(id(target))
            case ast.Assign(targets=targets, value=ast.Constant(value=bool())):
                skipped.update(map(id, targets))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield Name(name, node.lineno, True)
            case ast.arg(arg=name) | ast.ClassDef(name=name):
                yield Name(name, node.lineno, False)
            case ast.Name(id=name, ctx=ast.Store()) if id(node) not in skipped:
                yield Name(name, node.lineno, False)
            case ast.Attribute(attr=name, ctx=ast.Store(), value=ast.Name(id="self")) if (
                id(node) not in skipped
            ):
                yield Name(name, node.lineno, False)


def iter_python_prose(text: str, tree: ast.AST) -> Iterator[Passage]:
    """Yield the docstrings, help texts, messages of raised errors and comments of a Python file."""
    visited: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if docstring := ast.get_docstring(node, clean=False):
                    yield from _split(_DOCTEST.sub(_keep_line_breaks, docstring), node.body[0].lineno)
            case ast.keyword(arg="help", value=value) | ast.Raise(exc=ast.expr() as value):
                yield from _iter_strings(value, visited)
    yield from _iter_comments(text)


def iter_markdown_prose(text: str) -> Iterator[Passage]:
    """Yield paragraphs, list items and table rows, without code blocks, comments and headings."""
    return _split(_SKIPPED_MARKDOWN.sub(_keep_line_breaks, text), 1)


def _iter_strings(expression: ast.expr, visited: set[int]) -> Iterator[Passage]:
    for node in ast.walk(expression):
        if id(node) not in visited:
            match node:
                case ast.JoinedStr(values=parts):
                    visited.update(map(id, parts))
                    texts = (str(part.value) if isinstance(part, ast.Constant) else "VALUE" for part in parts)
                    yield Passage("".join(texts), node.lineno)
                case ast.Constant(value=str(text)):
                    yield Passage(text, node.lineno)
            visited.add(id(node))


def _iter_comments(text: str) -> Iterator[Passage]:
    """Yield the comments; consecutive comment-only lines are one passage."""
    lines: list[str] = []
    first_line = last_line = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        comment = token.string.lstrip("#: ")
        if token.type == tokenize.COMMENT and not _DIRECTIVE.match(comment):
            is_own_line = token.line.strip() == token.string
            if not is_own_line or token.start[0] != last_line + 1:
                yield Passage("\n".join(lines), first_line)
                lines, first_line = [], token.start[0]
            lines.append(comment)
            last_line = token.start[0] if is_own_line else 0
    yield Passage("\n".join(lines), first_line)


def _split(text: str, line: int) -> Iterator[Passage]:
    breaks = [match.span() for match in _PASSAGE_BREAK.finditer(text)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]
    for start, end in zip(starts, ends, strict=True):
        passage = text[start:end].lstrip(" \n#*-|")
        yield Passage(passage, line + text.count("\n", 0, end - len(passage)))


def _keep_line_breaks(match: re.Match[str]) -> str:
    """Return only the line breaks of a match, so that later lines keep their numbers."""
    return "\n" * match[0].count("\n")
