"""What code with all of CPython and ctypes can ask of Linux on x86_64, by kind.

An attack returns anything when it worked and raises OSError when it was refused. `VICTIM` is the current folder, which
holds `secret`, `exe`, files `0` to `99` to be harmed and folders `dir0` to `dir9`. An attack that is not `safe` is never
tried without the wall: it would harm more than that folder, or the process that tries it.
"""

# ruff: noqa: SIM115

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Attack(NamedTuple):
    kind: str
    name: str
    act: Callable[[], Any]
    safe: bool = True


ATTACKS: list[Attack] = []
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_MEMORY = ctypes.create_string_buffer(8_192)
_AT = ctypes.addressof(_MEMORY)
_PAGE = (_AT + 4_095) & ~4_095
_HERE = -100  # AT_FDCWD
TARGET = [0]  # number of another process, set before the wall stands


def _PARENT() -> int:  # noqa: N802 - stands in the tables like a constant
    return TARGET[0]


def system_call(number: int, *arguments: Any) -> int:
    given = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = _LIBC.syscall(ctypes.c_long(number), *given, *[ctypes.c_long(0)] * (6 - len(given)))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def python(kind: str, safe: bool = True, **acts: Callable[[], Any]) -> None:
    """Attacks by functions of Python."""
    ATTACKS.extend(Attack(kind, name, act, safe) for name, act in acts.items())


def raw(kind: str, safe: bool = True, **calls: tuple[Any, ...]) -> None:
    """Attacks by number: (number, arguments); an argument that is a function is called for its value."""
    for name, (number, *arguments) in calls.items():

        def act(number: int = number, arguments: list[Any] = arguments) -> int:
            return system_call(number, *[one() if callable(one) else one for one in arguments])

        ATTACKS.append(Attack(kind, name, act, safe))


def _forked(start: Callable[[], int]) -> int:
    child = start()
    if child == 0:
        os._exit(0)
    return child


def _refused(what: Callable[[], Any], meaning: type[Exception]) -> Any:
    """Where Python hides the error number."""
    try:
        return what()
    except meaning as problem:
        raise PermissionError(errno.EPERM, str(problem)) from None


python(
    "read files",
    passwd=lambda: open("/etc/passwd").read(9),
    secret=lambda: open("secret").read(),
    secret_by_descriptor=lambda: os.open("secret", os.O_RDONLY),
    secret_as_path_only=lambda: os.open("secret", os.O_PATH),
    own_environment=lambda: open("/proc/self/environ", "rb").read(),
    parents_environment=lambda: open(f"/proc/{_PARENT()}/environ", "rb").read(9),
    parents_memory=lambda: open(f"/proc/{_PARENT()}/mem", "rb"),
    parents_command_line=lambda: open(f"/proc/{_PARENT()}/cmdline", "rb").read(),
    parents_descriptors=lambda: os.listdir(f"/proc/{_PARENT()}/fd"),
    parents_folder=lambda: os.readlink(f"/proc/{_PARENT()}/cwd"),
    memory_map=lambda: open("/proc/self/maps").read(9),
    own_memory=lambda: open("/proc/self/mem", "r+b"),
    own_program=lambda: os.readlink("/proc/self/exe"),
    top_folder=lambda: os.listdir("/"),
    home_folder=lambda: os.listdir("/root"),
    processes=lambda: os.listdir("/proc"),
    kernel_settings=lambda: open("/proc/sys/kernel/hostname").read(),
    devices=lambda: os.listdir("/sys"),
    random_device=lambda: open("/dev/urandom", "rb").read(1),
    zero_device=lambda: open("/dev/zero", "rb").read(1),
    walk=lambda: next(os.scandir(".")),
)
python(
    "look at files",
    stat=lambda: os.stat("secret"),
    lstat=lambda: os.lstat("secret"),
    stat_of_a_folder=lambda: os.stat("/"),
    file_system=lambda: os.statvfs("/"),
    access=lambda: _true(os.access("secret", os.R_OK)),
    current_folder=os.getcwd,
    attributes=lambda: os.listxattr("secret"),
    follow_link=lambda: os.readlink("link"),
)


def _true(answer: bool) -> bool:
    if not answer:
        raise PermissionError(errno.EPERM, "no")
    return answer


