"""Texts of templates: slots and functions, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polbias.errors import TemplateError
from polbias.jinja_texts import TemplateRenderer


def shout(text: str) -> str:
    return text.upper()


@pytest.fixture
def texts(tmp_path: Path) -> TemplateRenderer:
    return TemplateRenderer(
        tmp_path / "patterns.yaml", {"shout": shout, "initial": lambda person: person.name[0]}
    )


def failure(texts: TemplateRenderer, text: str, **slots) -> str:
    with pytest.raises(TemplateError) as refused:
        texts.render("formal.conclusion", text, slots)
    message = str(refused.value)
    assert "\n" not in message
    start = f"{texts.path}: formal.conclusion: "
    assert message.startswith(start)
    return message.removeprefix(start)


def test_texts_use_slots_and_functions(texts: TemplateRenderer) -> None:
    assert texts.render("x", "{{ shout(name) }} & {{ areas | join(' and ') }}", {"name": "a", "areas": "bc"})
    rendered = texts.render(
        "x", "{{ shout(a.name) }} & {{ areas[0] }}", {"a": {"name": "é"}, "areas": ["<b>"]}
    )
    assert rendered == "É & <b>"


def test_a_slot_goes_before_a_function(texts: TemplateRenderer) -> None:
    assert texts.render("x", "{{ shout }}", {"shout": "slot"}) == "slot"


def test_a_text_renders_the_same_again(texts: TemplateRenderer) -> None:
    text = "{% set n = 1 %}{{ n }}{{ a }}"
    assert [texts.render("x", text, {"a": i}) for i in range(3)] == ["10", "11", "12"]


@pytest.mark.parametrize(
    "text",
    [
        "{{ nobody }}",
        "{{ nobody.name }}",
        "{{ person.age }}",
        "{{ areas[5] }}",
        "{{ 'a' if nobody }}",
        "{% for x in nobody %}{% endfor %}",
        "{{ range(3) }}",
        "{{ cycler }}",
        "{{ shout(nobody) }}",
    ],
)
def test_undefined_variables(texts: TemplateRenderer, text: str) -> None:
    message = failure(texts, text, person={"name": "Ada"}, areas=("a", "b"))
    assert re.match(r"cannot be rendered \(.*(undefined|no attribute|no element).*\) in ", message)
    assert message.endswith("it may use: areas, initial, person, shout")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ ''['__class__'] }}",
        "{{ ''|attr('__class__')|attr('__mro__') }}",
        "{{ shout.__globals__ }}",
        "{{ shout.__code__.co_consts }}",
        "{{ shout['__globals__']['os'] }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '%s'.__mod__ }}",
        "{{ person.__class__ }}",
        "{{ areas.append('c') }}",
        "{{ person.update({'name': 'Eve'}) }}",
        "{{ self.__init__.__globals__ }}",
        "{{ self._TemplateReference__context }}",
    ],
)
def test_texts_stay_in_the_sandbox(texts: TemplateRenderer, text: str) -> None:
    person, areas = {"name": "Ada"}, ["a", "b"]
    assert re.match(
        r"not allowed in a template \(|cannot be rendered \(",
        failure(texts, text, person=person, areas=areas),
    )
    assert (person, areas) == ({"name": "Ada"}, ["a", "b"])


@pytest.mark.parametrize(
    "text",
    [
        "{% include 'other.jinja' %}",
        "{% import '/etc/passwd' as x %}",
        "{% extends 'base' %}",
    ],
)
def test_texts_read_no_other_file(texts: TemplateRenderer, text: str) -> None:
    assert failure(texts, text).startswith("cannot be rendered (")


@pytest.mark.parametrize(
    "text",
    [
        "{{ name",
        "{{ name }",
        "{% if name %}",
        "{% endif %}",
        "{{ name | nofilter }}",
        "{{ 1 is notest }}",
        "{% unknown %}",
        "{{ 'a }}",
    ],
)
def test_syntax_errors(texts: TemplateRenderer, text: str) -> None:
    message = failure(texts, text, name="Ada")
    assert re.match(r"cannot be rendered \(.+\) in ", message)
    assert repr(text) in message


@pytest.mark.parametrize(
    "text",
    [
        "{{ shout(7) }}",
        "{{ shout(none) }}",
        "{{ shout() }}",
        "{{ shout('a', 'b') }}",
        "{{ initial('a') }}",
        "{{ 1 / 0 }}",
        "{{ 'a' + 1 }}",
        "{{ ('a' * 3)() }}",
        "{% for i in 7 %}{% endfor %}",
    ],
)
def test_calls_that_fail(texts: TemplateRenderer, text: str) -> None:
    assert failure(texts, text, name="Ada").startswith("cannot be rendered (")


def test_a_text_that_calls_itself_for_ever(texts: TemplateRenderer) -> None:
    assert failure(texts, "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}").startswith(
        "cannot be rendered ("
    )
