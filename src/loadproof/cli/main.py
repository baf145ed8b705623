"""The entry point. `--version` is answered before anything is imported, a command imports only its own file."""

from __future__ import annotations

import os
import sys

COMMANDS = {
    "check": "will this checkpoint load, with the right weights? if not, why",
    "plan": "the layer plan: what config.json says against what the tensors are",
    "explain": "the cause behind a pasted error, or the page of a rule",
    "fix": "fix what can be fixed without losing a bit (dry run by default)",
    "undo": "undo the last repair, byte for byte",
    "diff": "what differs between two checkpoints",
    "rules": "every known fault, with its code",
    "baseline": "accept what is found today",
    "config": "the settings in force, and where they come from",
    "completion": "what a shell needs to complete commands and options",
    "mcp": "answer a coding assistant (Model Context Protocol)",
}
USAGE_ERROR = 2
_THAT_WRITE = ("fix", "undo")  # they end on their own when they are interrupted


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status (0, 1, 2 or 3, see `loadproof check --help`)."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] in (["--version"], ["-V"]):
        from loadproof.version import __version__

        return _say(f"loadproof {__version__}\n")
    _stand_in_for_closed_streams()
    try:
        if argv is None:
            _leave_at_once(arguments)
        return _run(arguments)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _reader_went_away()
    except Exception as error:
        if isinstance(error, OSError) and error.filename == "standard output":
            return _cannot_write(error)
        return _internal_error(error)


def _stand_in_for_closed_streams() -> None:
    """What is said to a stream that was closed at the start is lost; the exit status is not.

    The descriptors are taken too: else the next file that is opened would be standard output or error to somebody.
    """
    if sys.stdin is not None and sys.stdout is not None and sys.stderr is not None:
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in COMMANDS:
        from importlib import import_module

        _start_quickly()
        command = import_module(f"loadproof.cli.{arguments[0]}")
        if arguments[0] in _THAT_WRITE:
            _hear_interrupts()
        return int(command.main(arguments[1:]))
    from loadproof.cli.overview import overview

    return overview(arguments, COMMANDS)


def _leave_at_once(arguments: list[str]) -> None:
    """Let Ctrl-C end a process of our own without a word: an exception in an extension that loads can crash Python.

    Nothing is left half done: what runs under this changes no file. A caller's own handler, and SIGINT that is ignored
    (``nohup``), stay as they are.
    """
    if not arguments or arguments[0] not in COMMANDS:
        return
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))


def _hear_interrupts() -> None:
    """Ctrl-C as an exception again, for commands that change files."""
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _start_quickly() -> None:
    """Settings for a process of our own that ends after one command; nothing of this is done where we are a library."""
    import gc

    gc.set_threshold(50_000, 20, 100)  # a check makes few cycles; looking for them costs a tenth of its time
    if "typing_extensions" not in sys.modules:
        # msgspec takes three names of it where it is installed, and from `typing` where not: the same since Python 3.11.
        # Its import costs a tenth of a check.
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]
        import msgspec  # noqa: F401

        del sys.modules["typing_extensions"]


def _say(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _reader_went_away()
    except OSError as error:
        return _cannot_write(error)
    return 0


def _reader_went_away() -> int:
    """``loadproof check ... | head``: not an error of ours; keep the interpreter quiet at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # a stream in memory has no descriptor
        return 141
    return 141


def _cannot_write(error: OSError) -> int:
    """A full disk behind ``loadproof check ... > FILE``."""
    _reader_went_away()
    sys.stderr.write(f"loadproof: standard output: {error.strerror}\n")
    return USAGE_ERROR


def _internal_error(error: Exception) -> int:
    if os.environ.get("LOADPROOF_DEBUG"):
        raise error
    text = " ".join(f"{type(error).__name__}: {error}".split())
    shown = "".join(character if character.isprintable() else "?" for character in text[:200])
    sys.stderr.write(f"loadproof: internal error: {shown}\n")
    sys.stderr.write("loadproof: this is a bug; please report it with the output of LOADPROOF_DEBUG=1\n")
    from loadproof.cli.asked import answer_error

    answer_error(USAGE_ERROR, f"internal error: {shown}")
    return USAGE_ERROR
