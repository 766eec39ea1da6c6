"""YAML files checked against models; errors name file, line and field."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from string import Formatter
from types import UnionType
from typing import Annotated, Any, TypeGuard, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
    ValidationError,
)

from polbias.aliases import Document
from polbias.errors import InputError, TemplateError, did_you_mean, shorten_middle
from polbias.files import line_nested_too_deep, read_bytes
from polbias.limits import MAX_LEVELS, MAX_TEMPLATE, MAX_TEXT
from polbias.paths import checkout_root

Model = TypeVar("Model", bound=BaseModel)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Location = tuple[str | int, ...]
_MAX_PROBLEM = 500
_NAMED_FIELD = re.compile(r"([\w-]+(?:\.[\w-]+)*): ")


def load_template(path: Path, model: type[Model]) -> Model:
    """Read a YAML template file into a model."""
    text = template_text(path)
    try:
        if line := line_nested_too_deep(text):
            problem = f"found more than {MAX_LEVELS} nesting levels"
            raise TemplateError(f"{display_path(path)}:{line}: {problem}, expected fewer; flatten it")
        node = yaml.compose(text, Loader=_LOADER)
        _check_nodes(path, node)
        data = None if node is None else _Constructor().construct_document(node)
    except yaml.YAMLError as error:
        raise TemplateError(_format_yaml_error(path, text, error)) from None
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise TemplateError(_format_validation_error(path, node, error, model)) from None


def validate_model(path: Path, field: str, value: object, model: type[Model]) -> Model:
    """Validate a field of a file whose model depends on other files."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        node = yaml.compose(template_text(path), Loader=_LOADER)
        raise TemplateError(
            _format_validation_error(path, node, error, model, _parse_location(field))
        ) from None


def display_path(path: Path) -> str:
    """Return a path for messages: relative to the checkout if it is inside."""
    root = checkout_root()
    try:
        return path.resolve().relative_to(root).as_posix() if root else str(path)
    except ValueError:
        return str(path)


def field_error(path: Path, field: str, problem: str) -> TemplateError:
    """Return the error of a field that conflicts with other files."""
    line = _line_number(yaml.compose(template_text(path), Loader=_LOADER), _parse_location(field))
    return TemplateError(f"{display_path(path)}:{line}: {field}: {shorten_middle(problem, _MAX_PROBLEM)}")


_PATHS_READ: ContextVar[set[Path] | None] = ContextVar("paths_read", default=None)


@contextmanager
def record_template_paths() -> Iterator[set[Path]]:
    """Collect the resolved paths of the template files that are read within the context."""
    paths: set[Path] = set()
    token = _PATHS_READ.set(paths)
    try:
        yield paths
    finally:
        _PATHS_READ.reset(token)


def template_text(path: Path) -> str:
    """Return the text of a template file."""
    if (paths := _PATHS_READ.get()) is not None:
        paths.add(path.resolve())
    try:
        raw = read_bytes(path, MAX_TEMPLATE)
    except InputError:
        size = f"found more than {MAX_TEMPLATE:,} bytes"
        raise TemplateError(f"{display_path(path)}: {size}, expected no more; divide it") from None
    except OSError as error:
        raise TemplateError(
            f"{display_path(path)}: cannot be read ({error.strerror}); expected a template file"
        ) from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TemplateError(f"{display_path(path)}:{line}: not UTF-8; save the file as UTF-8") from None