python(
    "write files",
    create=lambda: open("made", "w"),
    append=lambda: open("0", "a"),
    write_in_place=lambda: open("1", "r+b"),
    truncate=lambda: os.truncate("2", 0),
    create_exclusive=lambda: os.open("made2", os.O_CREAT | os.O_EXCL | os.O_WRONLY),
    nameless=lambda: os.open(".", os.O_TMPFILE | os.O_WRONLY),
    shared_memory=lambda: _removed(os.open("/dev/shm/loadproof-attack", os.O_CREAT | os.O_WRONLY)),
    null_device=lambda: os.open("/dev/null", os.O_WRONLY),
)


def _removed(descriptor: int) -> int:
    os.unlink("/dev/shm/loadproof-attack")
    return descriptor


python(
    "change folders",
    unlink=lambda: os.unlink("3") or "done",
    rename=lambda: os.rename("4", "4new") or "done",
    replace=lambda: os.replace("5", "6") or "done",
    hard_link=lambda: os.link("secret", "hard") or "done",
    symbolic_link=lambda: os.symlink("/etc", "soft") or "done",
    make_folder=lambda: os.mkdir("made-folder") or "done",
    remove_folder=lambda: os.rmdir("dir0") or "done",
    pipe_file=lambda: os.mkfifo("fifo") or "done",
    mode=lambda: os.chmod("7", 0o600) or "done",
    owner=lambda: os.chown("7", -1, -1) or "done",
    times=lambda: os.utime("7") or "done",
    attribute=lambda: os.setxattr("7", "user.x", b"1") or "done",
    go_there=lambda: os.chdir("dir1") or "done",
    go_up=lambda: os.chdir("..") or "done",
)
raw(
    "files by number",
    open=(2, b"secret", 0),
    openat=(257, _HERE, b"secret", 0),
    openat2=(437, _HERE, b"secret", bytes(24), 24),
    creat=(85, b"made3", 0o644),
    name_to_handle=(303, _HERE, b"secret", struct.pack("=Ii", 128, 0) + bytes(128), _AT, 0),
    open_by_handle=(304, _HERE, struct.pack("=Ii", 8, 1) + bytes(128), 0),
    unlinkat=(263, _HERE, b"8", 0),
    renameat=(264, _HERE, b"9", _HERE, b"9new"),
    renameat2=(316, _HERE, b"10", _HERE, b"10new", 0),
    linkat=(265, _HERE, b"secret", _HERE, b"hard2", 0),
    symlinkat=(266, b"secret", _HERE, b"soft2"),
    mkdirat=(258, _HERE, b"made-folder2", 0o755),
    mknod=(133, b"fifo2", 0o10644, 0),
    mknodat=(259, _HERE, b"fifo3", 0o10644, 0),
    fchmodat=(268, _HERE, b"7", 0o600),
    fchmodat2=(452, _HERE, b"7", 0o600, 0),
    fchownat=(260, _HERE, b"7", -1, -1, 0),
    utimensat=(280, _HERE, b"7", None, 0),
    utime=(132, b"7", None),
    stat=(4, b"secret", _AT),
    lstat=(6, b"secret", _AT),
    newfstatat=(262, _HERE, b"secret", _AT, 0),
    newfstatat_of_a_descriptor=(262, 0, b"", _AT, 0x1000),
    statx=(332, _HERE, b"secret", 0, 0x7FF, _AT),
    statfs=(137, b"/", _AT),
    fstatfs=(138, 0, _AT),
    access=(21, b"secret", 4),
    faccessat=(269, _HERE, b"secret", 4),
    faccessat2=(439, _HERE, b"secret", 4, 0),
    readlink=(89, b"/proc/self/exe", _AT, 4_096),
    readlinkat=(267, _HERE, b"/proc/self/exe", _AT, 4_096),
    getcwd=(79, _AT, 4_096),
    chdir=(80, b"dir2"),
    fchdir=(81, 0),
    setxattr=(188, b"7", b"user.y", b"1", 1, 0),
    getxattr=(191, b"7", b"user.x", _AT, 10),
    listxattr=(194, b"7", _AT, 4_096),
    removexattr=(197, b"7", b"user.x"),
    truncate=(76, b"11", 0),
    ftruncate=(77, 1, 0),
    fallocate=(285, 1, 0, 0, 1),
    umask=(95, 0o22),
    inotify=(294, 0),
    fanotify=(300, 0, 0),
    quota=(179, 0x800007 << 8, None, 0, _AT),
    file_handle_lock=(73, 0, 8),
)
raw(
    "mount",
    chroot=(161, b"."),
    pivot_root=(155, b"no-such-folder", b"no-such-folder"),
    mount=(165, b"none", b"dir3", b"no-such-system", 0, None),
    umount=(166, b"dir3", 0),
    fsopen=(430, b"tmpfs", 0),
    fsconfig=(431, -1, 0, None, None, 0),
    fsmount=(432, -1, 0, 0),
    open_tree=(428, _HERE, b".", 0),
    move_mount=(429, -1, b"", -1, b"", 0),
    mount_setattr=(442, -1, b"", 0, None, 0),
)
for _name, _family, _type in (
    ("unix", 1, 1),
    ("tcp", 2, 1),
    ("udp", 2, 2),
    ("icmp", 2, 3),
    ("tcp6", 10, 1),
    ("netlink", 16, 3),
    ("packet", 17, 3),
    ("crypto", 38, 5),
    ("vsock", 40, 1),
    ("express", 44, 3),
    ("bluetooth", 31, 3),
    ("can", 29, 3),
):
    raw("network", **{f"socket_{_name}": (41, _family, _type, 1 if _name in ("icmp", "can") else 0)})
