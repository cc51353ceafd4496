"""A launcher whose worker lies once: the first answer of the first process of a run is not what the simulator said.

usage: liar.py LIE MARK PROGRAM [ARGUMENT]...

LIE is a row of LIES; MARK is a file that the process which lies makes; with the mark "always" every answer is a lie.
"""
import os
import signal
import struct
import subprocess
import sys

import msgpack

RESULT, REJECTED, EPOCH_END = 33, 34, 35
HUGE = 1e308


def put(*path):
    """A lie that puts the last of its words where the others lead."""
    *way, last, value = path

    def change(message):
        for step in way:
            message = message[step]
        message[last] = value(message[last]) if callable(value) else value
    return change


def bad_life(message):
    message[7].append([7, 0, 0, 0, 0, False, 50, 40, 1, 0, 3, 0.3, 1.0, 0, 0, 0, 5, -1])


def endless_life(message):
    message[7].append([7, 0, 0, 0, 0, False, 2**62, -1, -1, 0, 3, 0.3, 1.0, 0, 0, 0, 5, -1])


def other_kind(message):
    if message[0] == RESULT:
        message[:] = [EPOCH_END, message[1], 5, [1.0, 1.0, 0], b"state", b"", [0] * 24, []]
    else:
        message[:] = [RESULT, message[1], 0, 0, 5, [0.0] * 70, 0.0, [1.0, 1.0, 0], []]


def crash(message):
    sys.exit(128 + signal.SIGSEGV)


def vanish(message):
    child.kill()
    os.kill(os.getpid(), signal.SIGKILL)


def reject(message):
    message[:] = [REJECTED, message[1], "do not like it"]


LIES = {
    # of any answer
    "crash": crash,
    "vanish": vanish,
    "rejected": reject,
    "id": put(1, lambda id: id + 1000),
    "other-kind": other_kind,
    # of results
    "creature": put(2, lambda id: id + 1),
    "verdict": put(3, 99),
    "quarantined": put(3, 13),
    "huge-measure": put(5, 7, HUGE),
    "huge-negative-measure": put(5, 7, -1e31),
    "nan-measure": put(5, 7, float("nan")),
    "few-measures": put(5, lambda measures: measures[1:]),
    "huge-pace": put(6, HUGE),
    "huge-cost": put(7, [HUGE, 1.0, 0]),
    "huge-memory": put(7, [1.0, 1.0, 2**64 - 1]),
    "no-rival": put(8, []),
    "rivals": put(8, lambda rivals: rivals + rivals),
    "rival-verdict": put(8, 0, 0, 13),
    "rival-margin": put(8, 0, 1, 68, 1.5),
    "margin": put(5, 68, -2.0),
    "huge-rival-measure": put(8, 0, 1, 7, HUGE),
    # of ends of epochs
    "no-state": put(4, b""),
    "short-state": put(4, b"\0\0\0\1"),
    "garbage-state": put(4, lambda state: state[:4] + bytes(len(state) - 4)),
    "long-state": put(4, lambda state: b"\xff" + state[1:]),
    "other-state": put(2, lambda digest: digest ^ 1),
    "garbage-traveller": put(5, b"traveller"),
    "few-facts": put(6, lambda facts: facts[1:]),
    "negative-fact": put(6, 0, -1),
    "huge-fact": put(6, 0, 2**62),
    "unbalanced-facts": put(6, 14, lambda energy: energy + 1),
    "life-ends-before-it-begins": bad_life,
    "endless-life": endless_life,
    "epoch-cost": put(3, [1.0, HUGE, 0]),
}

lie, mark = sys.argv[1:3]
child = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, bufsize=0)


def read(count):
    data = b""
    while len(data) < count:
        more = child.stdout.read(count - len(data))
        if not more:
            sys.exit(child.wait())
        data += more
    return data


def write(data):
    while data:
        data = data[os.write(1, data):]


def may_lie():
    if mark == "always":
        return True
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


while True:
    payload = read(struct.unpack(">I", read(4))[0])
    message = msgpack.unpackb(payload)
    if message[0] in (RESULT, EPOCH_END) and may_lie():
        LIES[lie](message)
        payload = msgpack.packb(message)
    write(struct.pack(">I", len(payload)) + payload)
