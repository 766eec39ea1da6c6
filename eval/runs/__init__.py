"""What `lm_eval --log_samples` leaves behind: runs, and the samples in them."""

from polbias.eval.runs.files import SampleFile, find_samples
from polbias.eval.runs.tables import table
from polbias.eval.samples import Problem, first_row, json_lines, left_out, numbered_samples, read_samples

__all__ = [
    "Problem",
    "SampleFile",
    "find_samples",
    "first_row",
    "json_lines",
    "left_out",
    "numbered_samples",
    "read_samples",
    "table",
]