class _Constructor(yaml.constructor.SafeConstructor):
    """YAML constructor that raises an error with a line for an invalid value."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ValueError, TypeError, LookupError, OverflowError, AttributeError) as error:
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from None


def _format_yaml_error(path: Path, text: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if position is not None else 1
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    return f"{display_path(path)}:{line}: not valid YAML ({problem}); correct the syntax there"


def _check_nodes(path: Path, node: yaml.Node | None) -> None:
    """Raise an error for aliases, very long texts and duplicate keys."""
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
            problem = f"found a text of {len(current.value):,} characters, expected at most {MAX_TEXT:,}"
            raise TemplateError(f"{display_path(path)}:{line}: {problem}; shorten it")
        if isinstance(current, yaml.MappingNode):
            line_by_key: dict[str, int] = {}
            for key, value in current.value:
                line = key.start_mark.line + 1
                if not isinstance(key, yaml.ScalarNode):
                    raise TemplateError(
                        f"{display_path(path)}:{line}: found a list or mapping as a key, expected text"
                    )
                if key.value in line_by_key:
                    raise TemplateError(
                        f"{display_path(path)}:{line}: key {key.value!r} is here and in line "
                        f"{line_by_key[key.value]}; keep one"
                    )
                line_by_key[key.value] = line
                pending += [key, value]
        elif isinstance(current, yaml.SequenceNode):
            pending.extend(current.value)


def _format_validation_error(
    path: Path,
    node: yaml.Node | None,
    errors: ValidationError,
    model: type[BaseModel],
    prefix: Location = (),
) -> str:
    error, suffix = _first_error(errors)
    location = prefix + suffix
    kind, message = error["type"], error["msg"].removeprefix("Value error, ")
    # The message of a check of several fields begins with the name of the wrong field.
    field_prefix = _NAMED_FIELD.match(message) if kind == "value_error" else None
    if field_prefix:
        location += _parse_location(field_prefix[1])
        message = message[field_prefix.end() :]
    line = _line_number(node, location)
    field = ".".join(str(part) for part in location) or "the file"
    if kind == "missing":
        problem = "found nothing, expected a value; add the field"
    elif kind == "extra_forbidden":
        suggestion = did_you_mean(str(suffix[-1]), _field_names(model, suffix[:-1]))
        problem = (
            f"unknown field with value {shorten(error['input'])}; {suggestion}remove it or correct its name"
        )
    elif kind == "value_error":
        problem = shorten_middle(message, _MAX_PROBLEM)
    else:
        problem = f"found {shorten(error['input'])}; expected: {message[0].lower()}{message[1:]}"
    return f"{display_path(path)}:{line}: {field}: {problem}"


def _first_error(errors: ValidationError) -> tuple[Document, Location]:
    """Return the first error and its location; of a field with several forms, the deepest error."""
    # Pydantic puts the name of a form, such as "tuple[Printed, ...]", into the location.
    located_errors = [
        (error, tuple(part for part in error["loc"] if not (isinstance(part, str) and "[" in part)))
        for error in errors.errors()
    ]
    same_field = [entry for entry in located_errors if entry[1][:1] == located_errors[0][1][:1]]
    has_forms = len(same_field) > 1 and any(
        len(error["loc"]) != len(location) for error, location in same_field
    )
    first = max(same_field, key=lambda entry: len(entry[1])) if has_forms else located_errors[0]
    if first[0]["type"] == "missing":  # a misspelt field is missing under its right name
        for error, location in located_errors:
            if error["type"] == "extra_forbidden" and location[:-1] == first[1][:-1]:
                return error, location
    return first


def _field_names(model: type[BaseModel], location: Location) -> list[str]:
    """Return the names of the fields that a mapping at a location of the file can have."""
    types = _plain_types(model)
    for part in location:
        types = [inner for outer in types for inner in _types_of_part(outer, part)]
    return [
        field.alias or name
        for plain_type in types
        if _is_model(plain_type)
        for name, field in plain_type.model_fields.items()
    ]


def _types_of_part(outer: Any, part: str | int) -> list[Any]:
    """Return the plain types of a field of a model, or of the entries of a mapping or list."""
    if not _is_model(outer):
        return [inner for argument in get_args(outer)[-2:] for inner in _plain_types(argument)]
    fields = {field.alias or name: field for name, field in outer.model_fields.items()}
    return _plain_types(fields[str(part)].annotation) if str(part) in fields else []


def _plain_types(annotation: Any) -> list[Any]:
    """Return the models and containers of an annotation, without Annotated, unions and root models."""
    if _is_model(annotation) and issubclass(annotation, RootModel):
        return _plain_types(annotation.model_fields["root"].annotation)
    if get_origin(annotation) is Annotated:
        return _plain_types(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [inner for argument in get_args(annotation) for inner in _plain_types(argument)]
    return [annotation]


def _is_model(annotation: Any) -> TypeGuard[type[BaseModel]]:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def error_text(error: Exception) -> str:
    """Return the first line of an error, or its class."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _parse_location(field: str) -> Location:
    return tuple(int(part) if part.isdigit() else part for part in field.split("."))


def shorten(value: object) -> str:
    """Return the representation of a value, truncated to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _line_number(node: yaml.Node | None, location: Location) -> int:
    """Return the line of the deepest part of a location that exists in the file."""
    line = node.start_mark.line + 1 if node else 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line + 1, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


# Base types of template models.

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True, pattern=r"^[^\n{}]+$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
HubName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=96)]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
TemplateItem = TypeVar("TemplateItem", bound=Hashable)


def _check_unique(values: tuple[TemplateItem, ...]) -> tuple[TemplateItem, ...]:
    for position, value in enumerate(values):
        if value in values[:position]:
            raise ValueError(f"found {value!r} twice, expected each once; remove one")
    return values


Levels = Annotated[tuple[TemplateItem, ...], Field(min_length=1), AfterValidator(_check_unique)]
"""Levels of a factor: at least one, without duplicates."""


def require_unique(field: str) -> AfterValidator:
    """Return a validator that no two entries of a list have the same value of a field, such as ``"id"``."""

    def check(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        values = [getattr(entry, field) for entry in entries]
        for number, value in enumerate(values):
            if value in values[:number]:
                raise ValueError(f"{number}.{field}: found {value!r} again, expected each once")
        return entries

    return AfterValidator(check)


class TemplateModel(BaseModel):
    """Base class of models read from files: unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)


def require_all_names(names: Any) -> AfterValidator:
    """Return a validator that a mapping has an entry for each name of a literal type."""

    def check(entries: Document) -> Document:
        missing = [name for name in get_args(names) if name not in entries]
        if missing:
            raise ValueError(f"found no entry for {', '.join(missing)}; add one")
        return entries

    return AfterValidator(check)


def require_placeholders(*names: str) -> AfterValidator:
    """Return a validator that a text has no placeholders except these, such as ``{paper}``."""

    def check(text: str) -> str:
        expected = " and ".join(f"{{{name}}}" for name in names)
        try:
            placeholders = [
                placeholder for _, *placeholder in Formatter().parse(text) if placeholder[0] is not None
            ]
        except ValueError:  # an unbalanced brace
            placeholders = [["", "", None]]
        if any(name not in names or spec or conversion for name, spec, conversion in placeholders):
            raise ValueError(f"found {text!r}, expected no braces except {expected}")
        return text

    return AfterValidator(check)


class Identity(TemplateModel):
    """Name, version and canary of a dataset.

    Attributes:
        name: Hub repository name.
        version: semantic version of the data.
        canary: string that marks the dataset in card and rows.
    """

    name: HubName
    version: Version
    canary: Text
