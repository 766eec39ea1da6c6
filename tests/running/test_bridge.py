"""Work that hands out items must not run ahead of the reader who writes them down."""

from __future__ import annotations

import asyncio
import time

from polbias.running import server


def test_the_work_waits_for_a_slow_reader_and_nothing_is_lost():
    given = []

    async def work(give):
        for number in range(200):
            given.append(number)
            give(number)
            await asyncio.sleep(0)

    items = server.stream(work)
    read = []
    for item in items:
        read.append(item)
        if item < 3:
            time.sleep(0.1)
            assert len(given) <= len(read) + server._AHEAD
    assert read == given == list(range(200))


def test_closing_frees_work_that_waits_for_its_reader():
    state = []

    async def work(give):
        try:
            for number in range(1000):
                give(number)  # stands still once enough wait
            state.append("never")
            await asyncio.sleep(60)
            state.append("waited")
        finally:
            state.append("ended")

    items = server.stream(work)
    assert next(items) == 0
    time.sleep(0.1)
    assert not state
    items.close()
    assert state[-1] == "ended"
    assert "waited" not in state
