"""YAML files checked against models; errors name file, line and field."""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, TypeVar, get_args

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from polbias.aliases import Document
from polbias.errors import InputError, TemplateError, shorten_middle
from polbias.files import line_nested_too_deep, read_bytes
from polbias.limits import MAX_LEVELS, MAX_TEMPLATE, MAX_TEXT
from polbias.paths import checkout_root

# Read template files: YAML checked against a model, texts rendered in Jinja's sandbox.
# Every error names the file, the line, the field, what was found and what was expected.

Model = TypeVar("Model", bound=BaseModel)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Location = tuple[str | int, ...]
_LONGEST = 500
_NAMED_FIELD = re.compile(r"([\w-]+(?:\.[\w-]+)*): ")


def load_template(path: Path, model: type[Model]) -> Model:
    """Read a YAML template file."""
    text = template_text(path)
    try:
        if line := line_nested_too_deep(text):
            found = f"nested more than {MAX_LEVELS} levels deep"
            raise TemplateError(f"{display_path(path)}:{line}: {found}; a template file is flatter")
        node = yaml.compose(text, Loader=_LOADER)
        _refuse_oddities(path, node)
        data = None if node is None else _Values().construct_document(node)
    except yaml.YAMLError as error:
        raise TemplateError(_explain_yaml(path, text, error)) from None
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise TemplateError(_explain(path, node, error)) from None


def validate_model(path: Path, field: str, value: object, model: type[Model]) -> Model:
    """Check a part of a file whose model depends on other files."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        node = yaml.compose(template_text(path), Loader=_LOADER)
        raise TemplateError(_explain(path, node, error, _location(field))) from None


def display_path(path: Path) -> str:
    """Return a path as a person would write it: below the checkout where possible."""
    root = checkout_root()
    try:
        return path.resolve().relative_to(root).as_posix() if root else str(path)
    except ValueError:
        return str(path)


def field_error(path: Path, field: str, problem: str) -> TemplateError:
    """Return the error of a field that is wrong only beside other files."""
    line = _line(yaml.compose(template_text(path), Loader=_LOADER), _location(field))
    return TemplateError(f"{display_path(path)}:{line}: {field}: {shorten_middle(problem, _LONGEST)}")


def template_text(path: Path) -> str:
    """Return the text of a template file of any kind."""
    try:
        raw = read_bytes(path, MAX_TEMPLATE)
    except InputError:
        found = f"more than {MAX_TEMPLATE:,} bytes"
        raise TemplateError(f"{display_path(path)}: {found}; a template file has at most as many") from None
    except OSError as error:
        raise TemplateError(
            f"{display_path(path)}: cannot be read ({error.strerror}); expected a template file"
        ) from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TemplateError(f"{display_path(path)}:{line}: not UTF-8; save the file as UTF-8") from None


class _Values(yaml.constructor.SafeConstructor):
    """Makes values of YAML nodes; a value that is none of its type is an error with a place."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, TypeError, LookupError, OverflowError, AttributeError) as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from None


