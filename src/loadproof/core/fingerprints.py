"""What stays the same of a finding while the fault does."""

from __future__ import annotations

from loadproof.core.findings import Finding


def fingerprint(finding: Finding) -> str:
    """16 hex digits that stay while the fault does: code, files and rows count; lines, words and paths do not."""
    from hashlib import sha256

    places = sorted({str(item.where.without_line) for item in finding.evidence if not item.label})
    rows = sorted((row.kind, row.template, row.axes) for row in finding.rows)
    return sha256(repr((finding.code, places, rows)).encode("utf-8", "backslashreplace")).hexdigest()[:16]
