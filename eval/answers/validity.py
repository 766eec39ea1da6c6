"""From the free text of a model to its verdict on the validity of an inference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from polbias.eval.answers.claims import OPPOSITE, Claim, Reader, Strength
from polbias.eval.answers.grammar import LANGUAGES, Grammar, load_grammar
from polbias.eval.answers.refusal import find_refusal
from polbias.eval.answers.text import Prepared, Sentence, prepare
from polbias.eval.answers.verdict import Verdict


_SAME = {label: label for label in OPPOSITE}


def extract_validity(text: str, language: str) -> Verdict:
    """Read the final verdict on an inference off a model output.

    An explicit final marker outranks the last sentence with a verdict, which outranks what is said
    in the words of the prompts; a refusal counts only without any of these.

    Args:
        text: The output, any string.
        language: The language of the prompt, "en" or "de", or a tag such as "de-CH". A verdict in
            the other language counts too.

    Returns:
        The verdict "valid", "invalid", "refusal" or "unparsable".

    Raises:
        ValueError: If the language is not supported.
    """
    primary = language.replace("_", "-").split("-")[0].lower()
    if primary not in LANGUAGES:
        raise ValueError(f"language {language!r} is not supported; choose one of {', '.join(LANGUAGES)}")
    prepared = prepare(text)
    if not prepared.sentences:
        return Verdict("unparsable", "truncated" if prepared.truncated else "empty")
    tongues = [_tongue(sentence, primary) for sentence in prepared.sentences]
    return _decide(prepared, tongues)


def _tongue(sentence: Sentence, default: str) -> Grammar:
    """Tell the language of a sentence by its function words."""
    words = [token.text for token in sentence.tokens]
    counts = {name: sum(word in load_grammar(name).function_words for word in words) for name in LANGUAGES}
    best = max(LANGUAGES, key=lambda name: (counts[name], name == default))
    return load_grammar(best)


def _decide(prepared: Prepared, tongues: Sequence[Grammar]) -> Verdict:
    claims = list(_claims(prepared.sentences, tongues))
    made = [claim for claim in claims if claim.asserted]
    made = _own(made, prepared.sentences, tongues)
    firm = [claim for claim in made if claim.strength > Strength.HINT]
    firm, unresolved, corrected = _corrected(firm, prepared.sentences, tongues)
    if unresolved:
        return Verdict("unparsable", "self-correction", unresolved)
    chosen = _choose(firm)
    if chosen and prepared.truncated and not _conclusive(chosen, prepared):
        chosen = None
    declined = find_refusal(prepared.sentences, prepared.truncated)
    if chosen and chosen.label == "unparsable" and declined:
        chosen = None
    if chosen:
        reason = "self-correction" if corrected and chosen.label != "unparsable" else chosen.reason
        return Verdict(chosen.label, reason, chosen.span)
    if declined:
        return Verdict("refusal", "refusal", declined)
    hints = [claim for claim in made if claim.strength is Strength.HINT]
    if len({claim.label for claim in hints}) == 1 and not prepared.truncated:
        return Verdict(hints[-1].label, hints[-1].reason, hints[-1].span)
    return Verdict("unparsable", "truncated" if prepared.truncated else "no-verdict")


def _claims(sentences: Sequence[Sentence], tongues: Sequence[Grammar]) -> Iterator[Claim]:
    """Yield the claims of all sentences; a yes or no answers the question before it."""
    question: Claim | None = None
    for number, (sentence, grammar) in enumerate(zip(sentences, tongues, strict=True)):
        found = Reader(sentence, grammar).claims()
        yield from found
        for name, label_of in (("yes", _SAME), ("no", OPPOSITE)):
            match = grammar.lists[name].match(sentence.text)
            if match and sentence.text[match.end() : match.end() + 2].strip() in {
                "",
                ".",
                ",",
                "!",
                "—",
                ":",
                ";",
            }:
                if question:
                    yield _answer(label_of[question.label], sentence, match)
                elif number == 0:
                    hint = _answer(label_of["valid"], sentence, match)
                    yield replace(hint, strength=Strength.HINT)
        for name, label_of in (("affirmed", _SAME), ("denied", OPPOSITE)):
            for match in grammar.lists[name].finditer(sentence.text):
                start, _ = sentence.origin(*match.span())
                before = [c for c in found if c.span[1] <= start and _open(c)]
                asked = before[-1] if before else question
                if asked:
                    yield _answer(label_of[asked.label], sentence, match)
        open_claims = [claim for claim in found if _open(claim)]
        question = open_claims[-1] if open_claims else None


def _open(claim: Claim) -> bool:
    """Say whether a claim is only asked, supposed or hinted at, so that a later "it is not" can answer it."""
    return claim.label in OPPOSITE and not (claim.asserted and claim.strength > Strength.HINT)


def _answer(label: str, sentence: Sentence, match: re.Match[str]) -> Claim:
    """Turn a yes, a no or an ellipsis into a claim."""
    return Claim(label, Strength.PARAPHRASE, "sentence", sentence.origin(*match.span()))


def _own(made: list[Claim], sentences: Sequence[Sentence], tongues: Sequence[Grammar]) -> list[Claim]:
    """Drop the claims on arguments that the model has invented after its own answer."""
    items = [claim for claim in made if claim.item]
    if made and made[0].strength is Strength.MARKER and made[0].span[1] <= sentences[0].tokens[0].start + 40:
        if items or any(
            g.lists["continuation"].search(s.text) for s, g in zip(sentences, tongues, strict=True)
        ):
            return made[:1]
    if len(items) >= 2:
        return items[:1]
    for sentence, grammar in zip(sentences, tongues, strict=True):
        before = [claim for claim in made if claim.span[1] <= sentence.tokens[0].start]
        if any(c.strength >= Strength.SENTENCE for c in before) and grammar.lists["continuation"].search(
            sentence.text
        ):
            return before
    return made


def _corrected(
    firm: list[Claim], sentences: Sequence[Sentence], tongues: Sequence[Grammar]
) -> tuple[list[Claim], tuple[int, int] | None, bool]:
    """Drop what a self-correction takes back."""
    for sentence, grammar in zip(reversed(sentences), reversed(tongues), strict=True):
        for match in reversed(list(grammar.lists["correction"].finditer(sentence.text))):
            span = sentence.origin(*match.span())
            before = [claim for claim in firm if claim.span[1] <= span[0]]
            after = [claim for claim in firm if claim.span[1] > span[0]]
            if before and after:
                return after, None, True
            if before:
                rest = " ".join(s.text for s in sentences if s.tokens[-1].end > span[0])
                if not grammar.lists["confirmation"].search(rest):
                    return firm, span, False
    return firm, None, False


def _choose(firm: list[Claim]) -> Claim | None:
    """Choose the claim that is the final verdict."""
    if not firm:
        return None
    top = max(claim.strength for claim in firm)
    if top is not Strength.MARKER:
        return _last([claim for claim in firm if claim.strength is top])
    markers = [claim for claim in firm if claim.strength is top]
    if _last(markers).reason == "contradiction":
        return _last(markers)
    position, marker = [(i, c) for i, c in enumerate(firm) if c.strength is top][-1]
    later = [c for c in firm[position + 1 :] if c.strength is Strength.SENTENCE and c.label in OPPOSITE]
    if later and later[-1].concluding and later[-1].label != marker.label:
        return later[-1]
    return marker


def _conclusive(claim: Claim, prepared: Prepared) -> bool:
    """Say whether a claim stands although the output breaks off."""
    first, last = prepared.sentences[0], prepared.sentences[-1]
    if claim.strength >= Strength.SENTENCE:
        return True
    return claim.span[1] <= first.tokens[-1].end or claim.span[0] >= last.tokens[0].start


def _last(sentences: list[Claim]) -> Claim:
    """Choose the last verdict, or the indecision that both verdicts illustrate."""
    if len(sentences) > 1 and sentences[-1].reading and sentences[-2].reading and sentences[-2].label == OPPOSITE.get(sentences[-1].label):
        return replace(sentences[-1], label="unparsable", reason="contradiction")
    open_ = [i for i, claim in enumerate(sentences) if claim.label == "unparsable"]
    if open_ and len({claim.label for claim in sentences[open_[0] :]}) == 3 and not sentences[-1].concluding:
        return sentences[open_[0]]
    return sentences[-1]
