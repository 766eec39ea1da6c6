"""Builds beyond one process: cut into shards, run by an executor, resumed, merged.

A run lies in one place, a folder here or on any file system that fsspec reaches::

    <out>/<dataset>/<config>/<split>-00000-of-00020.parquet ...
                    README.md  manifest.json  shards.json  SHA256SUMS      when all shards are there
                    .run/run.json                                          what is built
                    .run/<hash of it>.arrow                                the same for workers
                    .run/shards/000000.json ...                            hashes and counts of each shard

A shard's bytes depend on the specification alone: not on the executor, the workers, or what was there before.
"""
