"""A launcher whose worker says that it is on another host and computes something else, or the same.

usage: pretend_host.py HOST FINGERPRINT PROGRAM [ARGUMENT]...
"""
import os
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "protocol"))
import msgpack

host, fingerprint = sys.argv[1], int(sys.argv[2], 16)
child = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE, bufsize=0)


def write(data):
    while data:
        data = data[os.write(1, data):]


head = child.stdout.read(4)
if len(head) == 4:
    hello = msgpack.unpackb(child.stdout.read(struct.unpack(">I", head)[0]))
    hello[4:6] = [fingerprint, host]
    payload = msgpack.packb(hello)
    write(struct.pack(">I", len(payload)) + payload)
while True:
    data = child.stdout.read(65536)
    if not data:
        break
    write(data)
sys.exit(child.wait())
