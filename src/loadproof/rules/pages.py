"""The pages of the rules as Markdown: ``python -m loadproof.rules.pages docs/rules`` writes them, one file per rule.

A page holds what the rule's own docs say, so that ``loadproof explain LP301`` and the site can never differ.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

from loadproof.rules import RULES, Rule
from loadproof.rules.live.live_rules import LIVE_RULES

GROUPS = {
    "LP0": "Files",
    "LP1": "Index and shards",
    "LP2": "Embedding, head, ties, vocabulary",
    "LP3": "Layer plan",
    "LP4": "Names and layout",
    "LP5": "Shapes and types",
    "LP6": "Quantization",
    "LP7": "Reader",
    "LP8": "Adapters",
    "LP9": "Live models",
}


_EXCEPTION = re.compile(r"[A-Za-z.]*(Error|Exception|Warning)\b")


def all_rules() -> list[Rule]:
    """The rules of checkpoints and of live models, by code."""
    return sorted((*RULES, *LIVE_RULES), key=lambda rule: rule.code)


def page(rule: Rule) -> str:
    """The page of one rule, ended by a newline."""
    docs = rule.docs
    parts = [
        f"# {rule.code} {rule.slug}",
        f"*{rule.title}.*",
        f"## What it finds\n\n{docs.finds}",
        f"## Why it matters\n\n{docs.why}",
        "## What you see\n\n" + "\n".join(f"- {_error(text)}" for text in docs.errors),
        f"## Example\n\n{docs.example}",
        f"## What to do\n\n{docs.fix}",
        f"## When it is harmless\n\n{docs.harmless}",
        "```\n" + "\n".join(_commands(rule)) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _commands(rule: Rule) -> list[str]:
    explain = f"loadproof explain {rule.code}"
    return [explain] if rule.code.startswith("LP9") else [explain, f"loadproof fix PATH {rule.code}"]


def _error(text: str) -> str:
    """``engine: message``, the message as code where it is an exception's text."""
    engine, colon, message = text.partition(": ")
    if not colon or "`" in message or not _EXCEPTION.match(message):
        return text
    return f"{engine}: `{message}`"


def index(rules: Iterable[Rule]) -> str:
    """The table of all rules, grouped as the codes are."""
    rules = list(rules)
    parts = ["# Rules", "Every fault that `loadproof check` tells apart. Codes and slugs are stable."]
    for prefix, title in GROUPS.items():
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
