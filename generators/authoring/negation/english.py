"""English: where `not` goes, and how a negation is undone."""

from __future__ import annotations

from dataclasses import replace

from polbias.generators.authoring.negation import NegationResult, Pipeline, tagger_objection
from polbias.generators.authoring.negation.english_clause import (
    ClauseEdit,
    Main,
    NegationSite,
    abstain,
    article,
    find_main,
    imperative,
    insert,
    question,
    remove,
    render,
    substitute,
    to_any,
    to_some,
    universal,
)
from polbias.generators.authoring.negation.english_verbs import VerbReader
from polbias.generators.authoring.negation.english_words import (
    QUOTATION,
    EnglishToken,
    closed_class_words,
    is_adverb,
    is_participle,
    is_verb,
    phrases,
    sentences,
    strip_negation,
    table,
    tokens,
    verb_form,
    words,
)
from polbias.generators.language.english_verbs import past, third_person

# Insertion of "not" or "no" into the main clause.


def negate_subject(reader: VerbReader, main: Main, start: int) -> NegationSite | None:
    """Negate a quantifier or "only" at the beginning of the subject: "Not all ..."."""
    token = reader.tokens[start]
    nearby = {reader.low(start + 1), reader.low(start + 2)}
    if token.low in ("every", "each") and nearby & words("time_nouns"):
        return None  # "Every five years the council ..." is not a subject
    if (token.low, reader.low(start + 1)) in phrases("no_quantifiers"):
        return None
    amount = reader.low(main.finite.index - 1) in ("more", "less", "enough", "much")
    if amount and main.finite.index <= start + 2:
        return abstain("quantifier", reader.tokens[main.finite.index - 1])
    if token.low in words("unsure_quantifiers") or (token.low, reader.low(start + 1)) in phrases("bounds"):
        return abstain("quantifier", token)
    if token.low not in words("not_before"):
        return None
    if any(word.low in ("but", "not") for word in reader.tokens[main.finite.index + 1 :]):
        return abstain("contrast", token)
    return NegationSite("focus-word", token.low, (substitute(token, f"not {universal(reader, start)}"),))


def negate_verb(reader: VerbReader, main: Main) -> NegationSite:
    """Negate the finite verb."""
    index = main.finite.index
    polarity = to_any(reader, index)
    if polarity is None:
        positive = (token for token in reader.tokens[index:] if token.low in table("positive"))
        return abstain("polarity", next(positive, reader.tokens[index]))
    if main.finite.kind == "lexical":
        return _do_support(reader, main, polarity)
    return _negate_existential(reader, index) or _negate_auxiliary(reader, index, polarity)


def _negate_auxiliary(reader: VerbReader, index: int, polarity: list[ClauseEdit]) -> NegationSite:
    token, following = reader.tokens[index], reader.low(index + 1)
    if token.low == "'d":
        return abstain("contraction", token)
    if token.low in ("'ll", "'ve"):
        full = " will not" if token.low == "'ll" else " have not"
        return NegationSite(
            "not-after-auxiliary", full[1:-4], (ClauseEdit(token.start, token.end, full), *polarity)
        )
    if following in table("phased"):
        phased = substitute(reader.tokens[index + 1], table("phased")[following])
        return NegationSite("phased", following, (phased, *polarity))
    at = index
    while (behind := _adverbial_end(reader, at + 1)) > at:
        at = behind
    if (token.low, following) == ("had", "better"):
        at = index + 1
    cannot = token.low == "can" and at == index
    edits = (insert(reader.tokens[at].end, "not" if cannot else " not"), *polarity)
    if token.low == "must":
        return NegationSite("need-not", token.text, (substitute(token, "need"), *edits))
    return NegationSite("not-after-auxiliary", token.text, edits)


def _adverbial_end(reader: VerbReader, at: int) -> int:
    """Return the last index of a sentence adverbial that begins here, or the index before if none does."""
    if reader.low(at) in words("sentence_adverbs"):
        return at
    for phrase in phrases("sentence_phrases"):
        if tuple(map(reader.low, range(at, at + len(phrase)))) == phrase:
            return at + len(phrase) - 1
    return at - 1


