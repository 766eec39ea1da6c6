"""Builds in shards, which an executor runs in several processes or on a cluster; runs can be resumed.

A run is a local folder, or a folder on any file system that fsspec supports::

    <out>/<dataset>/<config>/<split>-00000-of-00020.parquet ...
                    README.md  manifest.json  shards.json  SHA256SUMS      once all shards are complete
                    .run/run.json                                          identity of the run
                    .run/<hash of it>.arrow                                specification and shards
                    .run/shards/000000.json ...                            hashes and counts of each shard

The bytes of a shard depend only on the specification: not on the executor, the workers, or earlier runs.
"""
