"""Tasks for Inspect: the same rows, readers and metrics as those of lm_eval (``pip install polbias[inspect]``)."""
