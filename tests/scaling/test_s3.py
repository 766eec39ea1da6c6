"""A build into an object store: moto's S3 server on the loopback interface."""

from __future__ import annotations

import pytest

from polbias.errors import BuildError
from polbias.generators.partisan.publication import XL_PUBLICATION
from polbias.scaling.build import build_at_scale
from polbias.scaling.executors import EXECUTORS, Resources
from polbias.scaling.run import ScaledRun
from tests.scaling.conftest import SHARDS, begin, published

pytest.importorskip("s3fs")
pytest.importorskip("moto.server")


@pytest.fixture(scope="module")
def bucket():
    import fsspec
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch = pytest.MonkeyPatch()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.mkdir("s3://sets")
    yield files
    type(files).clear_instance_cache()
    monkeypatch.undo()
    server.stop()


def _build(run: ScaledRun, tmp_path, executor="inprocess", workers=1):
    return build_at_scale(run, XL_PUBLICATION, EXECUTORS[executor], Resources(workers, tmp_path / "logs"))


def _there(files):
    root = "sets/runs/partisan-inference-xl/"
    files.invalidate_cache()
    return {
        path.removeprefix(root): files.cat_file(path)
        for path in files.find("s3://sets/runs")
        if ".run/" not in path
    }


def test_a_store_holds_what_a_folder_holds_and_is_mended(bucket, spec, finished, tmp_path):
    run = begin(spec, "s3://sets/runs")
    done = _build(run, tmp_path)
    assert (done.n_built, done.n_existing, done.url) == (SHARDS, 0, "s3://sets/runs/partisan-inference-xl")
    assert _there(bucket) == published(finished)

    shards = [path for path in published(finished) if path.endswith(".parquet")]
    where = f"{done.url}/"
    bucket.rm_file(where + shards[0])
    damaged = bytearray(bucket.cat_file(where + shards[1]))
    damaged[100] ^= 1
    bucket.pipe_file(where + shards[1], bytes(damaged))
    bucket.rm_file(f"{where}.run/shards/000002.json")
    done = _build(run, tmp_path)
    assert (done.n_built, done.n_existing) == (3, SHARDS - 3)
    assert _there(bucket) == published(finished)


def test_a_bucket_that_is_not_there_is_one_error(bucket, spec, tmp_path):
    with pytest.raises(BuildError, match=r"s3://nowhere/.* cannot be written .*; check the address"):
        _build(begin(spec, "s3://nowhere/runs"), tmp_path)
