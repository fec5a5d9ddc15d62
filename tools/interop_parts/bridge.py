# SPDX-License-Identifier: Apache-2.0
"""Runs `caravan bridge` and speaks to the nodes behind it."""
import os
import socket
import subprocess
import time

from interop_parts.endpoint import Endpoint

CONFIG = "sim/configs/bridge.toml"


class Node(Endpoint):
    """One node of the bridge as an end of its own."""

    lossy_timeout = 16  # 0.27 s

    def __init__(self, bridge, number):
        self.bridge, self.port, self.name = bridge, number, f"RTL node {number}"

    def exchange(self, line, timeout):
        self.bridge.exchange(f"node {self.port}", timeout)
        return self.bridge.exchange(line, timeout)


class Bridge(Endpoint):
    """The process; as an endpoint it is node 0."""

    name = "RTL node"
    port = 0
    lossy_timeout = Node.lossy_timeout

    def __init__(self, program, folder, capture=None):
        self.frames = os.path.join(folder, "net.sock")
        control = os.path.join(folder, "control.sock")
        self.log = os.path.join(folder, "bridge.log")
        command = [program, "bridge", CONFIG, "--socket", self.frames, "--control", control]
        if capture:
            command += ["--frames", capture]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        self.socket = self.connect(control)
        self.lines = self.socket.makefile("rw", newline="\n")

    def connect(self, path):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            channel = socket.socket(socket.AF_UNIX)
            try:
                channel.connect(path)
                return channel
            except OSError:
                channel.close()
                time.sleep(0.05)
        raise RuntimeError("the bridge did not start:\n" + open(self.log).read())

    def exchange(self, line, timeout):
        self.socket.settimeout(timeout)
        self.lines.write(line + "\n")
        self.lines.flush()
        answer = self.lines.readline()
        if not answer:
            raise RuntimeError("the bridge ended:\n" + open(self.log).read())
        return answer.rstrip("\n")

    def fault(self, **keys):
        """One rule of the switch in place of all before; none: no faults."""
        self.ask("fault " + (" ".join(f"{k}={v}" for k, v in keys.items()) or "clear"))

    def counter(self, name):
        answer = self.ask(f"stats {name}")
        return sum(int(word.rpartition("=")[2]) for word in answer.split()[1:])

    def stop(self):
        try:
            self.exchange("quit", 10)
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
