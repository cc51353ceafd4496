"""A controller written from PROTOCOL.md alone: one simulator, some tasks, every answer checked.

usage: pretend_controller.py SIMULATOR
"""
import os
import struct
import subprocess
import sys

import msgpack

BUILD = "bestiary 0.35.0 simulator 36"
simulator = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)


def frame(message):
    payload = msgpack.packb(message)
    return struct.pack(">I", len(payload)) + payload


def send(data):
    simulator.stdin.write(data)
    simulator.stdin.flush()


def read(count):
    data = b""
    while len(data) < count:
        piece = simulator.stdout.read(count - len(data))
        if not piece:
            sys.exit("the simulator's output ended")
        data += piece
    return data


def receive(number, count):
    length = struct.unpack(">I", read(4))[0]
    message = msgpack.unpackb(read(length))
    if message[0] != number or len(message) != count:
        sys.exit("expected message %d with %d elements, got %r" % (number, count, message))
    return message


def body(number):
    no_input = [0, 0, 0, 0, 0, 0.0, 0.0]
    return [number, 0.4, 0.1, 1, -1.0, 1.0, 1, 0, 0, 0, no_input, 0.0]


connection = [3, 1, 2, 0, 0.0, 2, 0.0, 0.0, 1.0, 0, 0]
good = [1, [body(1), body(2)], [connection], []]
bad = [1, [body(1), body(1)], [], []]
long = [1, [body(1), [2, 0.6, 0.1] + body(2)[3:]], [connection], []]

send(frame([1, 19, BUILD, os.getpid(), 0, "", "", ""]))
hello = receive(1, 8)
if hello[1] != 19 or hello[2] != BUILD:
    sys.exit("hello: %r" % hello)
# keys that are missing have their defaults, but for the rule of neighbours, which older versions did not have;
# the digest is taken from what the simulator refuses
send(frame([2, 1, 60.0, 1024, 0, {}]))
refused = receive(34, 3)
if refused[1] != 0 or "digest" not in refused[2] or simulator.wait() != 1:
    sys.exit("a wrong digest was not refused: %r" % refused)

# with the right digest, given by the caller
digest = int(os.environ["PARAMS_DIGEST"], 16)
simulator = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
send(frame([1, 19, BUILD, os.getpid(), 0, "", "", ""]) +
     frame([2, digest, 60.0, 1024, 0, {"boxes.neighbours": "auto"}]))
receive(1, 8)
if receive(32, 2)[1] != digest:
    sys.exit("ready with another digest")
tasks = b"".join(frame([3, number, 100 + number, 0, 42, "first", 0.0, 0.0, good, []]) for number in (1, 2))
tasks += frame([3, 3, 103, 0, 42, "first", 0.0, 0.0, bad, []]) + frame([3, 4, 104, 0, 42, "entry+finer-2", 0.0, 0.0, good, []])
tasks += frame([3, 5, 105, 0, 42, "first+bout-1", 0.0, 0.0, good, [[106, long]]]) + frame([4])
for at in range(0, len(tasks), 7):
    send(tasks[at:at + 7])
first, second = receive(33, 9), receive(33, 9)
if receive(34, 3)[1] != 3:
    sys.exit("a genome with two bodies of one id was not rejected")
quarter = receive(33, 9)
if [first[1], first[2], second[1], quarter[1]] != [1, 101, 2, 4]:
    sys.exit("wrong ids: %r" % [first[:3], second[:3], quarter[:3]])
if first[3:6] != second[3:6] or len(first[5]) != int(os.environ["MEASURES"]) or first[5][0] != 2.0:
    sys.exit("equal tasks, other results: %r, %r" % (first, second))
contest = receive(33, 9)
if contest[1] != 5 or len(contest[8]) != 1 or len(contest[8][0][1]) != len(contest[5]) or first[8] != []:
    sys.exit("a contest has results of both: %r" % contest)
if quarter[4] == first[4]:
    sys.exit("a quarter of the step changed nothing")
if simulator.stdout.read() != b"" or simulator.wait() != 0:
    sys.exit("it does not end in order after stop")
print("ok")
