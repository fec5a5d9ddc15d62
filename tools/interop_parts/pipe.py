# SPDX-License-Identifier: Apache-2.0
"""Joins standard input and output with a local socket; QEMU starts one for each TCP connection of the guest to the host's side.
usage: pipe.py SOCKET"""
import os
import selectors
import socket
import sys


def main():
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(sys.argv[1])
    chooser = selectors.DefaultSelector()
    chooser.register(0, selectors.EVENT_READ, (lambda: os.read(0, 65536), channel.sendall))
    chooser.register(channel, selectors.EVENT_READ, (lambda: channel.recv(65536), lambda data: os.write(1, data)))
    while True:
        for key, _ in chooser.select():
            read, write = key.data
            data = read()
            if not data:
                return
            write(data)


main()
