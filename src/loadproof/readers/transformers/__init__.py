"""Hugging Face transformers: which files it opens, how it maps their names to parameters, when it raises."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.checkpoint import Manifest, Problem, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation, Kin
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.session import Checkpoint
from loadproof.readers.plain import PlainReader
from loadproof.readers.transformers.release import parse
from loadproof.readers.transformers.select import select

MOST_FAMILIES = 50_000  # sets of names that differ in numbers only; the largest models have a few hundred


class TransformersReader(PlainReader):
    """The reader `transformers`; the release is the one whose source `build` has read."""

    name = "transformers"

    def select(self, checkpoint: Checkpoint, reading: Reading) -> Selection:
        """The weight files it would open, in its order; `error` is the exception it would raise instead."""
        return select(checkpoint, reading.names_only)

    def build(self, checkpoint: Checkpoint, reading: Reading) -> Expectation:
        """The parameters, rules, ties and ignore lists of the model class, read from its source text."""
        with self.building(checkpoint, reading) as answer:
            return answer()

    def building(self, checkpoint: Checkpoint, reading: Reading) -> AbstractContextManager[Callable[[], Expectation]]:
        """The same, where a process that it takes starts before it is asked for."""
        from loadproof.interpret.expect import expecting

        return expecting(
            checkpoint.config,
            checkpoint.folder,
            class_name=reading.class_name,
            source=reading.source,
            use_cache=reading.use_cache,
            without_wall=reading.evaluate_code_without_wall,
            devices=reading.devices,
        )

    def with_formulas(self, expectation: Expectation, config: ModelConfig, reading: Reading) -> Expectation:
        """The class evaluated once more, with integers that remember how they were made."""
        from loadproof.interpret.symbols import with_symbols

        return with_symbols(expectation, config, reading.source, without_wall=reading.evaluate_code_without_wall)

    def alike(self, case: Case, names: Iterable[str]) -> Iterator[Kin]:
        """The classes of the installed release, those first whose words are most like those of the names."""
        from loadproof.interpret.likeness import alike

        return alike(names, case.reading.source, case.reading.use_cache)

    def react(self, problem: Problem) -> str | None:
        """The exception that it raises when it opens the file of this problem; None where it takes the file."""
        from loadproof.readers.transformers.reactions import react

        return react(problem)

    def load(
        self,
        manifest: Manifest,
        expectation: Expectation,
        config: ModelConfig,
        reading: Reading | None = None,
    ) -> Outcome:
        """What its load report would say, family by family, and the exception it would raise.

        `config` is used to recognise a quantization method. Nothing is raised: what cannot be said is `inconclusive`.
        """
        if expectation.raises is not None:
            return Outcome(raises=True, error=expectation.raises)
        why = expectation.inconclusive or _unread(manifest)
        if why is not None:
            return Outcome(inconclusive=why)
        return (
            _with_values(manifest, expectation, config) if manifest.values else _predict(manifest, expectation, config)
        )


def _unread(manifest: Manifest) -> str | None:
    """Why the weights themselves cannot be judged, if so."""
    if manifest.format == "dcp":
        return "distributed-checkpoint shards are not read yet"
    if len(manifest.families) > MOST_FAMILIES:
        number = len(manifest.families)
        return f"the stored names form {number:,} families; more than {MOST_FAMILIES:,} are not compared with a model"
    if manifest.unread:
        file = manifest.unread[0]
        why = next((skip.why for skip in manifest.skipped if file in skip.what), "")
        return f"{file} is not read here, and the library opens it" + (f": {why}" if why else "")
    return None


def _with_values(manifest: Manifest, expectation: Expectation, config: ModelConfig) -> Outcome:
    """The outcome where the files hold more than dense tensors, as those of torch may."""
    from loadproof.readers.transformers.torch_values import raised_before_names, raised_by_tensors

    error = raised_before_names(manifest, config, expectation)
    if error is not None:
        return Outcome(raises=True, error=error)
    return raised_by_tensors(manifest, _predict(manifest, expectation, config))


def _predict(manifest: Manifest, expectation: Expectation, config: ModelConfig) -> Outcome:
    from loadproof.readers.transformers.quantized import declared, judge, not_at_all, set_aside

    if expectation.quantizer is not None and expectation.quantizer.inconclusive is None:
        return _dense(manifest, expectation)  # the families are those that the quantizer leaves
    quantizer = declared(config, expectation.quantizers)
    if quantizer.method is None:
        outcome = _dense(manifest, expectation)
        return outcome if quantizer.error is None else replace(outcome, raises=True, error=quantizer.error)
    if not_at_all(manifest, expectation, config):
        return _dense(manifest, expectation)
    parted = set_aside(manifest, _real_parameters(manifest, expectation))
    outcome = _dense(parted.manifest, expectation)
    names = frozenset(f.template for f in expectation.families)
    return judge(outcome, parted.packed, quantizer.method, names, _why_not_followed(expectation))


def _why_not_followed(expectation: Expectation) -> str:
    """Why the text of the quantizer does not say what it makes of the model; empty where it was not asked."""
    quantizer = expectation.quantizer
    if quantizer is None or quantizer.inconclusive is None:
        return ""
    versions = ", ".join(
        f"{name} {version}" if version else f"{name} is not installed" for name, version in quantizer.packages
    )
    return quantizer.inconclusive + (f" ({versions})" if versions else "")


def _real_parameters(manifest: Manifest, expectation: Expectation) -> frozenset[str]:
    """Stored templates that look like companions of a packed weight and reach parameters of the class itself."""
    from loadproof.readers.transformers.quantized import may_be_real

    doubtful = may_be_real(manifest, expectation)
    if not doubtful:
        return frozenset()
    outcome = _dense(replace(manifest, families=doubtful), expectation)
    return frozenset(found.stored for found in outcome.assignments)


def _dense(manifest: Manifest, expectation: Expectation) -> Outcome:
    from loadproof.readers.transformers.ignore import costly

    pattern = costly(expectation)
    if pattern is not None:
        return Outcome(inconclusive=f"a name pattern of the model class may run for ever: {pattern}")
    try:
        return _of_release(manifest, expectation)
    except (re.error, OverflowError, RecursionError) as error:
        return Outcome(inconclusive=f"a name pattern of the model class is not a regular expression: {error}")
    except Exception as error:
        if expectation.wall is None:
            raise  # a fault of ours: the rules of an installed release are what this was written for
        return Outcome(inconclusive=f"the conversion rules of the model class cannot be applied: {str(error)[:200]}")


def _of_release(manifest: Manifest, expectation: Expectation) -> Outcome:
    if parse(expectation.version)[0] < 5:
        from loadproof.readers.transformers.predict_v4 import predict_v4

        return predict_v4(manifest, expectation)
    from loadproof.readers.transformers.predict_v5 import predict_v5

    return predict_v5(manifest, expectation)
