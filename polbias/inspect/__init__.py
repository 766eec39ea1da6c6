"""Tasks for Inspect (``pip install polbias[inspect]``): rows, readers and metrics of the lm_eval tasks."""
