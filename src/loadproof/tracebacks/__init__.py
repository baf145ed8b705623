"""Error text -> Symptom -> ranked causes, decided against a checked checkpoint where there is one."""

from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.rank import candidates
from loadproof.tracebacks.symptom import read_symptom
from loadproof.tracebacks.weigh import unweighed, weigh

__all__ = ["Cause", "candidates", "read_symptom", "unweighed", "weigh"]
