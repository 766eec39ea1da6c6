"""Tasks for Inspect (``pip install polbias[inspect]``): rows, scoring and metrics of the lm_eval tasks."""