def _negate_existential(reader: VerbReader, index: int) -> NegationSite | None:
    """Return "there is no" for an indefinite noun phrase; None if "not" is right."""
    if reader.low(index - 1) != "there" or reader.low(index) not in words("existential"):
        return None
    following = reader.low(index + 1)
    if following in words("no_article_first", "prepositions") or is_adverb(following) or not following:
        return None
    target = reader.tokens[index + 1]
    if not target.is_word:
        return None
    clause_start = f"There {reader.tokens[index].text}"
    replaced = following in ("a", "an", "some", "several")
    edit = substitute(target, "no") if replaced else insert(target.start, "no ")
    return NegationSite("no-determiner", clause_start, (edit,))


def _do_support(reader: VerbReader, main: Main, polarity: list[ClauseEdit]) -> NegationSite:
    form, index = main.finite.form, main.finite.index
    token = reader.tokens[index]
    assert form, "a lexical verb has one"
    auxiliary = {"third": "does", "base": "do"}.get(form.form, "did")
    before = reader.tokens[index - 1]
    if before.low == "still":
        return NegationSite("phased", before.text, (substitute(before, "no longer"), *polarity))
    if before.low == "already":
        phased = (substitute(before, f"{auxiliary} not yet"), substitute(token, form.base))
        return NegationSite("phased", before.text, (*phased, *polarity))
    first = index
    # The negation of "always harms" is "does not always harm".
    while _is_scopal(reader.low(first - 1)):
        first -= 1
    more = f"{auxiliary} not {form.base}"
    edits = [substitute(token, more)]
    if first != index:
        edits = [insert(reader.tokens[first].start, f"{auxiliary} not "), substitute(token, form.base)]
    return NegationSite("do-support", token.text, (*edits, *polarity), more)


def _is_scopal(word: str) -> bool:
    return word in words("scopal") or (
        word.endswith("ly") and is_adverb(word) and word not in words("sentence_adverbs")
    )


# Removal of existing negations.


def undo(reader: VerbReader, main: Main) -> NegationSite | None:
    """Remove the negation of the main clause."""
    index = main.finite.index
    token = reader.tokens[index]
    if neither := next((word for word in reader.tokens if word.low in ("neither", "nor")), None):
        return abstain("negative-word", neither)
    if token.low == "cannot" or token.low.endswith("n't"):
        affirmative = table("duals").get(strip_negation(token.low), strip_negation(token.low))
        return _remove_negation(
            reader, main, index, token.text, [substitute(token, affirmative)], affirmative
        )
    at = index + 1
    while is_adverb(reader.low(at)) and reader.low(at) not in ("not", "never"):
        at += 1
    low = reader.low(at)
    if low in ("not", "never"):
        edits = [*remove(reader.tokens, at, at), *_dual_edits(token)]
        return _remove_negation(reader, main, at, reader.tokens[at].text, edits, token.low)
    before = [
        (index - len(phrase), phrase)
        for phrase in phrases("negative_before")
        if main.finite.kind == "lexical"
    ]
    for first, phrase in [*((at, phrase) for phrase in phrases("negative_phrases")), *before]:
        last = first + len(phrase) - 1
        if tuple(map(reader.low, range(first, last + 1))) == phrase:
            edits = [*remove(reader.tokens, first, last), *_dual_edits(token)]
            if phrase == ("no", "longer"):
                edits[0] = ClauseEdit(reader.tokens[first].start, reader.tokens[last].end, "still")
            return _remove_negation(reader, main, max(last, index), " ".join(phrase), edits, token.low)
    return _undo_object(reader, index)


def _dual_edits(verb: EnglishToken) -> list[ClauseEdit]:
    """Return the edit of a verb whose negation changes it: "must not" denies "may"."""
    new = table("duals").get(verb.low)
    return [substitute(verb, new)] if new else []


