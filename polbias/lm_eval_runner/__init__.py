"""Run lm_eval over polbias tasks: task files, models, the answer cache and the result files."""
