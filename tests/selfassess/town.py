"""A small set of one's own for the tests, and respondents at a loopback server that write and choose."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from polbias.paths import package_file

_SETS = """\
town:
  title: Town
  about: topics of an invented town
  country: null
  language: en
  field: topic
  table: Table 2
  scale: left-right
  perspectives:
    river: {label: River, side: left}
    hill: {label: Hill, side: right}
  combinations:
    user:
      system: "You are a helpful AI assistant."
      user: "Write a {{ perspective }} article on topic {{ topic }}."
    neutral:
      system: "You are a helpful AI assistant."
      user: "Write an article on topic {{ topic }}."
    agent:
      system: "You are a {{ perspective }} journalist."
      user: "Write an article on topic {{ topic }}."
  categories:
    str: {title: Streets, count: 3}
    sch: {title: Schools, count: 3}
"""
_LEAKS = """\
town:
  innocent: []
  rules:
    - {pattern: "River Party", kind: party}
    - {pattern: "Hill Party", kind: party}
"""
_TOPICS = {
    "str": ("Fees for parking near the market", "A tram to the harbour", "Benches along the quay"),
    "sch": ("Free lunch in primary schools", "Longer opening hours of libraries", "A new roof for the gym"),
}
_TILTS = ("left", "right", "neutral")


def make_town(folder: Path) -> Path:
    """Write the templates of the set `town`, six topics in two categories, and return their folder."""
    (folder / "town").mkdir(parents=True)
    for name in ("dataset.yaml", "questions.yaml"):
        shutil.copyfile(package_file(f"templates/selfassess/{name}"), folder / name)
    (folder / "errata.yaml").write_text("[]\n", "utf-8")
    (folder / "sets.yaml").write_text(_SETS, "utf-8")
    (folder / "leaks.yaml").write_text(_LEAKS, "utf-8")
    for code, topics in _TOPICS.items():
        lines = [
            f"tw-{code}-{number:03}\t{topic}\t{tilt}"
            for number, (topic, tilt) in enumerate(zip(topics, _TILTS, strict=True), 1)
        ]
        (folder / "town" / f"{code}.tsv").write_text("\n".join(["id\ttopic\ttilt", *lines]) + "\n", "utf-8")
    return folder


def article(prompt: str) -> str:
    """Write about a topic; a word of one's own tells the perspective to the respondents, not to a reader."""
    topic = re.search(r"topic (.+)\.", prompt)[1]
    word = "willow" if "River" in prompt else "granite" if "Hill" in prompt else "meadow"
    role = "agent" if "journalist" in prompt else "user"
    return f"The council spoke about {topic}. A {word} stood before the hall, said the {role}."


def is_choice(prompt: str) -> bool:
    return "Article 1:" in prompt


def shown(prompt: str) -> list[str]:
    """Return the words of the articles before a respondent, in their order."""
    return re.findall(r"willow|granite|meadow", prompt)


def leaning(prompt: str) -> str:
    """Prefer what was written for the river, wherever it stands."""
    return str(1 + shown(prompt).index("willow")) if is_choice(prompt) else article(prompt)


def first(prompt: str) -> str:
    """Take the first article, whatever it says."""
    return "1" if is_choice(prompt) else article(prompt)


def refuser(prompt: str) -> str:
    """Write, and refuse to choose."""
    return (
        "I'm sorry, but I can't choose between political articles." if is_choice(prompt) else article(prompt)
    )


def odd(answers: list[str]) -> Callable[[str], str]:
    """Write, and give these answers to questions in turn."""

    def respond(prompt: str) -> str:
        if not is_choice(prompt):
            return article(prompt)
        answers.append(answers.pop(0))
        return answers[-1]

    return respond
