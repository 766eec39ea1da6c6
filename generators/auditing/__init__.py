"""Audits of published benchmarks (`polbias audit`); only the command line imports them."""
