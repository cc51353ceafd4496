"""A launcher whose program has a pseudo-terminal as its standard output, as under `srun -u`.

usage: launch_pty.py PROGRAM [ARGUMENT]...
"""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=slave)
os.close(slave)
while True:
    try:
        data = os.read(master, 65536)
    except OSError:  # the other end is closed
        break
    while data:
        data = data[os.write(1, data):]
sys.exit(child.wait())
