"""Template files that would leave the sandbox or, as YAML, take all memory: refused in no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from polbias.errors import PolbiasError, TemplateError
from polbias.jinja_texts import TemplateRenderer
from polbias.lock import read_lock
from polbias.yaml_models import TemplateModel, load_template
from tests.faults.support.campaign import bounded

TEXTS = (
    "{% for i in range(1000000000) %}{% endfor %}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ words.append('x') }}",
    "{{ a.__globals__ }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{{ lipsum(n=100000) }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "{% if words",
)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_that_is_no_text_is_refused(text: str, tmp_path: Path) -> None:
    texts = TemplateRenderer(tmp_path / "texts.yaml", {"a": str})
    with bounded(), pytest.raises(TemplateError, match=r"texts\.yaml: field: "):
        texts.render("field", text, {"words": ["x"] * 1000})


class _Any(TemplateModel):
    a: str = ""


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{two}: &{two} [*{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}, *{one}]\n"
    for one, two in zip("abcdefghijkl", "bcdefghijklm", strict=True)
)
BOMBS = {
    "aliases": ALIASES,
    "itself": "a: &a [*a]\n",
    "depth": "a: " + "[" * 100_000 + "]" * 100_000 + "\n",
    "block depth": "".join("  " * depth + "a:\n" for depth in range(2_000)),
    "python": "a: !!python/object/apply:os.system [id]\n",
    "number": "a: " + "9" * 100_000 + "\n",
    "merge": "a: &a {b: 1}\nc:\n  <<: *a\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_yaml_bomb_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.yaml"
    path.write_text(BOMBS[name], "utf-8")
    with bounded(), pytest.raises(TemplateError, match=r"bomb\.yaml"):
        load_template(path, _Any)
    with bounded(), pytest.raises(PolbiasError, match=r"bomb\.yaml"):
        read_lock(path)
