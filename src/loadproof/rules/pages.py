"""The pages of the rules as Markdown: ``python -m loadproof.rules.pages docs/rules`` writes them, one file per rule.

A page is the rule's own docs below its name, so that ``loadproof explain LP301`` and the site can never differ.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from loadproof.rules.base import Rule
from loadproof.rules.catalogue import FAMILIES, all_rules
from loadproof.rules.docs import text_of


def page(rule: Rule) -> str:
    """The page of one rule, ended by a newline."""
    commands = "\n".join(["```", *_commands(rule), "```"])
    return f"# {rule.code} {rule.slug}\n\n*{rule.title}.*\n\n{text_of(rule)}\n{commands}\n"


def _commands(rule: Rule) -> list[str]:
    explain = f"loadproof explain {rule.code}"
    return [explain] if rule.group == "live" else [explain, f"loadproof fix PATH {rule.code}"]


def index(rules: Iterable[Rule]) -> str:
    """The table of all rules, grouped as the codes are."""
    rules = list(rules)
    parts = ["# Rules", "Every fault that `loadproof check` tells apart. Codes and slugs are stable."]
    for prefix, title in FAMILIES.items():
        group = [rule for rule in rules if rule.code.startswith(prefix)]
        if group:
            rows = [f"| [{rule.code}]({rule.code}.md) | {rule.slug} | {rule.title} |" for rule in group]
            parts.append(f"## {title}\n\n" + "\n".join(["| code | slug | what is wrong |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """File name -> text of everything under docs/rules."""
    rules = all_rules()
    return {"index.md": index(rules)} | {f"{rule.code}.md": page(rule) for rule in rules}


def write(folder: str) -> None:
    """Write every page and remove the pages of rules that are no more."""
    os.makedirs(folder, exist_ok=True)
    wanted = pages()
    for name in os.listdir(folder):
        if name.endswith(".md") and name not in wanted:
            os.unlink(os.path.join(folder, name))
    for name, text in wanted.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else "docs/rules")