def undo_subject(reader: VerbReader, main: Main, start: int) -> NegationSite | None:
    """Remove the negation of the subject: "no", "nobody", "not all"."""
    token, following = reader.tokens[start], reader.low(start + 1)
    if token.low == "not":
        before = [reader.low(index) for index in range(start, main.finite.index)]
        if following not in words("not_before"):
            # "Not the state but ..." is half of a contrast; "Not voting is ..." negates the subject only.
            return abstain("contrast", token) if "but" in before else None
        return NegationSite("undone", token.text, tuple(remove(reader.tokens, start, start)))
    adverbial = token.low in ("under", "in", "at") and following == "no"
    negative = token.low in ("never", "nowhere", "neither", "nor")
    if adverbial or negative or (token.low, following) in phrases("negative_phrases"):
        return abstain("inversion", token)
    body = "no one" if (token.low, following) == ("no", "one") else token.low
    if body in table("restored"):
        last = start + (body == "no one")
        new = table("restored")[body]
        polarity = to_some(reader, main.finite.index)
        if polarity is None or reader.low(last + 1) == "but" or _dual_edits(reader.tokens[main.finite.index]):
            return abstain("negative-word", token)
        edit = replace(substitute(token, new), end=reader.tokens[last].end)
        return NegationSite("undone-body", body, (edit, *polarity))
    if token.low == "no":
        site, verb = _undo_determiner(reader, start, main.finite.index), reader.beyond(main.finite.index)
        passive = reader.low(verb)
        generic = passive != "be" and not is_participle(passive)
        single = site.edits and site.edits[0].new in ("A", "a", "An", "an")
        return abstain("quantifier", token) if single and generic else site
    return abstain("negative-word", token) if token.low in words("negative_words") else None


def _remove_negation(
    reader: VerbReader, main: Main, at: int, word: str, edits: list[ClauseEdit], verb: str
) -> NegationSite:
    """Remove a negation and adapt the words that depend on it."""
    for token in reader.tokens[at + 1 :]:
        if token.low == "but":
            return abstain("contrast", token)
    polarity = to_some(reader, main.finite.index)
    if polarity is None:
        return abstain("polarity", reader.tokens[at])
    if verb not in words("do") or word.lower() in ("never", "no longer"):
        return NegationSite("undone", word, (*edits, *polarity))
    lexical = reader.beyond(at)
    if lexical >= len(reader.tokens) or not (is_verb(base := reader.low(lexical)) or base in ("have", "do")):
        return abstain("finite-verb", reader.tokens[at])
    auxiliary, negation = reader.tokens[main.finite.index], reader.tokens[at]
    finite = {"does": third_person, "did": past}.get(verb, str)(base)
    # From "does not" to the next word: an adverb after it remains.
    out = ClauseEdit(auxiliary.start, reader.tokens[at + 1].start, "")
    removed_words = auxiliary.text if at == main.finite.index else f"{auxiliary.text} {negation.text}"
    return NegationSite(
        "undone-do", removed_words, (out, substitute(reader.tokens[lexical], finite), *polarity)
    )


def _undo_object(reader: VerbReader, index: int) -> NegationSite | None:
    """Remove a "no" directly after the verbs: "should be no", "has no"."""
    for at in range(index + 1, index + 5):
        low = reader.low(at)
        if low == "no":
            return _undo_determiner(reader, at, index)
        if low in words("negative_words") and low not in ("little", "few"):
            return abstain("negative-word", reader.tokens[at])
        if not (is_adverb(low) or is_verb(low) or is_participle(low) or low in ("be", "been", "have", "do")):
            return None
    return None


def _undo_determiner(reader: VerbReader, at: int, main: int) -> NegationSite:
    token, following = reader.tokens[at], reader.low(at + 1)
    if following in words("no_things"):
        return abstain("negative-word", token)
    if any(word.low == "but" for word in reader.tokens[at:]):
        return abstain("contrast", token)
    new, polarity = article(reader, at + 1), to_some(reader, main)
    if polarity is None or (at < main and reader.tokens[main].low in table("duals")):
        return abstain("polarity", token)
    if new is None:
        return abstain("article", reader.tokens[min(at + 1, len(reader.tokens) - 1)])
    edits = [substitute(token, new)] if new else remove(reader.tokens, at, at)
    return NegationSite("undone-no", token.text, (*edits, *_dual_edits(reader.tokens[main]), *polarity))


# Negation of English statements: the finite verb of the main clause, or a word with wider scope.


def negate_english(statement: str, pipeline: Pipeline | None = None) -> NegationResult:
    """Negate an English statement."""
    text = statement.strip()
    return render(text, _decide(text, pipeline))


