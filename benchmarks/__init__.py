"""Speed and memory beside the alternatives: `python -m benchmarks` from the root of a checkout."""
