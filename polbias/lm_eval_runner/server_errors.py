"""Parse and classify errors of model servers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from polbias.safe_text import redact_message

RETRIED = (408, 409, 425, 429)
"""Statuses from 400 to 499 that are retried, like all from 500 on."""

_NAMING = ("code", "error_code", "type", "status", "reason", "param")
_NESTED = (
    *("error", "errors", "innererror", "inner_error", "details", "metadata", "detail", "raw", "response"),
    *("base_resp", "external_model_error"),
)
_MESSAGES = ("message", "msg", "error_msg", "status_msg", "detail")
_FIELD = re.compile(r"(?<![\w.-])(?P<name>\w+)(?![\w-])")

_FILTER_CODES = frozenset(
    {
        *("contentfilter", "contentfiltered", "contentfiltererror", "contentpolicyviolation"),
        *("contentpolicy", "contentexistsrisk", "contentmoderation", "contentauditfailed"),
        *("responsibleaipolicyviolation", "datainspectionfailed", "prohibitedcontent", "guardrailintervened"),
        *("moderationblocked", "inputmoderation", "outputmoderation", "outputmoderated", "inputmoderated"),
        *("promptblocked", "newsensitive", "sensitivecontent", "systemunsafe", "modelarmor"),
    }
)
_TEXT = (
    r"(?:prompts?|inputs?|requests?|contents?|messages?|outputs?|responses?|texts?|generations?|questions?)"
)
_FILTER_WORDS = re.compile(
    rf"{_TEXT}\b[^.]{{0,60}}\b(?:flagged|filtered|inappropriate|unsafe|classified as|blocked(?: by|:| due)"
    r"|rejected by (?:the|our) (?:safety|content|moderation))"
    rf"|(?:flagged|filtered|moderated|blocked)\b[^.]{{0,40}}\b{_TEXT}"
    rf"|{_TEXT}\b[^.]{{0,60}}\bviolat\w+[^.]{{0,60}}\b(?:polic|guideline|terms|rules)"
    r"|审核|content (?:management |filtering |safety |usage )?(?:policy|filter)|content exists risk|guardrail"
    r"|inappropriate content|safety (?:system|filter|polic)|sensitive (?:content|words?|information)"
    r"|new_sensitive|requires moderation|moderation triggered|inhaltsfilter|敏感|不安全|违规|不合规|内容审核",
    re.IGNORECASE,
)
_NO_FILTER = re.compile(
    r"^\s*<|does not exist|账户|账号"
    r"|\b(?:account|organi[sz]ation|api key|user|project|country|region|plan)\b[^.]{0,60}"
    r"\b(?:flagged|violat\w*|block\w*|suspended|disabled|not (?:allowed|supported|available|permitted))",
    re.IGNORECASE,
)
_SYSTEM_TURN = re.compile(
    r"\bsystem['\"]? (?:role|prompt|message|instruction|turn)s?\b|role['\"]?:? ['\"]?system"
    r"|(?:support|allow)\w*:? ['\"]system['\"]|developer instruction|roles must alternate|use a valid role",
    re.IGNORECASE,
)
_QUOTA_CODES = frozenset({"insufficientquota", "billinghardlimitreached", "exceededcurrentquotaerror"})


NO_SYSTEM_TURN = "; the model takes no system turn: add --metadata polbias_system=false"
"""Advice on an error about the system message."""


class TransientError(Exception):
    """A request failed; a retry may succeed."""


@dataclass(frozen=True)
class ServerError:
    """Error of a server in place of an answer.

    Args:
        status: HTTP status, or the code of an error in a response with status 200.
        message: message of the server, or the body if it has another shape.
        codes: codes, types and parameters, in lower case without separators.
        fields: fields of the request that the error names in a field, not in a sentence.
    """

    status: int
    message: str
    codes: frozenset[str]
    fields: frozenset[str]

    @classmethod
    def parse(cls, status: int, body: str) -> ServerError:
        """Parse the body of a response.

        Args:
            status: HTTP status.
            body: JSON in the shape of OpenAI, Anthropic, Google, FastAPI and others, or any text.
        """
        try:
            content = json.loads(body)
        except (ValueError, RecursionError):
            content = None
        return cls.of(status, content, body)

    @classmethod
    def of(cls, status: int, content: Any, body: str = "") -> ServerError:
        """Classify an error from parsed JSON."""
        codes: set[str] = set()
        fields: set[str] = set()
        messages: list[str] = []
        for record in _records(content):
            for name in _NAMING:
                if isinstance(value := record.get(name), str):
                    codes |= {_plain(part) for part in (value, value.rpartition(".")[2])}
            codes |= {_plain(name) for name in record if _plain(name) == "contentfilter" and record[name]}
            if isinstance(param := record.get("param"), str):
                fields.add(param)
            if isinstance(location := record.get("loc"), list):
                fields |= {part for part in location if isinstance(part, str)}
            messages += [record[name] for name in _MESSAGES if isinstance(record.get(name), str)]
            if isinstance(record.get("error"), str):
                messages.append(record["error"])
        message = redact_message(": ".join(dict.fromkeys(messages)) or body or content or "no reason given")
        # A gateway may name the code of a filter in a sentence.
        codes |= {_plain(word) for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", message)}
        return cls(status, message, frozenset(codes), frozenset(fields))

    @property
    def is_transient(self) -> bool:
        """Whether a retry of the same request may succeed."""
        if self.codes & _QUOTA_CODES:
            return False
        return self.status in RETRIED or not 400 <= self.status < 500

    @property
    def is_filter(self) -> bool:
        """Whether a filter of the provider withholds an answer to this prompt."""
        if self.codes & _FILTER_CODES:
            return 400 <= self.status <= 502 and self.status not in (401, 404, 429)
        if self.status not in (400, 403, 422, 446, 451) or _NO_FILTER.search(self.message):
            return False
        return bool(_FILTER_WORDS.search(self.message))

    @property
    def is_about_system_turn(self) -> bool:
        """Whether the model rejects system messages."""
        return bool(_SYSTEM_TURN.search(self.message))

    def names(self, field: str) -> bool:
        """Whether the error is about a field of the request."""
        if field in self.fields or any(name.endswith(f".{field}") for name in self.fields):
            return True
        if "_" in field and _plain(field) in map(_plain, re.findall(r"\w+", self.message)):
            return True  # also as maxTokens
        return any(match["name"] == field for match in _FIELD.finditer(self.message))

    def __str__(self) -> str:
        return f"{self.status}: {self.message}"


def error_in_answer(body: Any) -> ServerError | None:
    """Return the error in a response with status 200; None if it has an answer."""
    if not isinstance(body, Mapping):
        return None
    choices = body.get("choices")
    failed = [
        choice
        for choice in (choices if isinstance(choices, list) else ())
        if isinstance(choice, Mapping) and choice.get("finish_reason") == "error"
    ]
    error = next((choice.get("error") for choice in failed), None) or (
        None if choices or body.get("content") else body.get("error")
    )
    if not failed and not error:
        return None
    code = error.get("code") if isinstance(error, Mapping) else None
    status = int(str(code)) if str(code).isdecimal() else 0
    status = status if 400 <= status < 600 else 500
    return ServerError.of(status, {"error": error or "an answer that ends in an error"})


def _records(content: Any, depth: int = 4) -> Iterator[Mapping[str, Any]]:
    """Yield an error and its nested errors, outermost first; gateways nest errors as JSON text."""
    if isinstance(content, str) and content.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            content = json.loads(content)
    if isinstance(content, list):
        for part in content:
            yield from _records(part, depth - 1)
    elif isinstance(content, Mapping):
        content = {str(name).lower(): value for name, value in content.items()}
        yield content
        if depth:
            for name in (*_NESTED, "message"):
                yield from _records(content.get(name), depth - 1)


def _plain(code: str) -> str:
    return re.sub(r"[^a-z0-9]", "", code.lower())


class Faults:
    """Error messages of a server; each is printed once.

    Args:
        print_line: prints a line.
    """

    def __init__(self, print_line: Callable[[str], None] = lambda _: None) -> None:
        self.replies: list[str] = []
        self._print_line = print_line
        self._printed_kinds: set[str] = set()

    def record_reply(self, message: str) -> None:
        """Record an error message, and print it once."""
        self.replies.append(message)
        self.print_once(message, f"the server fails: {message}")

    def print_once(self, kind: str, line: str) -> None:
        """Print a line, once per kind."""
        if kind not in self._printed_kinds:
            self._printed_kinds.add(kind)
            self._print_line(line)
