"""lm-eval tasks: YAML files, and the script that writes them."""
