"""Tools that people use to write and check items; only the command line imports them."""
