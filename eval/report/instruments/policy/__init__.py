"""Policy statements in the report (Ceron et al. 2024, ProbVAA).

One row stands for a prompt with all of its sampled answers: the analysis needs no more of them than how many
agree, disagree or are no stance, and a full run has half a million. The column ``answers`` says how many
there are.
"""

from polbias.eval.report.instruments.policy.reading import COLUMNS, rows
from polbias.eval.report.instruments.policy.section import findings_of, section

__all__ = ["COLUMNS", "findings_of", "rows", "section"]
