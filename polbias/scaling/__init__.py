"""Builds beyond one process: cut into shards, run by an executor, resumed, merged.

A run lies in one place, a folder here or on any file system that fsspec reaches::

    <out>/<dataset>/<config>/<split>-00000-of-00020.parquet ...
                    README.md  manifest.json  shards.json  SHA256SUMS      when all shards are there
                    .run/run.json                                          what is built
                    .run/spec-<fingerprint>.pickle                         the same for workers
                    .run/done/<config>/<split>-00000-of-00020.json ...     which shards are complete

A shard's bytes depend on the specification alone: not on the executor, the workers, or what was there before.
"""

from polbias.scaling.build import Finished, build_at_scale
from polbias.scaling.executors import EXECUTORS, Resources
from polbias.scaling.run import Size

__all__ = ["EXECUTORS", "Finished", "Resources", "Size", "build_at_scale"]
