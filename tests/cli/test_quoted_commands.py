"""Every command that an advice quotes can be typed: its options exist, and `fix` has an edit for the code it names."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import getmodule, getsource
from pathlib import Path

import msgspec
import pytest

from loadproof.cli.main import COMMANDS
from loadproof.rules.catalogue import all_rules
from loadproof.rules.docs import text_of
from loadproof.tracebacks.knowledge import causes as all_causes

QUOTED = re.compile(rf"loadproof ({'|'.join(COMMANDS)})((?: (?:[A-Z]{{2,}}\d*|--?[\w-]+))+)")
PAGES = Path(__file__).parents[1] / "rules" / "cases"
# A rule's page shows what its edits are; pages of rules without an edit have no such line.
MENDABLE = {page.name[:5] for page in PAGES.glob("*.md") if re.search(r"^fix: ", page.read_text(), re.M)}
SOURCES = {rule.code: getsource(module) for rule in all_rules() if (module := getmodule(rule.check))}
MENDABLE |= {code for code, source in SOURCES.items() if '"lossless"' in source}
LOSSY = {code for code, source in SOURCES.items() if '"lossy"' in source}


def _texts() -> dict[str, str]:
    causes = {f"cause {cause.key}": msgspec.json.encode(cause).decode() for cause in all_causes().values()}
    return causes | {f"docs {rule.code}": text_of(rule) for rule in all_rules()}


QUOTES = [(place, found[1], found[2].split()) for place, text in _texts().items() for found in QUOTED.finditer(text)]


@pytest.mark.parametrize(
    ("command", "arguments"), sorted({(command, tuple(words)) for _, command, words in QUOTES}), ids=str
)
def test_a_quoted_command_is_understood(command: str, arguments: tuple[str, ...]) -> None:
    import_module(f"loadproof.cli.{command}")._parse(list(arguments))


def test_commands_are_found_in_the_texts() -> None:
    assert len(QUOTES) > len(all_causes()) * 0.9
    assert {"check", "fix", "plan", "diff"} <= {command for _, command, _ in QUOTES}


def test_a_quoted_repair_exists() -> None:
    named = [(place, code, words) for place, command, words in QUOTES if command == "fix" for code in words[1:2]]
    assert [
        (place, code)
        for place, code, words in named
        if code not in MENDABLE and not (code in LOSSY and "--unsafe" in words)
    ] == []


def test_the_printed_next_command_carries_the_options_of_the_plan() -> None:
    from loadproof.cli.fix import _given, _parse

    typed = ["PATH", "--unsafe", "--readers-stopped", "--class", "LlamaForCausalLM", "--reader", "transformers@5.24.0"]
    given = _given(_parse(typed))
    again = _parse(["PATH", *given])
    assert again == _parse(typed)
    assert _given(_parse(["PATH"])) == []
