"""Hugging Face transformers: which files it opens, how it maps their names to parameters, when it raises."""

from __future__ import annotations

from loadproof.readers.transformers.select import select
from loadproof.types import Expectation, Inventory, Manifest, ModelConfig, Outcome, Selection


class TransformersReader:
    """The reader `transformers`; the release is the one whose source `expect` has read."""

    name = "transformers"

    def select(self, inventory: Inventory, config: ModelConfig, names_only: bool = False) -> Selection:
        """The weight files it would open, in its order; `error` is the exception it would raise instead."""
        return select(inventory, config, names_only)

    def expect(
        self,
        config: ModelConfig,
        folder: str,
        *,
        class_name: str | None = None,
        source: str | None = None,
        names_only: bool = False,
        use_cache: bool = True,
    ) -> Expectation:
        """The parameters, rules, ties and ignore lists of the model class, read from its source text."""
        from loadproof.interpret import expect

        return expect(config, folder, class_name=class_name, source=source, names_only=names_only, use_cache=use_cache)

    def predict(self, manifest: Manifest, expectation: Expectation, config: ModelConfig) -> Outcome:
        """What its load report would say, family by family, and the exception it would raise.

        `config` is used to recognise a quantization method. Nothing is raised: what cannot be said is `inconclusive`.
        """
        if expectation.raises is not None:
            return Outcome(raises=True, error=expectation.raises)
        if expectation.inconclusive is not None:
            return Outcome(inconclusive=expectation.inconclusive)
        from loadproof.readers.transformers.predict import predict_v5

        return predict_v5(manifest, expectation)