raw(
    "network",
    socketpair=(53, 1, 1, 0, _AT),
    connect=(42, 0, struct.pack("=H14x", 1), 16),
    bind=(49, 0, struct.pack("=H14x", 1), 16),
    listen=(50, 0, 1),
    accept=(43, 0, None, None),
    accept4=(288, 0, None, None, 0),
    sendto=(44, 1, b"x", 1, 0, None, 0),
    recvfrom=(45, 0, _AT, 1, 0, None, None),
    sendmsg=(46, 1, _AT, 0),
    recvmsg=(47, 0, _AT, 0),
    shutdown=(48, 0, 2),
    getsockname=(51, 0, _AT, _AT),
    getpeername=(52, 0, _AT, _AT),
    setsockopt=(54, 0, 1, 2, _AT, 4),
    getsockopt=(55, 0, 1, 2, _AT, _AT),
)
python(
    "network",
    connect_to_a_port=lambda: socket.create_connection(("127.0.0.1", 9), 0.1),
    listen_on_a_port=lambda: socket.create_server(("127.0.0.1", 0)),
    ask_a_name_server=lambda: socket.getaddrinfo("localhost", 80),
    host_name=socket.gethostname,
)
python(
    "start programs",
    fork=lambda: _forked(os.fork),
    fork_by_number=lambda: _forked(lambda: system_call(57)),
    clone=lambda: _forked(lambda: system_call(56, 17)),
    clone3=lambda: _forked(lambda: system_call(435, struct.pack("=8Q", 0, 0, 0, 0, 17, 0, 0, 0), 64)),
    shell=lambda: _true(os.system("true") == 0),
    spawn=lambda: os.posix_spawn("/bin/true", ["true"], {}),
    thread=lambda: _refused(lambda: __import__("_thread").start_new_thread(len, ((),)), RuntimeError),
    pipe=os.pipe,
)
_ARGUMENTS = (ctypes.c_char_p * 2)(b"true", None)
raw(
    "start programs",
    execve=(59, b"/bin/true", _ARGUMENTS, None),
    execveat=(322, _HERE, b"/bin/true", _ARGUMENTS, None, 0),
    execve_in_the_folder=(59, b"exe", _ARGUMENTS, None),
    memfd=(319, b"x", 0),
    memfd_secret=(447, 0),
    wait4=(61, -1, None, 1, None),
    waitid=(247, 0, 0, _AT, 5, None),
)
raw(
    "other processes",
    signal_to_the_parent=(62, _PARENT, 0),
    queue_to_the_parent=(129, _PARENT, 0, struct.pack("=iii116x", 0, 0, -1)),
    abort_another=(234, _PARENT, _PARENT, 0),
    tkill_another=(200, _PARENT, 0),
    handle_of_the_parent=(434, _PARENT, 0),
    signal_by_handle=(424, 0, 0, None, 0),
    descriptor_of_another=(438, 0, 0, 0),
    read_the_parents_memory=(310, _PARENT, struct.pack("=QQ", _AT, 8), 1, struct.pack("=QQ", _AT, 8), 1, 0),
    compare=(312, os.getpid, _PARENT, 0, 0, 0),
    limits_of_the_parent=(302, _PARENT, 7, None, _AT),
    priority_of_the_parent=(140, 0, _PARENT),
    affinity_of_the_parent=(204, _PARENT, 8, _AT),
    session_of_the_parent=(124, _PARENT),
    group_of_the_parent=(121, _PARENT),
)
raw(
    "other processes",
    safe=False,
    signal_to_all=(62, -1, 0),
    trace_the_parent=(101, 0x4206, _PARENT, 0, 0),
    trace_me=(101, 0),
    write_the_parents_memory=(311, _PARENT, struct.pack("=QQ", _AT, 8), 1, struct.pack("=QQ", _AT, 8), 1, 0),
    advise_another=(440, 0, _AT, 1, 4, 0),
)
raw(
    "privileges",
    setuid=(105, 0),
    setgid=(106, 0),
    setresuid=(117, 0, 0, 0),
    setresgid=(119, 0, 0, 0),
    setreuid=(113, 0, 0),
    setgroups=(116, 0, None),
    setfsuid=(122, 0),
    capget=(125, struct.pack("=Ii", 0x20080522, 0), _AT),
    capset=(126, struct.pack("=Ii", 0x20080522, 0), bytes(24)),
    user_namespace=(272, 0x10000000),
    network_namespace=(272, 0x40000000),
    mount_namespace=(272, 0x00020000),
    enter_namespace=(308, 0, 0),
    new_session=(112,),
    new_group=(109, 0, 0),
    priority=(141, 0, 0, 5),
    scheduler=(144, 0, 0, bytes(4)),
    affinity=(203, 0, 8, struct.pack("=Q", 1)),
    limits=(302, 0, 7, struct.pack("=QQ", 64, 64), None),
    dumpable=(157, 4, 1),
    outlive_the_parent=(157, 1, 0),
    other_name=(157, 15, b"systemd"),
    registers=(158, 0x1004, _AT),
    another_filter=(317, 2, 0, _AT),
    personality=(135, 0xFFFFFFFF),
    io_priority=(252, 1, 0),
    landlock=(444, None, 0, 1),
    names_of_the_system=(63, _AT),
    own_user=(102,),
    process_group=(111,),
)
python(
    "privileges",
    more_time=lambda: _refused(lambda: resource.setrlimit(resource.RLIMIT_CPU, (1_000, 1_000)) or 1, ValueError),
    more_memory=lambda: _refused(lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)) or 1, ValueError),
    ignore_the_clock=lambda: _refused(lambda: signal.signal(signal.SIGXCPU, signal.SIG_IGN) or 1, OSError),
    block_signals=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, []) or 1,
    alarm=lambda: signal.alarm(0) or 1,
    usage=lambda: resource.getrusage(resource.RUSAGE_SELF),
    sleep=lambda: time.sleep(0.001) or 1,
)
raw(
    "the kernel",
    io_ports=(172, 0),
    one_port=(173, 0x80, 1, 0),
    segments=(154, 0, _AT, 16),
    log=(103, 10, None, 0),
    program=(321, 0, struct.pack("=IIII112x", 2, 4, 4, 1), 128),
    counters=(298, struct.pack("=IIQ112x", 1, 128, 0), 0, -1, -1, 0),
    page_faults=(323, 0o2000001),
    ring=(425, 4, bytes(120)),
    ring_enter=(426, -1, 0, 0, 0, None),
    ring_register=(427, -1, 0, None, 0),
    old_ring=(206, 1, struct.pack("=Q", 0)),
    key=(250, 0, -3, 0),
    add_key=(248, b"user", b"lp", b"x", 1, -3),
    request_key=(249, b"user", b"lp", None, 0),
    membarrier=(324, 0, 0, 0),
    robust_list=(273, _AT, 24),
    own_threads_address=(218, _AT),
    processor=(309, _AT, _AT, None),
    clock_resolution=(229, 0, _AT),
    time=(201, None),
    times=(100, _AT),
    adjust=(159, bytes(208)),
    x32=(0x40000000 | 39,),
)
raw(
    "the kernel",
    safe=False,
    reboot=(169, 0, 0, 0),
    load_kernel=(246, 0, 0, None, 0xFFFF),
    load_module=(175, _AT, 16, b""),
    load_module_file=(313, -1, b"", 0),
    unload_module=(176, b"no_such_module", 0),
    set_clock=(227, 0, None),
    set_time=(164, None, None),
    host_name=(170, b"loadproof", -1),
    domain_name=(171, b"loadproof", -1),
    swap_on=(167, b"no-such-file", 0),
    swap_off=(168, b"no-such-file"),
    accounting=(163, b"no-such-file"),
    hang_up=(153,),
)
raw(
    "memory",
    executable=(9, 0, 4_096, 5, 0x22, -1, 0),
    writable_and_executable=(9, 0, 4_096, 7, 0x22, -1, 0),
    of_a_descriptor=(9, 0, 4_096, 1, 1, 0, 0),
    made_executable=(10, _PAGE, 4_096, 5),
    made_executable_by_key=(329, _PAGE, 4_096, 5, -1),
    protection_key=(330, 0, 0),
    old_mapping=(216, _PAGE, 4_096, 0, 0, 0),
    attached=(30, 0, None, 0),
    named_queue=(240, b"loadproof", 0, 0, None),
    locked=(149, _PAGE, 4_096),
    all_locked=(151, 1),
    resident=(27, _PAGE, 4_096, _AT),
    synced=(26, _PAGE, 4_096, 1),
    free_for_others=(28, _PAGE, 4_096, 12),
    requeue=(202, _AT, 3, 1, 1, _AT, 0),
    moved_pages=(279, 0, 0, None, None, None, 0),
    memory_policy=(239, None, None, 0, None, 0),
)
raw("start programs", safe=False, vfork=(58,))
raw("change folders", safe=False, flush_disks=(162,))
raw("memory", safe=False, shared=(29, 0, 4_096, 0o1600), queue=(68, 0, 0o1600), semaphore=(64, 0, 1, 0o1600))
python(
    "memory",
    executable_by_python=lambda: mmap.mmap(-1, 4_096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    shared_by_python=lambda: mmap.mmap(0, 4_096),
)
raw(
    "descriptors",
    duplicate=(32, 0),
    duplicate_to=(33, 0, 9),
    duplicate_with_flags=(292, 0, 9, 0),
    pipe=(22, _AT),
    pipe_with_flags=(293, _AT, 0),
    event=(290, 0, 0),
    poll_set=(291, 0),
    timer=(283, 1, 0),
    signals=(289, -1, struct.pack("=Q", 0), 8, 0),
    process_timer=(222, 1, None, _AT),
    interval=(38, 0, None, _AT),
    send_file=(40, 1, 0, None, 1),
    splice=(275, 0, None, 1, None, 0, 2),
    tee=(276, 0, 1, 0, 2),
    give_pages=(278, 1, struct.pack("=QQ", _AT, 0), 1, 2),
    copy_range=(326, 0, None, 1, None, 0, 0),
    write_in_parts=(20, 1, struct.pack("=QQ", _AT, 0), 1),
    read_in_parts=(19, 0, struct.pack("=QQ", _AT, 0), 1),
    write_at=(18, 1, _AT, 0, 0),
    read_at=(17, 0, _AT, 0, 0),
    write_to_another=(1, 2, b"", 0),
    write_to_the_input=(1, 0, b"", 0),
    read_from_the_output=(0, 1, _AT, 0),
    read_from_another=(0, 2, _AT, 0),
    close_many=(436, 20, 30, 0),
    wait=(7, _AT, 0, 0),
    wait_long=(271, None, 0, bytes(16), None, 8),
    select=(23, 0, None, None, None, bytes(16)),
    sleep=(35, bytes(16), None),
    sleep_on_a_clock=(230, 1, 0, bytes(16), None),
    type_into_a_terminal=(16, 0, 0x5412, b"x"),
    waiting_bytes=(16, 0, 0x541B, _AT),
    flags=(72, 0, 3, 0),
    owner=(72, 0, 8, _PARENT),
    pipe_size=(72, 0, 1_032, 0),
)
python(
    "descriptors",
    flags_by_python=lambda: fcntl.fcntl(0, fcntl.F_GETFD) or 1,
    select_by_python=lambda: select.select([], [], [], 0),
    is_a_terminal=lambda: os.isatty(0) or os.fstat(0),
    file_object=lambda: open(0, "rb", closefd=False),
)
