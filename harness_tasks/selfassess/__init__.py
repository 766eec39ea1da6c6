"""lm-eval tasks of the self-assessment: YAML files, and the script that writes them."""
