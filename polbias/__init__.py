"""polbias: controlled tests of political and normative bias in language models.

The top-level folders of the repository are importable as ``polbias.generators``, ``polbias.eval``
and so on. Nothing heavy is imported here: ``import polbias`` takes milliseconds.
"""

__version__ = "1.0.0"
