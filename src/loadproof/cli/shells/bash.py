"""Completion for bash (3.2 and newer): an empty answer lets readline offer files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadproof.cli.shells.describe import Command, Option

_SCRIPT = """\
# loadproof completion for bash: eval "$(loadproof completion bash)"
_loadproof_codes="{codes}"
_loadproof_words() {{ COMPREPLY=($(compgen -W "$1" -- "$2")); }}
_loadproof() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" command="" i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${{COMP_WORDS[i]}}" in -*) ;; *) command="${{COMP_WORDS[i]}}"; break ;; esac
    done
    COMPREPLY=()
    if [[ -z $command ]]; then
        _loadproof_words "{commands} --help --version" "$cur"
        return
    fi
    case "$command:$prev" in
{values}
    esac
    case "$command:$cur" in
{options}
{places}
    esac
}}
complete -o bashdefault -o default -F _loadproof loadproof
"""


def script(commands: Sequence[Command], codes: Sequence[str]) -> str:
    """The whole script."""
    return _SCRIPT.format(
        codes=" ".join(codes),
        commands=" ".join(command.name for command in commands),
        values="\n".join(_values(commands)),
        options="\n".join(_options(command) for command in commands),
        places="\n".join(_places(commands)),
    )


def _values(commands: Sequence[Command]) -> Iterator[str]:
    """What an option takes that stands before the cursor."""
    for command in commands:
        for option in command.options:
            if option.takes != "nothing":
                names = "|".join(f"{command.name}:{flag}" for flag in option.flags)
                yield f"        {names}) {_answer(option)}return ;;"


def _answer(option: Option) -> str:
    if option.takes == "codes":
        return '_loadproof_words "$_loadproof_codes" "$cur"; '
    return f'_loadproof_words "{" ".join(option.words)}" "$cur"; ' if option.words else ""


def _options(command: Command) -> str:
    flags = " ".join(flag for option in command.options for flag in option.flags)
    return f'        {command.name}:-*) _loadproof_words "{flags}" "$cur" ;;'


def _places(commands: Sequence[Command]) -> Iterator[str]:
    for command in commands:
        for place in command.places:
            if place.takes in ("codes", "words"):
                yield f"        {command.name}:*) {_answer(place)};;"
