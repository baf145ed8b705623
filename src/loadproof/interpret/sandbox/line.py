"""The parent's ends of a child's two pipes, with a deadline for whatever is read and written."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from loadproof.interpret.sandbox.limits import ANSWER_BYTES
from loadproof.interpret.sandbox.messages import LENGTH, REPLY, REQUEST

_PART = 1 << 16


class Refused(Exception):  # noqa: N818 - an outcome
    """The child broke the protocol, or asked for more than it may have."""


class Line:
    """`deadline` is a value of `time.monotonic`. Raises TimeoutError behind it, EOFError where the child has ended."""

    def __init__(self, reads: int, writes: int, deadline: float) -> None:
        self._reads, self._writes, self.deadline = reads, writes, deadline
        self._held = bytearray()
        for end in (reads, writes):
            with suppress(AttributeError, OSError):  # Windows: there the parent's timer ends the child
                os.set_blocking(end, False)

    def request(self) -> tuple[bytes, str]:
        """(kind, text) of what the child asks."""
        kind, size = REQUEST.unpack(self._take(REQUEST.size))
        return kind, self._take(size).decode("utf-8", "replace")

    def reply(self, status: bytes, content: bytes) -> None:
        left = memoryview(REPLY.pack(status, len(content)) + content)
        while left:
            try:
                left = left[os.write(self._writes, left) :]
            except BlockingIOError:
                self._wait(self._writes, is_read=False)

    def answer(self, asked: int) -> bytes:
        """The last thing the child says, when it was asked that many bytes."""
        (size,) = LENGTH.unpack(self._take(LENGTH.size))
        if size > ANSWER_BYTES + 2 * asked:
            raise Refused("an answer that is too long")
        return self._take(size)

    def _take(self, size: int) -> bytes:
        while len(self._held) < size:
            try:
                data = os.read(self._reads, _PART)
            except BlockingIOError:
                self._wait(self._reads, is_read=True)
                continue
            if not data:
                raise EOFError
            self._held += data
            self._check_time()
        taken = bytes(self._held[:size])
        del self._held[:size]
        return taken

    def _wait(self, end: int, *, is_read: bool) -> None:
        import select

        left = self._check_time()
        waiting = select.poll()
        waiting.register(end, select.POLLIN if is_read else select.POLLOUT)
        waiting.poll(left * 1000 + 1)

    def _check_time(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left
