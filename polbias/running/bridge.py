"""From an event loop to a generator: what asynchronous work brings, while it goes on."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import Generic, TypeVar

Item = TypeVar("Item")
_AHEAD = 16  # items that may wait for the reader: what is lost, beside requests under way, by a kill
_CLOSING = 15.0  # seconds that work under way has to end when nobody wants it any more


class _End(Generic[Item]):
    """The last thing in the queue: why there is no more."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def stream(work: Callable[[Callable[[Item], None]], Awaitable[None]]) -> Generator[Item]:
    """Run asynchronous work in a thread of its own and yield what it hands out.

    The work stands still while a few items wait, so that it does not run ahead of a reader that writes down
    what comes.

    Args:
        work: an async function; what it is given takes one item at a time.

    Yields:
        The items, as they come. Closing the generator, or an error at the reader, cancels the work; after
        Ctrl-C what has come is still yielded.
    """
    waiting: queue.SimpleQueue[Item | _End[Item]] = queue.SimpleQueue()
    room, closed = threading.Semaphore(_AHEAD), threading.Event()

    def give(item: Item) -> None:
        if not closed.is_set():
            room.acquire()
        waiting.put(item)

    loop = asyncio.new_event_loop()
    task = loop.create_task(_run(work, give))
    thread = threading.Thread(target=_serve, args=(loop, task, waiting), daemon=True)
    thread.start()
    interrupted: KeyboardInterrupt | None = None
    try:
        while True:
            try:
                item = waiting.get()
            except KeyboardInterrupt as signal:  # what has come is still handed out
                if interrupted is not None:
                    raise
                interrupted = signal
                _cancel(loop, task)
                continue
            if isinstance(item, _End):
                break
            yield item
            room.release()
        if interrupted is not None:
            raise interrupted
        if item.error is not None:
            raise item.error
    finally:
        closed.set()
        room.release()  # for the one item that may stand at the door
        if thread.is_alive():
            _cancel(loop, task)
            thread.join(_CLOSING)


def _cancel(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(task.cancel)


async def _run(
    work: Callable[[Callable[[Item], None]], Awaitable[None]], give: Callable[[Item], None]
) -> None:
    await work(give)


def _serve(
    loop: asyncio.AbstractEventLoop,
    task: asyncio.Task[None],
    waiting: queue.SimpleQueue[Item | _End[Item]],
) -> None:
    asyncio.set_event_loop(loop)
    error: BaseException | None = None
    try:
        loop.run_until_complete(task)
    except BaseException as raised:
        error = raised
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        waiting.put(_End(error))
