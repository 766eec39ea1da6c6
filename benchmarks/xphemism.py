"""Finding the words of the lexicon in sentences, beside one compiled alternation; exchanging them."""

from __future__ import annotations

import importlib
import random
import re

from benchmarks.measure import Line, Measured, Stopwatch, at_least, medians

SENTENCES, HITS = 100_000, 0.05
LANGUAGE = "de"


def run() -> list[Line]:
    """Search and exchange several times, each in a process of its own on one core."""
    found, exchanged = medians(search, cores=1), medians(exchange, cores=1)
    return [
        Line("sentences", SENTENCES, "sentences"),
        Line("of them with a hit", found["hits"] / SENTENCES * 100, "%"),
        Line(
            "of the candidates of the search those with a hit", found["hits"] / found["candidates"] * 100, "%"
        ),
        Line("words, each with all its forms", found["words"], "words"),
        at_least("search for candidates, one core", SENTENCES / found["searched"], "sentences/s", 250_000),
        Line("one compiled alternation of all words", SENTENCES / found["compiled"], "sentences/s"),
        at_least("the alternation / ours", found["ratio"], "times", 25),
        Line("candidates split into words and sentences", found["tokens"], "1/s"),
        Line("candidates read: split, segmented, tagged", found["read"], "1/s"),
        Line("search and reading together", SENTENCES / found["together"], "sentences/s"),
        at_least("exchange", exchanged["exchanged"], "pairs/s", 5_000),
        Line("of the exchanges those left to review", exchanged["review"] * 100, "%"),
        Line("peak memory", found["peak_mb"], "MB"),
    ]


def statements() -> list[str]:
    """Return the German sentences of our own policy statements."""
    from polbias.files import package_file
    from polbias.generators.policy.templates import load_statements, texts

    files = sorted(package_file("templates/policy/statements").glob("*.yaml"))
    every = (statement for file in files for statement in load_statements(file).statements)
    wordings = (wording for statement in every for wording in texts(statement))
    return sorted({sentence for language, _, sentence in wordings if language == LANGUAGE})


def sentences() -> list[str]:
    """Return sentences, of which a share has a hit; each is made different by a year."""
    from polbias.generators.xphemism.matching import Matcher
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    matcher = Matcher(load_lexicon())
    pool = statements()
    hits = [sentence for sentence in pool if matcher.find(sentence)]
    none = [sentence for sentence in pool if sentence not in set(hits)]
    rng = random.Random(0)
    drawn = (rng.choice(hits if rng.random() < HITS else none) for _ in range(SENTENCES))
    return [f"{sentence[:-1]} ({rng.randint(1, 9999)})." for sentence in drawn]


def search() -> Measured:
    """Search, and read what was found, after imports; do the same with a regular expression."""
    from polbias.generators.xphemism.matching import Matcher
    from polbias.generators.xphemism.matching.text import tokens
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    texts = sentences()
    matcher = Matcher(load_lexicon())
    with Stopwatch() as searched:
        candidates = list(matcher.candidates(texts))
    some = [texts[place] for place in candidates]
    with Stopwatch() as split:
        for text in some:
            tokens(text)
    with Stopwatch() as read:
        hits = sum(bool(matcher.find(text)) for text in some)
    with Stopwatch() as together:
        again = sum(1 for _ in matcher.find_all(texts))
    if hits != again:
        raise AssertionError(f"searching and reading found {again} sentences, reading the candidates {hits}")
    alternation = re.compile("|".join(map(re.escape, matcher.words)))
    with Stopwatch() as compiled:
        sum(alternation.search(text) is not None for text in texts)
    return {
        "words": len(matcher.words),
        "compiled": compiled.processor,
        "ratio": compiled.processor / searched.processor,
        "candidates": len(candidates),
        "hits": hits,
        "searched": searched.processor,
        "tokens": len(some) / split.processor,
        "read": len(some) / read.processor,
        "together": together.processor,
    }


def exchange() -> Measured:
    """Exchange every word of our statements for each of its partners, again and again for two seconds."""
    from polbias.generators.xphemism.matching import Matcher
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    substitute = importlib.import_module("polbias.generators.xphemism.substitution").substitute
    lexicon = load_lexicon()
    matcher = Matcher(lexicon)
    partners: dict[str, list[str]] = {}
    for each in lexicon.exchanges():
        partners.setdefault(each.base, []).append(each.exchange)
    tasks = [
        (text, hit, lexicon.words[partner])
        for text in statements()
        for hit in matcher.find(text)
        for partner in partners[hit.word]
    ]
    review = sum(substitute(text, hit, word, lexicon).status == "review" for text, hit, word in tasks)
    seconds, done = 0.0, 0
    while seconds < 2:
        with Stopwatch() as exchanged:
            for text, hit, word in tasks:
                substitute(text, hit, word, lexicon)
        seconds, done = seconds + exchanged.processor, done + len(tasks)
    return {"exchanged": done / seconds, "review": review / len(tasks)}
