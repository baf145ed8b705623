"""Run as a process of its own, so that it can be killed: apply or undo the repair of a scenario.

usage: victim.py FOLDER SCENARIO apply|undo       exit status 3: stopped with a message, as it should on an error
"""

from __future__ import annotations

import sys

import msgspec
from msgspec.structs import replace

from loadproof.repair import RepairError
from loadproof.repair.disk import RealDisk
from loadproof.repair.in_place import apply_on, locked, undo_on
from loadproof.repair.plan import Plan
from loadproof.repair.stream import sources_of


def main() -> int:
    folder, plan_file, what = sys.argv[1:]
    with open(plan_file, "rb") as stream:
        plan = msgspec.msgpack.decode(stream.read(), type=Plan)
    plan = replace(plan, sources=sources_of(plan))  # the test writes the files anew before every run
    disk = RealDisk(folder)
    try:
        with locked(folder):  # strace counts calls from here
            apply_on(disk, plan) if what == "apply" else undo_on(disk)
    except (OSError, RepairError) as error:
        print(error)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
