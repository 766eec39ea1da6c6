"""What a text of a template file may do: nothing that could run or grow without end.

A text has slots, conditions and loops over what it is given. Without names for what grows, multiplication,
and the filters and methods of texts that fill up, its result is at most as long as what it is given allows.
"""

from __future__ import annotations

import jinja2
from jinja2 import nodes

_DEEPEST = 2
"""Loops in one another."""
_FILTERS = frozenset(
    {"capitalize", "e", "escape", "first", "join", "last", "length", "list", "lower", "trim", "upper"}
)
_OF_TEXT = frozenset(dir(str))
_REFUSED = (
    *(nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.AssignBlock, nodes.With, nodes.Block),
    *(nodes.Mul, nodes.Pow, nodes.Mod),
)


class UnboundedError(jinja2.TemplateError):
    """A text could run or grow without end."""


def refuse_unbounded(environment: jinja2.Environment, text: str) -> None:
    """Refuse a text that could run or grow without end, before it is rendered.

    Raises:
        UnboundedError: naming what it uses.
        jinja2.TemplateSyntaxError: if it is not valid Jinja.
    """
    tree = environment.parse(text)
    for node in tree.find_all(_REFUSED):
        raise UnboundedError(f"{type(node).__name__.lower()} in line {node.lineno}")
    for named in tree.find_all(nodes.Assign):
        if not isinstance(named.node, nodes.Const):
            raise UnboundedError(f"a name for other than a plain value in line {named.lineno}")
    for filtering in tree.find_all(nodes.Filter):
        if filtering.name in environment.filters and filtering.name not in _FILTERS:
            raise UnboundedError(f"filter {filtering.name!r} in line {filtering.lineno}")
    for call in tree.find_all(nodes.Call):
        if not _may_be_called(call.node):
            raise UnboundedError(f"a method in line {call.lineno}, other than of what is given")
    _refuse_loops(tree, 0)


def _may_be_called(node: nodes.Expr | None) -> bool:
    """Whether this is a function, or a method that texts do not have."""
    match node:
        case nodes.Name():
            return True
        case nodes.Getattr():
            return node.attr not in _OF_TEXT
        case nodes.CondExpr():
            return _may_be_called(node.expr1) and _may_be_called(node.expr2)
        case _:
            return False


def _refuse_loops(node: nodes.Node, depth: int) -> None:
    for child in node.iter_child_nodes():
        inside = depth + isinstance(child, nodes.For)
        if isinstance(child, nodes.For) and (
            inside > _DEEPEST
            or child.recursive
            or not isinstance(child.iter, nodes.Name | nodes.Getattr | nodes.Call)
        ):
            raise UnboundedError(f"a loop in line {child.lineno}, other than over what is given")
        _refuse_loops(child, inside)
