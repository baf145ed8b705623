"""What the evaluator sees of the file system: Python source under the names `transformers` and `remote`, and under those
of the packages that a quantizer of the release builds its modules from.

A file is named by its parts, `transformers/models/llama/modeling_llama.py`; where it really lies only the owner of the
files knows. In this process that is `Disk`; a process that evaluates text from strangers asks its parent over a pipe.
"""

from __future__ import annotations

from typing import Literal, Protocol

RELEASE, CODE = "transformers", "remote"
# The library copies the files that the configuration needs and those that the model needs: modules of their own.
CODE_PACKAGES = (CODE, "remote2")
# Packages whose text is read as the release's own is, where they are installed: their modules hold a quantized model's
# parameters. Any other package stays unread.
PACKAGES = frozenset(("aqlm", "bitsandbytes", "compressed_tensors", "gptqmodel", "optimum"))
Kind = Literal["folder", "file", "outside"]  # outside: a link that leads out of what strangers filled


class Files(Protocol):
    """Python files and the folders that hold them. What is neither is not listed."""

    def list(self, folder: str) -> dict[str, Kind]:
        """Name -> kind, sorted by name; empty where there is no such folder."""

    def read(self, file: str) -> bytes | None:
        """The content, None where there is no such file. Raises LimitReached for one that is too long."""


def kind_of(files: Files, name: str) -> Kind | None:
    """What a name stands for, None where nothing does."""
    folder, _, last = name.rpartition("/")
    return files.list(folder).get(last)


def text_of(data: bytes) -> str:
    """A source text with the line ends of Python."""
    text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
