"""lm-eval tasks of the policy family: YAML files, and the script that writes them."""
