"""Speed and memory compared with alternatives: `python -m benchmarks` in the root of a checkout."""
