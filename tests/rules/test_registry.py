"""The registry is complete, and a healthy checkpoint does not pay for it (that no gate hides a finding: `judge.py`)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import loadproof
from loadproof.rules.catalogue import FAMILIES, RESERVED, all_rules, rule_of, slug_of
from loadproof.rules.registry import ADAPTERS, LIVE, RANK, load, module_of, rules_for
from tests.rules.case_files import Example
from tests.rules.judge import report_of

SOURCE = Path(loadproof.__file__).parent
PLACES = [*dict.fromkeys(place for place, _ in (*RANK, *ADAPTERS)), *LIVE]
HELPERS = {"evidence"}  # the one folder of rules/ that holds no rule


def test_a_healthy_checkpoint_asks_few_rules(tmp_path: Path) -> None:
    page = Example(tmp_path, "near-miss", "healthy", "llama", ())
    assert len(rules_for(report_of(page, tmp_path).case)) <= 8


def test_every_place_names_the_group_and_the_slug_of_its_rule() -> None:
    assert len(set(PLACES)) == len(PLACES)
    for place in PLACES:
        rule = load(place)
        assert (rule.group, rule.slug) == (place.partition("/")[0], re.split("[/#]", place)[-1])


def test_every_file_in_the_groups_is_registered_and_every_row_of_a_table() -> None:
    stems = {
        f"{path.parent.name}.{path.stem}"
        for path in (SOURCE / "rules").glob("*/*.py")
        if path.stem != "__init__" and path.parent.name not in HELPERS
    }
    assert stems == {module_of(place).removeprefix("loadproof.rules.") for place in PLACES}
    tables = {place.partition("#")[0] for place in PLACES if "#" in place}
    for table in tables:
        rows = sys.modules[module_of(table)].RULES
        assert {f"{table}#{slug}" for slug in rows} == {place for place in PLACES if place.startswith(f"{table}#")}


def test_no_rule_imports_another() -> None:
    """What two of them ask stands in `rules/evidence/`, or is asked of the case."""
    files = {module_of(place) for place in PLACES}
    found = {
        (file, named)
        for file in files
        for named in re.findall(r"^from (loadproof\.rules\.\w+\.\w+) import", _text_of(file), re.MULTILINE)
    }
    assert [pair for pair in sorted(found) if pair[1] in files] == []


def _text_of(module: str) -> str:
    return (SOURCE.parent / (module.replace(".", "/") + ".py")).read_text()


def test_every_rule_has_its_docs_beside_it_and_no_docs_are_left_over() -> None:
    pages = {(path.parent.name, path.stem) for path in (SOURCE / "rules").glob("*/*.md")}
    assert pages == {(rule.group, rule.slug) for rule in all_rules()}


def test_codes_and_slugs_are_used_once_and_none_that_is_reserved() -> None:
    taken = [(rule.code, rule.slug) for rule in all_rules()] + list(RESERVED.items())
    assert len({code for code, _ in taken}) == len({slug for _, slug in taken}) == len(taken)
    assert {code[:3] for code, _ in taken} == set(FAMILIES)


def test_every_code_in_the_program_belongs_to_a_rule_or_is_reserved() -> None:
    known = {rule.code for rule in all_rules()} | set(RESERVED)
    named = {
        code: path.name
        for path in SOURCE.rglob("*.py")
        for code in re.findall(r"\bLP\d{3}\b", path.read_text(encoding="utf-8"))
    }
    assert {code: file for code, file in named.items() if code not in known} == {}


def test_a_rule_absorbs_only_codes_of_rules() -> None:
    for rule in all_rules():
        assert all(rule_of(code) is not None for code in rule.absorbs), rule.code


def test_a_code_leads_to_its_rule_and_a_reserved_one_to_its_slug() -> None:
    assert [rule_of(rule.code) for rule in all_rules()] == all_rules()
    assert rule_of("LP704") is None
    assert slug_of("LP704") == "engine-not-checkpoint"
    assert slug_of("LP301") == "layer-plan-mismatch"


def test_a_check_reads_no_docs() -> None:
    program = "import sys, loadproof.rules as r; r.RULES; print([m for m in sys.modules if m.startswith('loadproof.rules.docs')])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
