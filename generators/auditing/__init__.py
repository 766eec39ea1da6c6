"""Published benchmarks of others, read and judged; only the command line imports them."""
