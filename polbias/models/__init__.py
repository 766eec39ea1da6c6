"""Optional services (chat models, DeepL) with recorded answers: nothing here is needed for a build.

The client libraries come with the extra ``services`` and are imported when something is asked, so recorded
answers can be replayed without them, without a key and without a network.
"""

from polbias.models.chat import Chat, Service
from polbias.models.prompts import Settings, settings
from polbias.models.recording import Recorder
from polbias.models.requests import (
    Answer,
    Failure,
    Outcome,
    Price,
    Request,
    ServiceError,
    parse_prices,
)
from polbias.models.run import Estimate, Plan, answered, plan, run
from polbias.models.translate import Translate

__all__ = [
    "Answer",
    "Chat",
    "Estimate",
    "Failure",
    "Outcome",
    "Plan",
    "Price",
    "Recorder",
    "Request",
    "Service",
    "ServiceError",
    "Settings",
    "Translate",
    "answered",
    "parse_prices",
    "plan",
    "run",
    "settings",
]
