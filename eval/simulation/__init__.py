"""Simulated respondents: answers to dataset rows, with a planted bias.

They replace models in demonstrations and calibrate intervals and tests.
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
