"""Render batch requests as JSON lines for the APIs of OpenAI and Anthropic."""

from __future__ import annotations

import json

from polbias.aliases import Document, Json
from polbias.lm_eval_runner.exported_prompts import ExportedPrompt, system_text, turns_without_system
from polbias.lm_eval_runner.tasks import OTHER_TOKEN_LIMITS, TOKEN_LIMIT

_MAX_STOPS = 4  # stop strings that OpenAI accepts


def openai_line(prompt: ExportedPrompt, model: str) -> str:
    """Return the line of a request to OpenAI's batch API, for ``/v1/chat/completions``."""
    settings = _sent(prompt.settings)
    stops = settings.pop("until", [])[:_MAX_STOPS]
    body = {
        "model": model,
        "messages": prompt.messages,
        "max_completion_tokens": settings.pop(TOKEN_LIMIT),
        **({"stop": stops} if stops else {}),
        **settings,
    }
    url = "/v1/chat/completions"
    return _line({"custom_id": prompt.custom_id, "method": "POST", "url": url, "body": body})


def anthropic_line(prompt: ExportedPrompt, model: str) -> str:
    """Return the line of a request to Anthropic's Message Batches API."""
    settings = _sent(prompt.settings)
    stops, system = settings.pop("until", []), system_text(prompt)
    params = {
        "model": model,
        "max_tokens": settings.pop(TOKEN_LIMIT),
        **({"system": system} if system else {}),
        "messages": turns_without_system(prompt),
        **({"stop_sequences": stops} if stops else {}),
        **settings,
    }
    return _line({"custom_id": prompt.custom_id, "params": params})


def _sent(settings: Document) -> Json:
    """Return the settings to send: without null values, the token limit under one name."""
    sent = {name: value for name, value in settings.items() if value is not None}
    for name in OTHER_TOKEN_LIMITS:
        if name in sent:  # from the user: tasks use max_gen_toks
            sent[TOKEN_LIMIT] = sent.pop(name)
    sent.pop("do_sample", None)  # implied by the temperature
    until = sent.get("until") or []
    return sent | {"until": [stop for stop in ([until] if isinstance(until, str) else until) if stop]}


def _line(request: Json) -> str:
    return json.dumps(request, ensure_ascii=False) + "\n"
