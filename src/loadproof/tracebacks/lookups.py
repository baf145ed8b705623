"""Who lacks the name of a KeyError: the checkpoint, which was asked for it, or the model, which has no such parameter.

The same text means opposite things. The line of code that raised tells (``params_dict[name]`` against
``state_dict[name]``), else the engine, whose loader goes one way or the other.
"""

from __future__ import annotations

import re
from typing import Literal

from loadproof.core.symptom import Symptom
from loadproof.tracebacks.knowledge import engines
from loadproof.tracebacks.knowledge.logs import logs

Asked = Literal["file", "model", ""]
_FILE: Asked = "file"
_MODEL: Asked = "model"


def asked(symptom: Symptom) -> Asked:
    """In which of the two the name was looked up; empty where nothing tells."""
    code = "\n".join(symptom.lines[:4])
    for side, sign in ((_MODEL, logs().asks_model), (_FILE, logs().asks_file)):
        if re.search(sign, code):
            return side
    return next((engine.asks for engine in engines() if engine.name == symptom.engine), "")


def lacks(side: str, symptom: Symptom) -> bool:
    """Whether a condition on the side holds: ``file`` only where that is known, ``model`` where it is not the file."""
    return (asked(symptom) == _FILE) == (side == _FILE)
