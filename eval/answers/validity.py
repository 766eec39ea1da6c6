"""From the free text of a model to its verdict on the validity of an inference."""

from __future__ import annotations

from polbias.eval.answers.grammar import primary_language, tongue
from polbias.eval.answers.judging import judge
from polbias.eval.answers.text import prepare
from polbias.eval.answers.verdict import Verdict


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
    primary = primary_language(language)
    prepared = prepare(text)
    tongues = [tongue(sentence.tokens, primary) for sentence in prepared.sentences]
    return judge(prepared.sentences, tongues, prepared.truncated)
