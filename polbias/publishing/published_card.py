"""The card as it is published: with the namespace of the push, and the problems of an unverified build."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

# The lines below which a notice stands: metadata and title, if the card has them.
_TOP = re.compile(r"(?:---\r?\n(?s:.*?)\n---\r?\n)?\s*(?:# .*\n)?")
_MAX_PROBLEMS = 3  # problems on the card


def published_card(card: str, repo_id: str, problems: Sequence[str] = ()) -> str:
    """Return the card of a repository, ``namespace/name``.

    `load_dataset` and addresses of the dataset get the repository's namespace in place of the namespace
    with which the card was built. Problems found by a verification are told below the title.
    """
    namespace, _, name = repo_id.partition("/")
    reference = re.compile(rf"""(load_dataset\(\s*["']|/datasets/)[^/"'\s]+(?=/{re.escape(name)}(?![\w-]))""")
    card = reference.sub(lambda match: match[1] + namespace, card)
    if not problems:
        return card
    top = _TOP.match(card)
    end = top.end() if top else 0
    return f"{card[:end]}\n{_unverified_notice(problems)}\n{card[end:]}"


def _unverified_notice(problems: Sequence[str]) -> str:
    count = "1 problem" if len(problems) == 1 else f"{len(problems):,} problems"
    lines = [f"**Not verified.** `polbias verify` found {count} when this was published:", ""]
    lines += [f"- {html.escape(' '.join(text.split()), quote=False)}" for text in problems[:_MAX_PROBLEMS]]
    if len(problems) > _MAX_PROBLEMS:
        lines.append(f"- and {len(problems) - _MAX_PROBLEMS:,} more")
    return "".join(f"> {line}".rstrip() + "\n" for line in lines)
