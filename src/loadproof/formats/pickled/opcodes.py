"""What each opcode of a pickle (protocols 0 to 5) does to the machine."""

from __future__ import annotations

from collections.abc import Callable

from loadproof.formats.pickled.building import add_members, append, build, push_global, set_items
from loadproof.formats.pickled.machine import Machine
from loadproof.formats.pickled.values import Called, Members, Value

Operation = Callable[[Machine], None]
MAX_INTEGER = 256  # bytes of one integer
MAX_DIGITS = 600  # of an integer that is written as text


def _push(make: Callable[[Machine], Value]) -> Operation:
    return lambda m: m.stack.append(make(m))


def _constant(value: Value) -> Operation:
    return lambda m: m.stack.append(value)


def _fresh(kind: Callable[[], Value]) -> Operation:
    return lambda m: m.stack.append(kind())


def _grouped(kind: Callable[[list[Value]], Value]) -> Operation:
    def operation(m: Machine) -> None:
        items = m.group()  # exchanges m.stack
        m.stack.append(kind(items))

    return operation


def _into(fill: Callable[[Machine, list[Value]], None]) -> Operation:
    def operation(m: Machine) -> None:
        items = m.group()
        fill(m, items)

    return operation


def _tuple(width: int) -> Operation:
    def operation(m: Machine) -> None:
        if len(m.stack) < width:
            m.fail("the stack is empty")
        m.stack[-width:] = [tuple(m.stack[-width:])]

    return operation


def _global(m: Machine) -> None:
    module, name = m.line().decode(), m.line().decode()
    push_global(m, module, name, is_renamed=m.protocol < 3)


def _stack_global(m: Machine) -> None:
    name, module = m.stack.pop(), m.stack.pop()
    if type(name) is not str or type(module) is not str:
        m.fail("a global whose name is no text")
    push_global(m, module, name, is_renamed=False, is_strict=False)


def _inst(m: Machine) -> None:
    push_global(m, m.line().decode(), m.line().decode(), is_renamed=True, is_strict=False)
    function, arguments = m.stack.pop(), tuple(m.group())
    m.stack.append(m.call(function, arguments))


def _obj(m: Machine) -> None:
    items = m.group()
    m.stack.append(m.call(items[0], tuple(items[1:])))


def _reduce(m: Machine) -> None:
    arguments, function = m.stack.pop(), m.stack[-1]
    m.stack[-1] = m.call(function, arguments)


def _new_object(m: Machine) -> None:
    arguments, kind = m.stack.pop(), m.stack.pop()
    m.stack.append(m.call(kind, arguments, is_new=True))


def _new_object_with_keywords(m: Machine) -> None:
    keywords, arguments, kind = m.stack.pop(), m.stack.pop(), m.stack.pop()
    value = m.call(kind, arguments, is_new=True)
    if keywords and not isinstance(value, Called):
        m.fail(f"{kind} with keyword arguments")
    m.stack.append(value)


def _persistent(m: Machine) -> None:
    if m.known.persistent is None:
        m.fail("a persistent id, which nothing here gives a meaning")
    m.stack[-1] = m.known.persistent(m.stack[-1])


def _pop(m: Machine) -> None:
    if m.stack:
        m.stack.pop()
    else:
        m.group()


def _pop_mark(m: Machine) -> None:
    m.group()


def _append_one(m: Machine) -> None:
    item = m.stack.pop()
    append(m, [item])


def _set_item(m: Machine) -> None:
    value, key = m.stack.pop(), m.stack.pop()
    set_items(m, [key, value])


def _dict(m: Machine) -> None:
    items = m.group()
    m.stack.append({})
    set_items(m, items)


def _long(width: str, length: int) -> Callable[[Machine], Value]:
    def read(m: Machine) -> Value:
        size = m.number(width, length)
        if not 0 <= size <= MAX_INTEGER:
            m.fail(f"an integer of {size:,} bytes")
        return int.from_bytes(m.take(size), "little", signed=True)

    return read


def _text_integer(m: Machine) -> Value:
    text = m.line().rstrip(b"L")
    if len(text) > MAX_DIGITS:
        m.fail(f"an integer of {len(text):,} digits")
    if text in (b"00", b"01"):
        return text == b"01"
    return int(text)


def _quoted(m: Machine) -> Value:
    text = m.line()
    if len(text) < 2 or text[0] != text[-1] or text[0] not in b"'\"":
        m.fail("a string without quotes")
    return text[1:-1].decode("ascii", "backslashreplace")


