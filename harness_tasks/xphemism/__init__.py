"""lm-eval tasks of the xphemism family: YAML files, and the script that writes them."""
