"""Where text goes: stdout, a file when asked, stderr for hints; a closed pipe is not an error."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

_CONFIGS = ("config.json", "tokenizer.json", ".index.json", ".py")  # names of a checkpoint beside those of weights


def write(text: str, output: str | None = None) -> None:
    """`text` to stdout or to the file `output` (replaced at once, never half written). Raises OSError naming the target."""
    if output is None:
        _write_out(text)
        return
    target = os.path.realpath(output)
    if os.path.exists(target) and not os.path.isfile(target):  # /dev/stdout, a FIFO: never put a file in its place
        _write_to(target, text)
        return
    if os.path.exists(target) and _is_of_a_checkpoint(os.path.basename(target)):
        raise FileExistsError(errno.EEXIST, "this file of a checkpoint is there, and no report takes its place", output)
    temporary = os.path.join(os.path.dirname(target), f".loadproof-output-{os.urandom(8).hex()}")
    try:
        _write_new(temporary, text, target)
        os.replace(temporary, target)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _is_of_a_checkpoint(name: str) -> bool:
    from loadproof.formats.sniff import claims_weights

    return claims_weights(name) or name.endswith(_CONFIGS)


def _write_out(text: str) -> None:
    try:
        write_anything(sys.stdout)
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def write_anything(stream: TextIO) -> None:
    """Let a stream take text that its encoding has no bytes for; a notebook's or a test's takes all text as it is."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _write_to(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _write_new(path: str, text: str, like: str) -> None:
    """A name that nobody can guess and that must be free: nothing planted there is written to."""
    descriptor = os.open(path, _NEW, 0o666)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        with suppress(OSError, AttributeError):
            os.fchmod(descriptor, os.stat(like).st_mode & 0o777)
        file.write(text)


def hint(text: str) -> None:
    """One line on stderr; nothing happens if nobody can read it."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")