def _explain_yaml(path: Path, text: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if position is not None else 1
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return f"{display_path(path)}:{line}: not valid YAML ({problem}); correct the syntax there"


def _refuse_oddities(path: Path, node: yaml.Node | None) -> None:
    """Refuse what makes a set large (aliases, endless texts) or says two things at once (duplicate keys)."""
    pending = [node] if node else []
    visited: set[int] = set()
    while pending:
        current = pending.pop()
        line = current.start_mark.line + 1
        if id(current) in visited:
            raise TemplateError(
                f"{display_path(path)}:{line}: a YAML alias refers to this; write the value out instead"
            )
        visited.add(id(current))
        if isinstance(current, yaml.ScalarNode) and len(current.value) > MAX_TEXT:
            found = f"found a text of {len(current.value):,} characters, expected at most {MAX_TEXT:,}"
            raise TemplateError(f"{display_path(path)}:{line}: {found}; shorten it")
        if isinstance(current, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, value in current.value:
                line = key.start_mark.line + 1
                if not isinstance(key, yaml.ScalarNode):
                    raise TemplateError(
                        f"{display_path(path)}:{line}: found a list or mapping as a key, expected text"
                    )
                if key.value in seen:
                    raise TemplateError(
                        f"{display_path(path)}:{line}: key {key.value!r} stands here and in line "
                        f"{seen[key.value]}; keep one"
                    )
                seen[key.value] = line
                pending += [key, value]
        elif isinstance(current, yaml.SequenceNode):
            pending.extend(current.value)


def _explain(path: Path, node: yaml.Node | None, errors: ValidationError, within: Location = ()) -> str:
    error, place = _first(errors)
    location = within + place
    kind, message = error["type"], error["msg"].removeprefix("Value error, ")
    # A check of several fields names the one that is wrong at the beginning of its message.
    named = _NAMED_FIELD.match(message) if kind == "value_error" else None
    if named:
        location += _location(named[1])
        message = message[named.end() :]
    line = _line(node, location)
    field = ".".join(str(part) for part in location) or "the file"
    if kind == "missing":
        problem = "found nothing, expected a value; add the field"
    elif kind == "extra_forbidden":
        problem = f"unknown field with value {shorten(error['input'])}; remove it or correct its name"
    elif kind == "value_error":
        problem = shorten_middle(message, _LONGEST)
    else:
        problem = f"found {shorten(error['input'])}; expected: {message[0].lower()}{message[1:]}"
    return f"{display_path(path)}:{line}: {field}: {problem}"


def _first(errors: ValidationError) -> tuple[Document, Location]:
    """Return the first problem and its place; of a field with several forms, the one that went deepest."""
    # Pydantic puts the name of a form, such as "tuple[Printed, ...]", among the parts of a location.
    found = [
        (error, tuple(part for part in error["loc"] if not (isinstance(part, str) and "[" in part)))
        for error in errors.errors()
    ]
    same = [entry for entry in found if entry[1][:1] == found[0][1][:1]]
    forms = len(same) > 1 and any(len(e["loc"]) != len(place) for e, place in same)
    return max(same, key=lambda entry: len(entry[1])) if forms else found[0]


def error_text(error: Exception) -> str:
    """Return the first line of an error, or its class."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _location(field: str) -> Location:
    return tuple(int(part) if part.isdigit() else part for part in field.split("."))


def shorten(value: object) -> str:
    """Return the representation of a value, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _line(node: yaml.Node | None, location: Location) -> int:
    """Return the line of the deepest part of a location that is in the file."""
    line = node.start_mark.line + 1 if node else 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(part)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


# What every model of a template file is based on.

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True, pattern=r"^[^\n{}]+$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
HubName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=96)]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
TemplateItem = TypeVar("TemplateItem", bound=Hashable)


def _once(values: tuple[TemplateItem, ...]) -> tuple[TemplateItem, ...]:
    for place, value in enumerate(values):
        if value in values[:place]:
            raise ValueError(f"found {value!r} twice, expected each once; remove one")
    return values


Levels = Annotated[tuple[TemplateItem, ...], Field(min_length=1), AfterValidator(_once)]
"""What a factor runs over: at least one value, none of them twice."""


def require_unique(field: str) -> AfterValidator:
    """Have a list of entries checked for a field that each has for itself, such as ``"id"``."""

    def check(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        values = [getattr(entry, field) for entry in entries]
        for number, value in enumerate(values):
            if value in values[:number]:
                raise ValueError(f"{number}.{field}: found {value!r} again, expected each once")
        return entries

    return AfterValidator(check)


class TemplateModel(BaseModel):
    """Base of everything read from a file: unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


def require_all_names(names: Any) -> AfterValidator:
    """Have a mapping checked for an entry of each name."""

    def check(entries: Document) -> Document:
        missing = [name for name in get_args(names) if name not in entries]
        if missing:
            raise ValueError(f"found no entry for {', '.join(missing)}; add one")
        return entries

    return AfterValidator(check)


def require_placeholders(*names: str) -> AfterValidator:
    """Have a text checked for places to fill in, such as ``{paper}``: these and no others may stand in it."""

    def check(text: str) -> str:
        known = " and ".join(f"{{{name}}}" for name in names)
        try:
            places = [place for _, *place in Formatter().parse(text) if place[0] is not None]
        except ValueError:  # a brace without its other half
            places = [["", "", None]]
        if any(name not in names or spec or conversion for name, spec, conversion in places):
            raise ValueError(f"found {text!r}, expected no braces but those of {known}")
        return text

    return AfterValidator(check)


class Identity(TemplateModel):
    """What a dataset is called.

    Attributes:
        name: Hub repository name.
        version: semantic version of the data.
        canary: marks the dataset in card and rows.
    """

    name: HubName
    version: Version
    canary: Text
