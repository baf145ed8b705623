"""Try every attack in a process of its own: ``python -m tests.interpret.sandbox.attacking walled|open USER``.

Prints name -> what came of it: "killed", "worked", an error number, or what else ended it.
"""

from __future__ import annotations

import encodings.idna
import json
import os
import signal
import sys

from loadproof.interpret.sandbox.wall import raise_wall
from tests.interpret.sandbox.attacks import ATTACKS, TARGET, Attack

KEPT = (encodings.idna,)  # a name server is asked in this encoding
_SECONDS = 5


def outcome(attack: Attack, is_walled: bool) -> str | int:
    """What came of an attack, in a child with two pipes like those of an evaluation."""
    source, into = os.pipe()
    out, answer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(source, 0)
        os.dup2(answer, 1)
        _attack(attack, is_walled)
    for end in (source, into, answer):
        os.close(end)
    said = os.read(out, 200).decode()
    os.close(out)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == -signal.SIGSYS:
        return "killed"
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    return int(said) if said.isdigit() else said or "worked"  # another program took the place of this one


def _attack(attack: Attack, is_walled: bool) -> None:
    os.closerange(3, 100)
    signal.alarm(_SECONDS)
    if is_walled:
        raise_wall(_SECONDS)
    try:
        attack.act()
        said = "worked"
    except OSError as problem:
        said = str(problem.errno)
    except BaseException as problem:
        said = f"{type(problem).__name__}: {problem}"
    os.write(1, said.encode())
    os._exit(0)


def main() -> None:
    is_walled, user = sys.argv[1] == "walled", int(sys.argv[2])
    TARGET[0] = os.getpid()
    if user != os.geteuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    tried = [attack for attack in ATTACKS if attack.safe or is_walled]
    print(json.dumps({f"{attack.kind}: {attack.name}": outcome(attack, is_walled) for attack in tried}))


if __name__ == "__main__":
    main()
