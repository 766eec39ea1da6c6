"""What the rules decide: a code, the word that it turned on, and the edits of the text."""

from __future__ import annotations

from dataclasses import dataclass

from polbias.generators.authoring.negation.english_words import table
from polbias.generators.language.negation.english_tokens import Token
from polbias.generators.language.negation.result import Negated


@dataclass(frozen=True)
class Edit:
    """One replacement.

    Attributes:
        start: index of the first character that goes.
        end: index behind the last one; equal to `start` where nothing goes.
        new: what comes in its place.
    """

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Decision:
    """A rule and what it does.

    Attributes:
        rule: code, one of ``rules`` in words.en.yaml.
        word: the word that it turned on.
        edits: of the statement, none overlapping; empty where the rule abstains.
        more: a second word for the explanation.
    """

    rule: str
    word: str = ""
    edits: tuple[Edit, ...] = ()
    more: str = ""


def abstain(reason: str, token: Token | None = None) -> Decision:
    """Return the decision not to answer."""
    return Decision(f"abstain:{reason}", token.text if token else "")


def insert(at: int, new: str) -> Edit:
    """Return an insertion."""
    return Edit(at, at, new)


def substitute(token: Token, new: str) -> Edit:
    """Return a replacement of a token; a capital stays one."""
    return Edit(token.start, token.end, new[:1].upper() + new[1:] if token.text[0].isupper() else new)


def remove(tokens: list[Token], first: int, last: int) -> list[Edit]:
    """Return the edits that take out tokens with the blank before them.

    At the beginning of a sentence the blank behind goes, and the next word gets the capital.

    Args:
        tokens: of the sentence.
        first: index of the first token to go.
        last: index of the last.
    """
    start, end = tokens[first].start, tokens[last].end
    if tokens[first].text[0].isupper() and last + 1 < len(tokens):
        return [Edit(start, tokens[last + 1].start + 1, tokens[last + 1].text[0].upper())]
    return [Edit(tokens[first - 1].end if first else start, end, "")]


def render(statement: str, decision: Decision) -> Negated:
    """Carry a decision out.

    Args:
        statement: to be edited.
        decision: its edits count from the statement's beginning.
    """
    text: str | None = None
    if decision.edits:
        text = statement
        for edit in sorted(decision.edits, key=lambda edit: edit.start, reverse=True):
            new = edit.new.upper() if statement.isupper() else edit.new
            text = text[: edit.start] + new + text[edit.end :]
        if text == statement:
            text, decision = None, Decision("abstain:unchanged")
    explanation = table("rules")[decision.rule].format(word=decision.word, more=decision.more)
    note = table("notes").get(decision.word.lower(), "") if decision.rule == "not-after-auxiliary" else ""
    return Negated(text, decision.rule, f"{explanation[:-1]}; {note}" if note else explanation)
