"""Completion for zsh: as a file on $fpath, or evaluated."""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.cli.shells.describe import Command, Option

_SCRIPT = """\
#compdef loadproof
# loadproof completion for zsh: a file _loadproof on $fpath, or after compinit: eval "$(loadproof completion zsh)"
_loadproof_codes() {{ _alternative 'files:file:_files' "codes:code:($codes)" }}
_loadproof() {{
    local -a commands codes
    commands=({commands})
    codes=({codes})
    if (( CURRENT == 2 )); then
        _describe -t commands command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{cases}
    esac
}}
if [[ $funcstack[1] == _loadproof ]]; then _loadproof "$@"; else compdef _loadproof loadproof; fi
"""


def script(commands: Sequence[Command], codes: Sequence[str]) -> str:
    """The whole script."""
    return _SCRIPT.format(
        commands=" ".join(_quoted(f"{command.name}:{command.meaning}") for command in commands),
        codes=" ".join(codes),
        cases="\n".join(map(_case, commands)),
    )


def _case(command: Command) -> str:
    specs = [*map(_option, command.options), *map(_place, command.places)]
    return f"        {command.name}) _arguments -s {' '.join(specs)} ;;"


def _option(option: Option) -> str:
    meaning = f"[{_bracketed(option.meaning)}]"
    value = "" if option.takes == "nothing" else f":{option.metavar}:{_action(option)}"
    if len(option.flags) == 1:
        return _quoted(f"{'*' if value else ''}{option.flags[0]}{meaning}{value}")
    either = _quoted(f"({' '.join(option.flags)})")
    return f"{either}{{{','.join(option.flags)}}}{_quoted(meaning + value)}"


def _place(place: Option) -> str:
    return _quoted(f"*:{_bracketed(place.metavar)}:{_action(place)}")


def _action(option: Option) -> str:
    if option.takes == "codes":
        return "_loadproof_codes"
    if option.words:
        return f"({' '.join(option.words)})"
    return {"folder": "_files -/", "file": "_files"}.get(option.takes, " ")


def _bracketed(text: str) -> str:
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
