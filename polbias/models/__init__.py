"""Optional services (chat models, DeepL) with recorded answers: nothing here is needed for a build.

The client libraries come with the extra ``services`` and are imported when something is asked, so recorded
answers can be replayed without them, without a key and without a network.
"""

from polbias.generators.services.errors import ServiceError
from polbias.generators.services.outcome import Failure, Outcome
from polbias.generators.services.prices import Price, parse_prices
from polbias.generators.services.run import run
from polbias.models.chat import Chat
from polbias.models.prompts import Settings, settings
from polbias.models.recording import Recorder
from polbias.models.requests import Answer, Request, Service
from polbias.models.run import Estimate, Plan, plan
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
    "parse_prices",
    "plan",
    "run",
    "settings",
]
