"""All that the golden tests reach by a private path: where a module moves, this file alone follows."""

from polbias.cli.demo import demonstration, write_choices
from polbias.cli.main import app
from polbias.eval.simulation.lm_eval import run
from polbias.eval.simulation.respondents import respondent

__all__ = ["app", "demonstration", "respondent", "run", "write_choices"]
