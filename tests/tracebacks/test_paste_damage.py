"""A text is recognised however it was pasted: quotes lost or changed, full-width marks, entities, wrapped names."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest

from loadproof.tracebacks import candidates, read_symptom
from loadproof.tracebacks.base import Example
from loadproof.tracebacks.clean import Line
from loadproof.tracebacks.knowledge import entries
from loadproof.tracebacks.normalise import normalise, unwrap

EXAMPLES = [example for entry in entries() for example in entry.examples]


def smart(text: str) -> str:
    text = re.sub(r"'([^'\n]*)'", r"‘\1’", text)
    return re.sub(r'"([^"\n]*)"', r"“\1”", text)


def full_width(text: str) -> str:
    return re.sub(r"(Error|Warning|keys?|tensor|for \S+): ", r"\1：", text).replace(", ", "，")


def chinese_around(text: str) -> str:
    lines = text.split("\n")
    lines[-1] += "，请问怎么办？"
    return "\n".join(["我的环境是最新版，启动时报错：", *lines])


DAMAGE: dict[str, Callable[[str], str]] = {
    "bold words": lambda text: re.sub(r"\b(weight|Error|layers)\b", r"**\1**", text),
    "smart quotes": smart,
    "back-ticks": lambda text: text.replace("'", "`"),
    "double quotes": lambda text: text.replace("'", '"') if '"' not in text else text,
    "full-width marks": full_width,
    "entities": lambda text: html.escape(text, quote=True),
    "entities twice": lambda text: html.escape(html.escape(text, quote=True), quote=True),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "zero-width spaces": lambda text: text.replace(".", "\u200b.\u200b"),
    "escaped underscores": lambda text: text.replace("_", "\\_"),
    "Chinese around": chinese_around,
}


def first_of(text: str) -> str:
    found = candidates(read_symptom(text.split("\n")))
    return found[0].key if found else "not recognised"


@pytest.mark.parametrize("damage", DAMAGE)
def test_every_example_has_its_cause_first_whatever_was_done_to_it(damage: str) -> None:
    wrong = {
        example.text: got for example in EXAMPLES if (got := first_of(DAMAGE[damage](example.text))) != example.first
    }
    assert wrong == {}


def test_every_example_has_its_cause_first_without_its_quotes() -> None:
    wrong = {example.text: got for example in EXAMPLES if (got := first_of(bare(example))) != example.first}
    assert wrong == {}


def bare(example: Example) -> str:
    return re.sub(r"['\"`]", "", example.text)


KEY = "language_model.model.layers.20.linear_attn"


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: language_model.model.layers.\n20.linear_attn",
        "KeyError: 'language_model.model.lay\ners.20.linear_attn'",
        "KeyError: 'languagemodel.model.layers.20.linearattn'",
        "加载时报KeyError：language_model.model.layers.20.linear_attn。怎么解决",
        "<code>KeyError: &#x27;language_model.model.layers.20.linear_attn&#x27;</code><br>how do I load it?",
        "【Bug】KeyError language_model.model.layers.20.linear_attn 解决方案",
    ],
)
def test_a_damaged_name_is_read_whole(text: str) -> None:
    symptom = read_symptom(text.split("\n"))
    assert KEY in symptom.names
    assert candidates(symptom)[0].slug == "engine-not-checkpoint"


def test_words_without_underscores_stay_where_they_are_no_part_of_a_name() -> None:
    assert normalise("the basemodel and its lmhead. Then") == "the basemodel and its lmhead. Then"
    assert normalise("basemodel.model.lmhead.weight") == "base_model.model.lm_head.weight"


def test_a_parameter_of_a_link_is_no_entity() -> None:
    assert normalise("https://x/?a=1&para=2&lt=3") == "https://x/?a=1&para=2&lt=3"


def test_whole_sentences_are_not_joined() -> None:
    lines = [Line("The weights come from the model. See the page of transformers."), Line("loading goes on")]
    assert unwrap(lines) == lines


def test_the_message_is_shown_as_it_was_pasted() -> None:
    pasted = f"报错KeyError：‘{KEY}’，怎么办"
    assert read_symptom([pasted]).message == pasted
    assert read_symptom([f"KeyError: '{KEY}'"]).message == f"KeyError: '{KEY}'"
