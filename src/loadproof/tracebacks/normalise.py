"""Paste damage taken off a line, once, before anything is looked for in it.

Chat programs, office suites, forums and translators change what a terminal printed: full-width punctuation, smart
quotes, no-break spaces, HTML entities and tags, escaped or lost underscores, names broken over two lines. Letters
are never changed; what is shown to the user stays the pasted line.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence

from loadproof.lexicon.adapters import PEFT, TENSORS
from loadproof.lexicon.companions import LEAVES
from loadproof.lexicon.ends import EMBEDDINGS, HEADS
from loadproof.lexicon.extras import TOWERS
from loadproof.lexicon.feed_forward import MATRICES
from loadproof.lexicon.wrappers import INNER
from loadproof.tracebacks.clean import Line

_WIDE = range(0xFF01, 0xFF5F)  # full-width ASCII
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_SINGLE, _DOUBLE = "‘’‚‛′＇´ʼ", "“”„‟″＂«»「」『』〝〞"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
_STOPS = {"：": ": ", "，": ", ", "；": "; ", "。": ". ", "、": ", ", "！": "! ", "？": "? "}
_TABLE: dict[int, str] = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in _WIDE},
    **{ord(character): " " for character in _SPACES},
    **{ord(character): "'" for character in _SINGLE},
    **{ord(character): '"' for character in _DOUBLE},
    **{ord(character): "-" for character in _DASHES},
    **{ord(character): text for character, text in _STOPS.items()},
    **dict.fromkeys((0x00AD, 0x2060), ""),  # soft hyphen, word joiner
    0x2026: "...",
}
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_TAG = re.compile(r"</?(?:pre|code|p|div|span|b|strong|em|i|tt|td|tr|li|blockquote)(?: [^<>\n]{0,200})?>")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_BREAK = re.compile(r"<br ?/?>")
_HAN = "\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af"
_BORDER = re.compile(rf"(?<=[{_HAN}])(?=[A-Za-z0-9_'\"`])|(?<=[A-Za-z0-9_'\"`])(?=[{_HAN}])")
# Words of tensor names whose underscores a Markdown renderer took for emphasis.
_OWN_WORDS = (
    "language_model", "self_attn", "linear_attn", "q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj", "out_proj",
    "input_layernorm", "post_attention_layernorm", "in_proj_qkv", "in_proj_z", "in_proj_a", "in_proj_b", "shared_expert",
)  # fmt: skip
_WORDS = (*_OWN_WORDS, *INNER, *PEFT, *TENSORS, *HEADS, *EMBEDDINGS, *MATRICES, *TOWERS, *LEAVES)
_JOINED = {word.replace("_", ""): word for word in _WORDS if "_" in word.strip("_") and len(word) > 4}
_PLAIN = re.compile(r"[A-Za-z0-9]{4,}")
_LOST = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(_JOINED, key=len, reverse=True))})(?![\w-])")
_OPEN_QUOTED = re.compile(r"(?:^|[\s:(\[{,])['\"`][\w.\-/{}]{1,200}\Z")
_OPEN_PLAIN = re.compile(r"(?<![\w.])\w{1,60}(?:\.\w{1,60}){1,20}[._]\Z")
_REST_QUOTED = re.compile(r"\s*[\w.\-/{}]{1,200}['\"`]")
_REST_PLAIN = re.compile(r"(?!\s*[A-Z][a-z]{1,30} )\s*\.?\w{1,60}(?:\.\w{1,60}){0,20}(?:['\"`),:;]|\s|\Z)")


def normalise(text: str) -> str:
    """The line as a terminal would have printed it. ``<br>`` becomes a line end, so the result may hold several."""
    if "&" in text and _ENTITY.search(text):
        text = _ENTITY.sub(_unescape, _ENTITY.sub(_unescape, text))  # forums escape twice
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    if "\\_" in text:
        text = text.replace("\\_", "_")
    if not text.isascii():
        text = _BORDER.sub(" ", text.translate(_TABLE))
    lost = "." in text and not _JOINED.keys().isdisjoint(_PLAIN.findall(text))
    return _LOST.sub(_respell, text) if lost else text


def _unescape(entity: re.Match[str]) -> str:
    return html.unescape(entity.group()).replace("\xa0", " ")


def _respell(word: re.Match[str]) -> str:
    """The word with its underscores, where it is a part of a dotted name."""
    text, begin, end = word.string, word.start(), word.end()
    dotted = text[begin - 1 : begin] == "." or (text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum())
    return _JOINED[word.group()] if dotted else word.group()


def unwrap(lines: Sequence[Line]) -> list[Line]:
    """The lines, with a name that was broken over two of them in one piece again."""
    whole: list[Line] = []
    for line in lines:
        if whole and _is_continued(whole[-1].text, line.text):
            last = whole.pop()
            line = Line(last.text + line.text.lstrip(), last.source, last.stamped)
        whole.append(line)
    return whole


def _is_continued(text: str, rest: str) -> bool:
    """Whether a line ends within a name and the next one begins with the remainder."""
    if not 20 <= len(text) <= 400 or not rest or rest.lstrip().startswith(("File ", "Traceback")):
        return False
    if text[-1] in "._" and _OPEN_PLAIN.search(text[-200:]):
        return bool(_REST_PLAIN.match(rest[:300]))
    quote = max(map(text.rfind, "'\"`"))
    return quote >= 0 and bool(_OPEN_QUOTED.match(text[max(0, quote - 1) :]) and _REST_QUOTED.match(rest[:300]))
