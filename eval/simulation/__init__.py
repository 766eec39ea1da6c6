"""Simulated respondents: from a row of a dataset to an answer, with a bias that is known as it was planted.

They stand in for models in demonstrations, and are what intervals and tests are calibrated with.
"""

from polbias.eval.simulation.answering import SimulatedAnswers
from polbias.eval.simulation.question_types import questions
from polbias.eval.simulation.questions import Questions
from polbias.eval.simulation.respondents import ALIASES, RESPONDENTS, SimulatedRespondent, make_respondent

__all__ = [
    "ALIASES",
    "RESPONDENTS",
    "Questions",
    "SimulatedAnswers",
    "SimulatedRespondent",
    "make_respondent",
    "questions",
]
