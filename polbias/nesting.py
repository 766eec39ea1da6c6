"""How deep a YAML text is nested, told before it is loaded: a loader would overflow its stack."""

from __future__ import annotations

import yaml

MOST_LEVELS = 50
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def too_deep(text: str) -> int | None:
    """Return the line in which a text goes deeper than `MOST_LEVELS`; None if it never does.

    Raises:
        yaml.YAMLError: if it is no YAML.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_LEVELS:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None