def _decide(text: str, pipeline: Pipeline | None) -> NegationSite:
    if not text:
        return abstain("empty")
    analysis = pipeline.read(text) if pipeline else None
    bounds = sentences(text, analysis)
    readers = [VerbReader(tokens(text[begin:end], begin, analysis)) for begin, end in bounds]
    readers = [
        reader
        for reader in readers
        if any(token.is_word and token.low != QUOTATION for token in reader.tokens)
    ]
    if not readers:
        return abstain("quotation" if any(character.isalpha() for character in text) else "no-finite-verb")
    candidates = [(reader, find_main(reader)) for reader in readers]
    if len(candidates) > 1:  # one sentence makes the demand, the others give reasons or explain it
        candidates = [
            candidate
            for candidate in candidates
            if candidate[1] and candidate[0].low(candidate[1].finite.index) in words("deontic")
        ]
        if len(candidates) != 1:
            return abstain("several-sentences")
    return _negate_sentence(*candidates[0])


def _negate_sentence(reader: VerbReader, main: Main | None) -> NegationSite:
    site = question(reader, main)
    if site:
        return _check_verb(site, main.finite.index, reader) if main else site
    site = imperative(reader, main)
    if site:
        verb = int(reader.low(0) == "please")
        return _check_verb(site, verb, reader, infinite=True) if site.rule == "imperative" else site
    if main is None:
        return _abstain_without_verb(reader)
    if reader.low(main.finite.index) == "be":
        return abstain("no-finite-verb")
    if main.finite.index == 0:
        return abstain("inversion", reader.tokens[0])
    if main.rival is not None:
        return abstain("finite-verb", reader.tokens[main.rival])
    if main.second is not None:
        return abstain("coordination", reader.tokens[main.second])
    start, undone = _subject(reader, main), undo(reader, main)
    if start is not None:
        negative = undo_subject(reader, main, start)
        if negative and undone:
            return abstain("negative-word", reader.tokens[start])
        if by_subject := negative or (None if undone else negate_subject(reader, main, start)):
            return by_subject
    return _check_verb(undone or negate_verb(reader, main), main.finite.index, reader)


def _check_verb(site: NegationSite, verb: int, reader: VerbReader, infinite: bool = False) -> NegationSite:
    """Abstain if the pipeline does not tag the verb of the rule as one."""
    return _abstain_on_objection(reader.tokens[verb], site, infinite) if site.edits else site


def _abstain_without_verb(reader: VerbReader) -> NegationSite:
    """Abstain without a finite verb, or because the pipeline rejects the only candidate."""
    abstention = abstain("no-finite-verb")
    if not any(token.tags for token in reader.tokens):
        return abstention
    untagged_main = find_main(VerbReader([replace(token, tags=()) for token in reader.tokens]))
    return (
        _abstain_on_objection(reader.tokens[untagged_main.finite.index], abstention)
        if untagged_main
        else abstention
    )


def _abstain_on_objection(
    verb: EnglishToken, otherwise: NegationSite, infinite: bool = False
) -> NegationSite:
    objection = tagger_objection(verb.tags, infinite)
    return NegationSite("abstain:pipeline-disagrees", verb.text, more=objection) if objection else otherwise


def _subject(reader: VerbReader, main: Main) -> int | None:
    """Return the index of the subject's first word, or None if unclear.

    It is the first word of the sentence, or, after an adverbial, the word after the last comma.
    """
    start = next(
        index for index, token in enumerate(reader.tokens) if token.is_word or token.low[0].isdigit()
    )
    first = reader.low(start)
    fronted = first in words("prepositions", "openers") or is_adverb(first)
    quantified = first in words("not_before", "unsure_quantifiers", "negative_words")
    bound = first == "at" and reader.low(start + 1) in ("least", "most")
    is_quantity = first in ("less", "more", "not") or reader.low(start + 1) == "no"
    if not fronted or quantified or bound or is_quantity:
        return start
    before = range(start + 1, main.finite.index)
    commas = [index for index in before if reader.low(index) == ","]
    if commas:
        return commas[-1] + 1
    # "In future all schools should ...": a quantifier after a noun begins a new noun phrase.
    behind_noun = [
        index
        for index in before
        if reader.low(index) in ("all", "every", "only", "no") and _is_noun(reader.low(index - 1))
    ]
    return behind_noun[-1] if behind_noun else None


def _is_noun(word: str) -> bool:
    return (
        (word.isalpha() or word.isdigit())
        and word not in closed_class_words()
        and not (is_verb(word) and verb_form(word) is not None)
    )
