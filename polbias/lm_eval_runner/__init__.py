"""Run lm_eval over our tasks: which tasks, with which model, what is kept, what came of it."""
