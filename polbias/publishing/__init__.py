"""Built datasets -> versioned dataset repositories on a Hugging Face Hub."""

from polbias.publishing.client import resolve_namespace
from polbias.publishing.hub import PushResult, push
from polbias.publishing.plan import Change, PushPlan, plan_push

__all__ = ["Change", "PushPlan", "PushResult", "plan_push", "push", "resolve_namespace"]
