"""The main clause of a sentence by its topological fields: forefield, finite verb, middle field, verbs."""

from __future__ import annotations

from dataclasses import dataclass

from polbias.generators.authoring.negation.german_text import Token
from polbias.generators.language import german_words as lexicon
from polbias.generators.language.negation.german_cluster import find_cluster
from polbias.generators.language.negation.german_segments import main_segments, word_forms
from polbias.generators.language.negation.german_unsure import UnsureError


@dataclass(frozen=True, slots=True)
class Clause:
    """The fields of a main clause.

    Attributes:
        tokens: Of the whole sentence.
        front: Positions before the finite verb; empty if a subordinate clause stands there.
        finite: Position of the finite verb.
        middle: Positions of the middle field.
        cluster: Positions of the verbs or the separated prefix at the end; may be empty.
        after: Positions after the verb cluster.
        kind: "modal", "werden", "sein", "haben" or "lexical", by the finite verb.
        verb: The verb that says what is to be done, as an infinitive.
        fronted_clause: Whether a subordinate clause comes before the finite verb.
    """

    tokens: list[Token]
    front: list[int]
    finite: int
    middle: list[int]
    cluster: list[int]
    after: list[int]
    kind: str
    verb: str
    fronted_clause: bool

    def low(self, position: int) -> str:
        """Return the token at a position in lower case; "" past the end of the sentence."""
        return self.tokens[position].low if position < len(self.tokens) else ""

    @property
    def passive(self) -> bool:
        """Whether the verb is in the passive, or is a "zu" infinitive with "sein"."""
        forms = {self.low(position) for position in self.cluster}
        auxiliary = "werden" in forms or self.kind == "werden"
        return (auxiliary and any(map(lexicon.is_participle, forms))) or (self.kind == "sein" and bool(forms))


def _find_finite(sentence: list[Token], main: list[int], fronted: bool) -> int:
    """Return the place in ``main`` of the finite verb, or raise."""
    low = [sentence[position].low for position in main]
    for place, word in enumerate(low):
        if word in lexicon.FINITE and (place or fronted) and sentence[main[place]].kind == "word":
            if place and low[place - 1] == "zu":
                continue
            if place + 1 < len(low) and low[place + 1] in lexicon.MODAL and place:
                raise UnsureError("abstain:structure", "a verb stands before the finite verb")
            return place
    for place in range(0 if fronted else 1, len(low)):
        position = main[place]
        before = sentence[main[place - 1]] if place else None
        person = low[place - 1] if place else ""
        if not lexicon.is_finite_lexical(low[place], person) or sentence[position].text[:1].isupper():
            continue
        complete = (
            before is None
            or before.kind == "opaque"
            or lexicon.is_noun(before.text)
            or (before.low in lexicon.PRONOUNS | lexicon.FRAME_ADVERBS or before.text[-1:].isdigit())
        )
        # "in Italien geborene Kinder": a participle that stands before its noun is no finite verb.
        attribute = low[place].endswith(("ten", "en")) and _attribute_follows(sentence, main, place)
        if complete and not attribute:
            return place
    raise UnsureError("abstain:no-verb", "no finite verb was found, so there is no clause to negate")


def _attribute_follows(sentence: list[Token], main: list[int], place: int) -> bool:
    """Return whether a finite verb comes later, so that this form stands before a noun as its attribute."""
    if place + 1 >= len(main) or not lexicon.is_noun(sentence[main[place + 1]].text):
        return False
    return any(lexicon.is_finite_lexical(sentence[position].low) for position in main[place + 2 :])


def _kind(word: str) -> str:
    for name, forms in (
        ("modal", lexicon.MODAL),
        ("werden", lexicon.WERDEN),
        ("sein", lexicon.SEIN),
        ("haben", lexicon.HABEN),
    ):
        if word in forms:
            return name
    return "lexical"


def _verb(sentence: list[Token], cluster: list[int], finite: int, kind: str) -> str:
    """Return the lexical verb: the first of the cluster, or the finite verb with its separated prefix."""
    if kind == "lexical":
        prefix = sentence[cluster[0]].low if cluster else ""
        return prefix + lexicon.verb_lemma(sentence[finite].low)
    words = [sentence[position].low for position in cluster if sentence[position].low != "zu"]
    return lexicon.verb_lemma(words[0]) if words else {"sein": "sein", "haben": "haben"}.get(kind, "werden")


def parse(sentence: list[Token]) -> Clause:
    """Return the fields of the main clause of a sentence.

    Raises:
        UnsureError: If there is no main clause with its verb in second place, or more than one.
    """
    parts, is_main = main_segments(sentence)
    main = [position for part, ours in zip(parts, is_main, strict=True) if ours for position in part]
    if not main:
        raise UnsureError("abstain:no-verb", "there is no main clause")
    fronted = not is_main[0]
    words = word_forms(sentence, main)
    if len(words) > 1 and lexicon.is_infinitive(words[0]) and words[1] in ("sie", "wir"):
        raise UnsureError("abstain:structure", "the clause is a request")
    place = _find_finite(sentence, main, fronted)
    finite, rest = main[place], main[place + 1 :]
    if place == 0 and not fronted:
        raise UnsureError("abstain:structure", "the clause begins with its verb")
    kind = _kind(sentence[finite].low)
    if kind == "lexical" or (kind == "haben" and find_cluster(sentence, rest, kind) is None):
        extent = _prefix(sentence, rest)
    else:
        extent = find_cluster(sentence, rest, kind)
    if extent is None and kind == "modal":
        raise UnsureError("abstain:structure", "the verb that belongs to the modal verb was not found")
    first, last = extent if extent else (len(rest), len(rest))
    cluster, after = rest[first : last + 1], rest[last + 1 :]
    middle = rest[:first]
    if not cluster:
        middle, after = _before_clause(sentence, middle)
    _refuse_second_claim(sentence, after if cluster else middle)
    return Clause(
        tokens=sentence,
        front=main[:place],
        finite=finite,
        middle=middle,
        cluster=cluster,
        after=after,
        kind=kind,
        verb=_verb(sentence, cluster, finite, kind),
        fronted_clause=fronted,
    )


def _before_clause(sentence: list[Token], middle: list[int]) -> tuple[list[int], list[int]]:
    """Split a middle field without verbs at its end where a subordinate clause closes it."""
    for place in range(1, len(middle)):
        between = sentence[middle[place - 1] + 1 : middle[place]]
        if any(token.kind != "mark" for token in between):
            return middle[:place], middle[place:]
    return middle, []


def _prefix(sentence: list[Token], rest: list[int]) -> tuple[int, int] | None:
    """Return the place of the separated prefix of a verb in second place, or None."""
    if rest and sentence[rest[-1]].low in lexicon.PREFIXES and sentence[rest[-1]].text.islower():
        return len(rest) - 1, len(rest) - 1
    return None


def _refuse_second_claim(sentence: list[Token], positions: list[int]) -> None:
    for position in positions:
        if sentence[position].low in lexicon.PLAINLY_FINITE and sentence[position].kind == "word":
            raise UnsureError("abstain:several-claims", "the statement makes more than one claim")
