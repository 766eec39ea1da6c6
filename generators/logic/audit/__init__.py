"""The auditor: from a published file of items with gold labels to a verdict on every one of them.

Nothing here knows a benchmark. A format (`polbias.generators.logic.audit.formats`) says what its columns are
and judges items; this package reads files, decides, diagnoses, finds what is repeated, counts and reports.
"""