def _bytes(width: str, length: int) -> Callable[[Machine], Value]:
    return lambda m: m.take(m.number(width, length))


def _text(width: str, length: int, errors: str = "surrogatepass") -> Callable[[Machine], Value]:
    """A string; the one-byte strings of Python 2 are UTF-8 for torch, too."""
    return lambda m: m.take(m.number(width, length)).decode("utf-8", errors)


_unicode = _text("<I", 4)


def _entry_or_text(m: Machine) -> None:
    if m.known.entry is None or not m.known.entry(m):
        m.stack.append(_unicode(m))


def _frame(m: Machine) -> None:
    length = m.number("<Q", 8)
    if m.pos + length > m.end:
        m.fail(f"a frame of {length:,} bytes where {m.end - m.pos:,} remain")


def _protocol(m: Machine) -> None:
    m.protocol = m.take(1)[0]
    if m.protocol > 5:
        m.stop_at_limit(f"pickle protocol {m.protocol}")


def _stop(m: Machine) -> None:
    m.done = True
    m.left_over = len(m.stack) - 1 + sum(map(len, m.marks))


# fmt: off
STRICT: dict[bytes, Operation] = {  # what torch's weights_only unpickler knows (_weights_only_unpickler.py of 2.13)
    b"c": _global, b"\x81": _new_object, b"R": _reduce, b"b": build, b"a": _append_one, b"e": _into(append),
    b"s": _set_item, b"u": _into(set_items), b"(": lambda m: m.mark(), b"t": _grouped(tuple),
    b"\x85": _tuple(1), b"\x86": _tuple(2), b"\x87": _tuple(3), b"N": _constant(None),
    b"\x89": _constant(False), b"\x88": _constant(True), b")": _constant(()), b"]": _fresh(list),
    b"}": _fresh(dict), b"\x8f": _fresh(Members), b"J": _push(lambda m: m.number("<i", 4)),
    b"K": _push(lambda m: m.take(1)[0]), b"M": _push(lambda m: m.number("<H", 2)),
    b"G": _push(lambda m: m.number(">d", 8)), b"X": _entry_or_text, b"U": _push(_text("<B", 1, "strict")),
    b"Q": _persistent, b"h": _push(lambda m: m.memo[m.take(1)[0]]), b"j": _push(lambda m: m.memo[m.number("<I", 4)]),
    b"q": lambda m: m.put(m.take(1)[0]), b"r": lambda m: m.put(m.number("<I", 4)), b"\x8a": _push(_long("<B", 1)),
    b"\x80": _protocol, b".": _stop,
}
MORE: dict[bytes, Operation] = {  # the other opcodes of Python's own pickle
    b"\x93": _stack_global, b"i": _inst, b"o": _obj, b"\x92": _new_object_with_keywords,
    b"\x94": lambda m: m.put(len(m.memo)), b"\x95": _frame, b"0": _pop, b"1": _pop_mark,
    b"2": _push(lambda m: m.stack[-1]), b"I": _push(_text_integer), b"L": _push(_text_integer),
    b"F": _push(lambda m: float(m.line())), b"S": _push(_quoted),
    b"V": _push(lambda m: m.line().decode("raw-unicode-escape")), b"g": _push(lambda m: m.memo[int(m.line())]),
    b"p": lambda m: m.put(int(m.line())), b"d": _dict, b"l": _grouped(list), b"\x90": _into(add_members),
    b"\x91": _grouped(Members), b"\x8b": _push(_long("<i", 4)), b"\x8c": _push(_text("<B", 1)),
    b"\x8d": _push(_text("<Q", 8)), b"T": _push(_text("<i", 4, "strict")), b"C": _push(_bytes("<B", 1)),
    b"B": _push(_bytes("<I", 4)), b"\x8e": _push(_bytes("<Q", 8)), b"\x96": _push(_bytes("<Q", 8)),
}
# fmt: on


def _noted(code: int, operation: Operation) -> Operation:
    def noted(m: Machine) -> None:
        m.note_beyond("opcode", str(code))
        operation(m)

    return noted


def _unknown(code: int) -> Operation:
    return lambda m: m.fail(f"opcode 0x{code:02x}, which no state dict holds")


TABLE: list[Operation] = [_unknown(code) for code in range(256)]
for _code, _operation in STRICT.items():
    TABLE[_code[0]] = _operation
for _code, _operation in MORE.items():
    TABLE[_code[0]] = _noted(_code[0], _operation)
