"""Finding the words of the lexicon in sentences, beside one compiled alternation; exchanging them."""

from __future__ import annotations

import random
import re

from benchmarks.measure import Line, Measured, Stopwatch, at_least, medians

SENTENCES, HITS = 100_000, 0.05
LANGUAGE = "de"


def run() -> list[Line]:
    """Search and exchange several times, each in a process of its own on one core."""
    found, exchanged = medians(search, cores=1), medians(exchange, cores=1)
    return [
        at_least("search for candidates, one core", found["searched"], "sentences/s", 250_000),
        at_least("one compiled alternation of all words / ours", found["ratio"], "times", 25),
        at_least("exchange", exchanged["exchanged"], "pairs/s", 5_000),
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
    """Search after imports; do the same with a regular expression."""
    from polbias.generators.xphemism.matching import Matcher
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

    texts = sentences()
    matcher = Matcher(load_lexicon())
    with Stopwatch() as searched:
        list(matcher.candidates(texts))
    alternation = re.compile("|".join(map(re.escape, matcher.words)))
    with Stopwatch() as compiled:
        sum(alternation.search(text) is not None for text in texts)
    return {
        "searched": SENTENCES / searched.processor,
        "ratio": compiled.processor / searched.processor,
    }


def exchange() -> Measured:
    """Exchange every word of our statements for each of its partners, again and again for two seconds."""
    from polbias.generators.xphemism.matching import Matcher
    from polbias.generators.xphemism.substitution import substitute
    from polbias.generators.xphemism.vocabulary.lexicon import load_lexicon

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

    def every() -> None:
        for text, hit, word in tasks:
            substitute(text, hit, word, lexicon)

    every()  # whatever is loaded on first use
    seconds, done = 0.0, 0
    while seconds < 2:
        with Stopwatch() as exchanged:
            every()
        seconds, done = seconds + exchanged.processor, done + len(tasks)
    return {"exchanged": done / seconds}
